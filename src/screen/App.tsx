// The root of the interface: layout and input. Feed data never passes through it.
//
//   tabs: the views, if there are several
//   the view, with the palette over its last rows
//   status: link, feeds, faults, keys
import { Box } from "ink";
import { useMemo, useSyncExternalStore } from "react";
import type { Surface } from "../terminal/cells/surface.ts";
import { useScreen, useTerminalSize } from "../terminal/screen/Canvas.tsx";
import type { TerminalSize } from "../terminal/screen/screen.ts";
import type { BackgroundQuery } from "../terminal/session/background.ts";
import { InputSorter, type SortedInput, useSortedInput } from "../terminal/session/input-sorter.ts";
import { useSelected } from "./changes.ts";
import type { Dashboard } from "./dashboard.ts";
import { HelpPanel } from "./Help.tsx";
import { keyNames } from "./keymap.ts";
import { paintPalette, paletteRows } from "./palette/palette.ts";
import { Line, PaneView } from "./panes/frame.tsx";
import { point } from "./pointer.ts";
import { paintStatus } from "./status.ts";
import { paintTabs, tabRows } from "./tabs.ts";
import type { Appearance, Theme } from "./theme/theme.ts";

interface AppProps {
  readonly dashboard: Dashboard;
  /** Without it, the terminal's reports of its background are dropped. */
  readonly background?: BackgroundQuery | undefined;
  readonly theme: Theme;
}

const MIN_ROWS_WITH_STATUS = 2;
const MIN_ROWS_WITH_STATS = 8;

export function ThemedApp({
  appearance,
  ...app
}: Omit<AppProps, "theme"> & { readonly appearance: Appearance }) {
  const theme = useSyncExternalStore(appearance.subscribe, () => appearance.theme);
  return <App {...app} theme={theme} />;
}

export function App({ dashboard, background, theme }: AppProps) {
  const size = useTerminalSize();
  useKeys(dashboard, background);
  const isHelpOpen = useSelected(dashboard.changes, () => dashboard.help.isOpen);
  return (
    <>
      <Screen dashboard={dashboard} theme={theme} {...size} />
      {isHelpOpen && <ShownHelp dashboard={dashboard} {...size} />}
    </>
  );
}

type ScreenProps = Omit<AppProps, "background"> & TerminalSize;

function ShownHelp({ dashboard, columns, rows }: Omit<ScreenProps, "theme">) {
  const { changes, help } = dashboard;
  const scroll = useSelected(changes, () => help.scroll);
  const search = useSelected(changes, () => help.search);
  const isTyping = useSelected(changes, () => help.typing !== undefined);
  const lines = dashboard.helpLines;
  return (
    <HelpPanel
      columns={columns}
      scroll={scroll}
      onScrolled={(first) => help.endAt(first)}
      lines={lines}
      search={search}
      isTyping={isTyping}
      rows={Math.max(1, rows - 1)}
    />
  );
}

function Screen({ dashboard, theme, columns, rows }: ScreenProps) {
  const { changes, options } = dashboard;
  const view = useSelected(changes, () => dashboard.view);
  const { Component: View = PaneView } = view;
  const tabs = useSelected(changes, () => tabRows(dashboard, rows));
  const status = rows >= MIN_ROWS_WITH_STATUS ? 1 : 0;
  const stats = options.stats !== undefined && rows >= MIN_ROWS_WITH_STATS ? 1 : 0;
  const room = rows - tabs - stats - status;
  const palette = useSelected(changes, () => paletteRows(dashboard.palette, room));
  const height = Math.max(0, room);
  const draw = useMemo(
    () => ({
      tabs: (surface: Surface) => paintTabs(surface, dashboard, theme),
      status: (surface: Surface) => paintStatus(surface, dashboard, theme, tabs > 0),
      palette: (surface: Surface) => paintPalette(surface, dashboard.palette, theme),
      stats: (surface: Surface) => surface.text(1, 0, dashboard.options.stats?.() ?? "", theme.dim),
    }),
    [dashboard, theme, tabs],
  );
  const line = { parts: dashboard, width: columns };
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Line {...line} rows={tabs} paint={draw.tabs} />
      <Box flexDirection="column" flexShrink={0} height={height}>
        <View
          key={view.name}
          model={dashboard.modelOf(view)}
          parts={dashboard}
          theme={theme}
          width={columns}
          height={height}
        />
      </Box>
      <Line {...line} rows={stats} paint={draw.stats} />
      <Line {...line} rows={status} paint={draw.status} isSum />
      <Box position="absolute" marginTop={tabs + height - palette}>
        <Line {...line} rows={palette} paint={draw.palette} />
      </Box>
    </Box>
  );
}

function useKeys(dashboard: Dashboard, background: BackgroundQuery | undefined): void {
  const screen = useScreen();
  const sorter = useMemo(() => {
    const take = (input: SortedInput) => {
      if (input.kind === "answer") background?.take(input.text);
      else {
        background?.end();
        act(dashboard, input, screen.size);
      }
    };
    return new InputSorter(screen.timer, take, () => background?.isOpen === true);
  }, [screen, dashboard, background]);
  useSortedInput(sorter);
}

function act(
  dashboard: Dashboard,
  input: Exclude<SortedInput, { readonly kind: "answer" }>,
  size: TerminalSize,
): void {
  if (input.kind === "paste") dashboard.paste(input.text);
  else if (input.kind === "mouse") point(dashboard, input.report, size);
  else for (const name of keyNames(input.text, input.report)) dashboard.press(name);
}

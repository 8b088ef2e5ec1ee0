// The root of the interface: it holds layout and mode, and hands keys on. Feed data never passes through it.
//
//   tabs: the views, where there is more than one of them
//   the view
//   status: link, feeds, faults, keys
import { Box, useInput } from "ink";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { Surface } from "../terminal/cells/surface.ts";
import { useScreen, useTerminalSize } from "../terminal/screen/screen-context.ts";
import { InputSorter } from "../terminal/session/input-sorter.ts";
import type { Dashboard } from "./dashboard.ts";
import { Help } from "./Help.tsx";
import { keyNames } from "./keymap.ts";
import { paintPalette, paletteRows } from "./palette/palette.ts";
import { Line } from "./panes/frame.tsx";
import { point } from "./pointer.ts";
import { paintStatus } from "./status.ts";
import { paintTabs, tabRows } from "./tabs.ts";
import type { Appearance, Theme } from "./theme/theme.ts";

interface AppProps {
  readonly dashboard: Dashboard;
  readonly theme: Theme;
}

/** A terminal with fewer rows has no status line. */
const MIN_ROWS_WITH_STATUS = 2;
/** What the program costs is worth no row of a small one. */
const MIN_ROWS_WITH_STATS = 8;

/** The tabs, the view and the status line, or the help in their place. */
export function App({ dashboard, theme }: AppProps) {
  useSyncExternalStore(
    (onChange) => dashboard.subscribe(onChange),
    () => dashboard.version,
  );
  const size = useTerminalSize();
  useKeys(dashboard);
  const { helpScroll } = dashboard;
  if (helpScroll !== undefined) {
    return (
      <Help
        {...size}
        scroll={helpScroll}
        contexts={dashboard.viewContexts}
        keymap={dashboard.keymap}
      />
    );
  }
  return <Screen dashboard={dashboard} theme={theme} {...size} />;
}

interface ScreenProps extends AppProps {
  readonly columns: number;
  readonly rows: number;
}

function Screen({ dashboard, theme, columns, rows }: ScreenProps) {
  const tabs = tabRows(dashboard, rows);
  const status = rows >= MIN_ROWS_WITH_STATUS ? 1 : 0;
  const stats = dashboard.options.stats !== undefined && rows >= MIN_ROWS_WITH_STATS ? 1 : 0;
  const drawTabs = useCallback(
    (surface: Surface) => paintTabs(surface, dashboard, theme),
    [dashboard, theme],
  );
  const drawStatus = useCallback(
    (surface: Surface) => paintStatus(surface, dashboard, theme),
    [dashboard, theme],
  );
  const drawPalette = useCallback(
    (surface: Surface) => paintPalette(surface, dashboard.palette, theme),
    [dashboard, theme],
  );
  const drawStats = useCallback(
    (surface: Surface) => surface.text(1, 0, dashboard.options.stats?.() ?? "", theme.dim),
    [dashboard, theme],
  );
  const { view, model } = dashboard;
  const palette = paletteRows(dashboard.palette, rows - tabs - stats - status);
  const height = Math.max(0, rows - tabs - stats - status - palette);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Line dashboard={dashboard} width={columns} rows={tabs} paint={drawTabs} />
      <Box flexDirection="column" flexShrink={0} height={height}>
        <view.Component
          key={view.name}
          dashboard={dashboard}
          model={model}
          theme={theme}
          width={columns}
          height={height}
        />
      </Box>
      <Line dashboard={dashboard} width={columns} rows={palette} paint={drawPalette} />
      <Line dashboard={dashboard} width={columns} rows={stats} paint={drawStats} />
      <Line dashboard={dashboard} width={columns} rows={status} paint={drawStatus} />
    </Box>
  );
}

function useKeys(dashboard: Dashboard): void {
  const screen = useScreen();
  const sorter = useMemo(() => {
    return new InputSorter(screen.timer, (input) => {
      if (input.kind === "paste") dashboard.paste(input.text);
      else if (input.kind === "mouse") point(dashboard, input.report, screen.size);
      else for (const name of keyNames(input.text, input.report)) dashboard.press(name);
    });
  }, [screen, dashboard]);
  useInput((input, key) => sorter.take(input, key));
}

interface ThemedAppProps {
  readonly dashboard: Dashboard;
  readonly appearance: Appearance;
}

/** The interface, drawn anew when the theme is another one. */
export function ThemedApp({ dashboard, appearance }: ThemedAppProps) {
  const theme = useSyncExternalStore(
    (onChange) => appearance.subscribe(onChange),
    () => appearance.theme,
  );
  return <App dashboard={dashboard} theme={theme} />;
}

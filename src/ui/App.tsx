// The root of the interface: it holds layout and mode, and turns keys into actions. Feed data never passes
// through it.
import { useInput } from "ink";
import { useMemo, useSyncExternalStore } from "react";
import { useTerminalSize } from "../terminal/screen/screen-context.ts";
import { InputSorter } from "../terminal/session/input-sorter.ts";
import type { Dashboard } from "./dashboard.ts";
import { Help } from "./Help.tsx";
import { actionOf, keyNames } from "./keys.ts";
import type { Theme } from "./theme.ts";
import { MarketView } from "./views/MarketView.tsx";

interface AppProps {
  readonly dashboard: Dashboard;
  readonly theme: Theme;
}

export function App({ dashboard, theme }: AppProps) {
  const settings = useSyncExternalStore(
    (onChange) => dashboard.subscribe(onChange),
    () => dashboard.settings,
  );
  const sorter = useMemo(() => new InputSorter(), []);
  useInput((input, key) => {
    const sorted = sorter.sort(input);
    // Pasted text must not act as keys.
    if (sorted?.kind !== "keys") return;
    for (const name of keyNames(sorted.text, key)) {
      const action = actionOf(name);
      if (action !== undefined) dashboard.perform(action);
    }
  });
  const size = useTerminalSize();
  if (settings.isHelpOpen) return <Help {...size} scroll={settings.helpScroll} />;
  return <MarketView dashboard={dashboard} settings={settings} theme={theme} />;
}

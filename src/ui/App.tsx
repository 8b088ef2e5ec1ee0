// The root of the interface: it holds layout and mode, and turns keys into actions. Feed data never passes
// through it.
import { useInput } from "ink";
import { useSyncExternalStore } from "react";
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
  useInput((input, key) => {
    for (const name of keyNames(input, key)) {
      const action = actionOf(name);
      if (action !== undefined) dashboard.perform(action);
    }
  });
  if (settings.isHelpOpen) return <Help scroll={settings.helpScroll} />;
  return <MarketView dashboard={dashboard} settings={settings} theme={theme} />;
}

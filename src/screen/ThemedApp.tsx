// The interface in the theme that is in force.
import { useSyncExternalStore } from "react";
import { App } from "./App.tsx";
import type { Appearance } from "./appearance.ts";
import type { Dashboard } from "./dashboard.ts";

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

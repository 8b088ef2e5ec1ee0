// A dashboard on a terminal without a window.
import { App } from "../../src/screen/App.tsx";
import type { Dashboard, DashboardOptions } from "../../src/screen/dashboard.ts";
import { createTheme } from "../../src/screen/theme/theme.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { MarketFeed } from "./market-feed.ts";
import { openDashboard } from "./open-dashboard.ts";
import { type AppOptions, mountApp } from "./terminal/mounted-app.ts";

export function mountDashboard(dashboard: Dashboard, options: AppOptions) {
  const styles = new StyleTable();
  const app = mountApp(<App dashboard={dashboard} theme={createTheme(styles)} />, {
    ...options,
    styles,
  });
  const lines = async () => (await app.shown()).text();
  return { ...app, dashboard, lines, screen: async () => (await lines()).join("\n") };
}

/** The view that a key shows, of a dashboard that is connected and has opened a perpetual market. */
export function openView(
  key: string,
  size: AppOptions,
  options: Partial<DashboardOptions> = {},
  marketId = "1",
) {
  const feed = new MarketFeed();
  const { dashboard } = openDashboard(feed, options);
  dashboard.open({ type: "perp", id: marketId });
  feed.link("open");
  const app = mountDashboard(dashboard, size);
  dashboard.press(key);
  for (const channel of dashboard.channels) feed.say({ type: "subscribing", channel });
  return { ...app, feed };
}

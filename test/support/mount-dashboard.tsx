// A dashboard on a terminal without a window.
import { App } from "../../src/screen/App.tsx";
import type { Dashboard, DashboardOptions } from "../../src/screen/dashboard.ts";
import { createTheme, DEFAULT_THEME, type ThemeChoice } from "../../src/screen/theme/theme.ts";
import type { ColorDepth } from "../../src/terminal/cells/color.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { MarketFeed } from "./market-feed.ts";
import { openDashboard } from "./open-dashboard.ts";
import { type AppOptions, mountApp } from "./terminal/mounted-app.ts";

export interface MountOptions extends AppOptions {
  readonly look?: Partial<ThemeChoice>;
  readonly depth?: ColorDepth;
}

export function mountDashboard(dashboard: Dashboard, { look, depth, ...options }: MountOptions) {
  const styles = new StyleTable(depth);
  const theme = createTheme(styles, { ...DEFAULT_THEME, ...look });
  const app = mountApp(<App dashboard={dashboard} theme={theme} />, { ...options, styles });
  const lines = async () => (await app.shown()).text();
  const screen = async () => (await lines()).join("\n");
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) dashboard.press(key);
    return screen();
  };
  /** A report of the mouse at a cell: 0 presses, 32 drags, 64 and 65 turn the wheel; `m` releases. */
  const mouse = (code: number, x: number, y: number, end = "M") =>
    app.stdin.type(`\u001b[<${code};${x + 1};${y + 1}${end}`);
  return { ...app, dashboard, lines, screen, press, mouse };
}

/** The keys that type a line into the palette and run it. */
export const command = (line: string): readonly string[] => [
  ":",
  ...[...line].map((letter) => (letter === " " ? "space" : letter)),
  "return",
];

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

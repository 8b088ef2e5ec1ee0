// A dashboard over the store of a test's feed, and what it asked of whoever owns the screen.

import { Dashboard, type DashboardOptions } from "../../src/screen/dashboard.ts";
import { VIEWS } from "../../src/screen/views/views.ts";
import { EXACT } from "../../src/select/display.ts";
import type { MarketFeed } from "./market-feed.ts";

export function openDashboard(
  feed: Pick<MarketFeed, "store" | "nowMs">,
  options: Partial<DashboardOptions> = {},
) {
  const told: string[] = [];
  const dashboard = new Dashboard({
    display: EXACT,
    book: { groupings: { "perp/1": 1n, "perp/2": 1n, "spot/1": 1n }, depth: "total" },
    store: feed.store,
    views: VIEWS,
    now: () => feed.nowMs,
    wall: () => feed.nowMs,
    interval: "1m",
    isSimulated: false,
    onQuit: () => told.push("quit"),
    onRedraw: () => told.push("redraw"),
    onSuspend: () => told.push("suspend"),
    ...options,
  });
  return { dashboard, told };
}

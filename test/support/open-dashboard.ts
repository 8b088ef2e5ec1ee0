// A dashboard over the store of a test's feed, and what it asked of whoever owns the screen.

import { Dashboard, type DashboardOptions } from "../../src/screen/dashboard.ts";
import { marketView } from "../../src/screen/views/market/market.tsx";
import { VIEWS } from "../../src/screen/views/views.ts";
import { EXACT } from "../../src/select/display.ts";
import { MarketFeed } from "./market-feed.ts";

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

/** The dashboard of perp/1, connected and subscribed. */
export function openMarket(options: Partial<DashboardOptions> = {}, feed = new MarketFeed()) {
  const { dashboard, told } = openDashboard(feed, options);
  dashboard.open({ type: "perp", id: "1" });
  feed.connect();
  return { feed, dashboard, told, model: dashboard.modelOf(marketView) };
}

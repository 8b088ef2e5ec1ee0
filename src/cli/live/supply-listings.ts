// Keeps a dashboard supplied where only the listings are known: nothing is live then.
import type { LiveMarketOptions } from "./live-market.ts";
import { supplyHistories } from "./supply-histories.ts";

/** Starts to supply the dashboard. Answers how to stop. */
export function supplyListings({ context, dashboard, service, market }: LiveMarketOptions) {
  if (market !== undefined && !("symbol" in market)) dashboard.open(market);
  return supplyHistories(context, dashboard, service);
}

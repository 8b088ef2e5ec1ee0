// Keeps a dashboard supplied where only the listings are known: nothing is live then.
import type { LiveMarketOptions } from "./live-market.ts";
import { supplyHistories } from "./supply-histories.ts";

/** Starts to supply the dashboard. @throws {TypeError} when the service has an address that is none */
export function supplyListings(options: LiveMarketOptions): void {
  const { context, dashboard, service, market, onOpen } = options;
  if (market !== undefined && !("symbol" in market)) dashboard.open(market);
  onOpen(supplyHistories(context, dashboard, service));
}

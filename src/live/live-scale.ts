// Measures the scale of whatever market the dashboard shows, for as long as its trades are received.
import type { Dashboard } from "../screen/dashboard.ts";
import type { Clock } from "../units/clock.ts";
import { MarketFollower } from "./market-follower.ts";
import type { RecentTrades } from "./recent-trades.ts";
import { ScaleProbe } from "./scale-probe.ts";

/**
 * Answers what follows the dashboard, and is to be stopped. `trades` is undefined where the listings are not known.
 * Never throws.
 */
export function followScale(
  dashboard: Dashboard,
  trades: RecentTrades | undefined,
  clock: Clock,
): MarketFollower {
  return new MarketFollower({
    dashboard,
    isHeld: (name) => dashboard.channels.includes(`trades/${name}`),
    start(market) {
      const probe = new ScaleProbe({
        store: dashboard.options.store,
        scales: dashboard.scales,
        market,
        listing: trades?.of(market).source,
        clock,
        onHeard: () => dashboard.tick(),
      });
      return () => probe.stop();
    },
  });
}

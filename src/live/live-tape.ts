// Heals the tape of whatever market the dashboard shows, for as long as its trades are received.

import type { Dashboard } from "../screen/dashboard.ts";
import type { Clock } from "../units/clock.ts";
import type { StreamListener } from "../wire/stream-event.ts";
import { MarketFollower } from "./market-follower.ts";
import type { RecentTrades } from "./recent-trades.ts";
import { TapeHealer } from "./tape-healer.ts";

/** Follows the dashboard, and is to be stopped. @param trades undefined where the listings are not known */
export function healTape(
  dashboard: Dashboard,
  trades: RecentTrades | undefined,
  clock: Clock,
  publish: StreamListener,
): MarketFollower {
  return new MarketFollower({
    dashboard,
    isHeld: (name) => dashboard.channels.includes(`trades/${name}`),
    start(market) {
      if (trades === undefined) return () => {};
      const { scales, options } = dashboard;
      const listing = trades.of(market);
      const healer = new TapeHealer({
        store: options.store,
        scales,
        market,
        listing,
        clock,
        publish,
      });
      return () => healer.stop();
    },
  });
}

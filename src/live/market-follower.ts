// Runs something for whatever market the dashboard shows, for as long as it shows it: the measurement of its scale, the healing
// of its tape, the filling of its chart.
import type { Dashboard } from "../screen/dashboard.ts";
import { formatMarket, type Market } from "../select/market.ts";
import type { Clock } from "../units/clock.ts";
import type { StreamListener } from "../wire/stream-event.ts";
import type { RecentTrades } from "./recent-trades.ts";
import { ScaleProbe } from "./scale-probe.ts";
import { TapeHealer } from "./tape-healer.ts";

/** What runs for one market at a time, the one that is shown last. */
export interface Follower {
  /** The dashboard may show another market now, or none. */
  follow(): void;
  stop(): void;
}

/**
 * @param isShown true while the dashboard holds what is needed of the market of this name
 * @param start starts it; answers how to stop
 */
function followMarket(
  dashboard: Dashboard,
  isShown: (name: string) => boolean,
  start: (market: Market) => () => void,
): Follower {
  let name: string | undefined;
  let end = () => {};
  const stop = () => {
    end();
    end = () => {};
    name = undefined;
  };
  return {
    stop,
    follow() {
      const { market } = dashboard;
      const shown = market && isShown(formatMarket(market)) ? market : undefined;
      const shownName = shown && formatMarket(shown);
      if (shownName === name) return;
      stop();
      if (shown !== undefined) end = start(shown);
      name = shownName;
    },
  };
}

/** Measures the scale of the market while its trades are received. @param trades undefined where the listings are not known */
export function followScale(
  dashboard: Dashboard,
  trades: RecentTrades | undefined,
  clock: Clock,
): Follower {
  return followMarket(dashboard, showsTrades(dashboard), (market) => {
    const { scales, options } = dashboard;
    const listing = trades?.of(market).source;
    const onReceived = () => dashboard.tick();
    const probe = new ScaleProbe({
      store: options.store,
      scales,
      market,
      listing,
      clock,
      onReceived,
    });
    return () => probe.stop();
  });
}

/** Heals the tape of the market while its trades are received. @param trades undefined where the listings are not known */
export function healTape(
  dashboard: Dashboard,
  trades: RecentTrades | undefined,
  clock: Clock,
  publish: StreamListener,
): Follower {
  return followMarket(dashboard, showsTrades(dashboard), (market) => {
    if (trades === undefined) return () => {};
    const { scales, options } = dashboard;
    const listing = trades.of(market);
    const of = { store: options.store, scales, market, listing, clock, publish };
    const healer = new TapeHealer(of);
    return () => healer.stop();
  });
}

function showsTrades(dashboard: Dashboard): (name: string) => boolean {
  return (name) => dashboard.channels.includes(`trades/${name}`);
}

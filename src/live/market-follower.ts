// Runs something for whatever market the dashboard shows, for as long as it shows it: the measurement of its scale, the healing
// of its tape.
import type { Dashboard } from "../screen/dashboard.ts";
import { formatMarket, type Market } from "../select/market.ts";
import type { Clock } from "../units/clock.ts";
import type { StreamListener } from "../wire/stream-event.ts";
import type { RecentTrades } from "./recent-trades.ts";
import { ScaleProbe } from "./scale-probe.ts";
import { TapeHealer } from "./tape-healer.ts";

/** What is followed, and what is run. */
export interface MarketFollowerOptions {
  readonly dashboard: Dashboard;
  /** True while the dashboard holds what is needed of the market of this name. */
  readonly isHeld: (name: string) => boolean;
  /** Starts it; answers how to stop. */
  readonly start: (market: Market) => () => void;
}

/** Runs one thing at a time, for the market that is shown last. */
export class MarketFollower {
  readonly #options: MarketFollowerOptions;
  #running: { readonly of: string; readonly stop: () => void } | undefined;

  constructor(options: MarketFollowerOptions) {
    this.#options = options;
  }

  /** The dashboard may show another market now, or none. */
  follow(): void {
    const { dashboard, isHeld, start } = this.#options;
    const { market } = dashboard;
    const name = market === undefined ? "" : formatMarket(market);
    const of = isHeld(name) ? name : undefined;
    if (of === this.#running?.of) return;
    this.stop();
    if (of === undefined || market === undefined) return;
    this.#running = { of, stop: start(market) };
  }

  stop(): void {
    this.#running?.stop();
    this.#running = undefined;
  }
}

/**
 * Measures the scale of the market while its trades are received.
 * @param trades undefined where the listings are not known
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

/** Heals the tape of the market while its trades are received. @param trades undefined where the listings are not known */
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

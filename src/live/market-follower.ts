// Runs something for whatever market the dashboard shows, for as long as it shows it.
import type { Dashboard } from "../screen/dashboard.ts";
import { formatMarket, type Market } from "../select/market.ts";

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

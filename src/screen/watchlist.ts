// The markets that the user watches, in the order in which they were chosen.
import { isSameMarket, type Market } from "../select/market.ts";

/** Markets that can be watched at once: each holds two channels. */
const MAX_WATCHED = 32;

/** Markets, each once. */
export class Watchlist {
  readonly #onChange: (markets: readonly Market[]) => void;
  markets: readonly Market[];

  /** @param onChange receives the markets after each change by the user */
  constructor(
    markets: readonly Market[],
    onChange: (markets: readonly Market[]) => void = () => {},
  ) {
    this.markets = markets.slice(0, MAX_WATCHED);
    this.#onChange = onChange;
  }

  get isFull(): boolean {
    return this.markets.length >= MAX_WATCHED;
  }

  has(market: Market): boolean {
    return this.markets.some((each) => isSameMarket(each, market));
  }

  /** Watches a market, or no longer. A full list stays as it is. */
  toggle(market: Market): void {
    const isWatched = this.has(market);
    if (!isWatched && this.isFull) return;
    this.markets = isWatched
      ? this.markets.filter((each) => !isSameMarket(each, market))
      : [...this.markets, market];
    this.#onChange(this.markets);
  }
}

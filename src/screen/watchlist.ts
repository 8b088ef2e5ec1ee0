// The user's watched markets, each once, in the order chosen.
import { isSameMarket, type Market } from "../select/market.ts";

/** Each market takes two channels. */
const MAX_WATCHED = 32;

export class Watchlist {
  readonly #onChange: (markets: readonly Market[]) => void;
  markets: readonly Market[];

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

  /** A full list does not grow. */
  toggle(market: Market): void {
    const isWatched = this.has(market);
    if (!isWatched && this.isFull) return;
    this.markets = isWatched
      ? this.markets.filter((each) => !isSameMarket(each, market))
      : [...this.markets, market];
    this.#onChange(this.markets);
  }
}

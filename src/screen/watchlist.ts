// The markets that the user has starred, each once, in the order chosen.
import { isSameMarket, type Market } from "../select/market.ts";

/** Each market takes a channel in the list of all markets. */
const MAX_STARRED = 32;

export class Watchlist {
  readonly #onChange: (markets: readonly Market[]) => void;
  markets: readonly Market[];

  constructor(
    markets: readonly Market[],
    onChange: (markets: readonly Market[]) => void = () => {},
  ) {
    this.markets = markets.slice(0, MAX_STARRED);
    this.#onChange = onChange;
  }

  get isFull(): boolean {
    return this.markets.length >= MAX_STARRED;
  }

  has(market: Market): boolean {
    return this.markets.some((each) => isSameMarket(each, market));
  }

  /** A full list does not grow. */
  toggle(market: Market): void {
    const isStarred = this.has(market);
    if (!isStarred && this.isFull) return;
    this.markets = isStarred
      ? this.markets.filter((each) => !isSameMarket(each, market))
      : [...this.markets, market];
    this.#onChange(this.markets);
  }
}

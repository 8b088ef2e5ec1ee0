// Which symbol each market had when it was first seen: an id that is given to another symbol is another market.
import type { Store } from "../state/store.ts";
import { formatMarket, type Market } from "./market.ts";
import { findMarketRecord, selectStat } from "./market-stats.ts";

/** The symbols of the markets that are shown or watched, for as long as the session lasts. */
export class MarketSymbols {
  readonly #held = new Map<
    string,
    { readonly symbol: string | undefined; readonly version: number }
  >();

  /**
   * Looks at the newest list of markets.
   * @returns `perp/1 is now ETH-PERP, no longer BTC-PERP`, once for each change; undefined while it is what it was,
   *   or the list does not say
   */
  check(store: Store, market: Market): string | undefined {
    const name = formatMarket(market);
    const { version, data } = store.slice("markets", "markets");
    const held = this.#held.get(name);
    if (held?.version === version) return undefined;
    const record = findMarketRecord(data.records, market, store.aliases);
    const symbol = selectStat(record, "symbol", store.aliases);
    this.#held.set(name, { symbol: symbol ?? held?.symbol, version });
    if (held?.symbol === undefined || symbol === undefined || held.symbol === symbol)
      return undefined;
    return `${name} is now ${symbol}, no longer ${held.symbol}`;
  }
}

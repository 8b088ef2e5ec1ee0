// One market: what it trades, its book, prices, candles and funding.
import type { Decimal } from "../../units/decimal.ts";
import type { MarketType } from "../../wire/channels.ts";
import { Candles } from "./candles.ts";
import { type OnMatch, OrderBook } from "./order-book.ts";

export interface MarketSpec {
  readonly type: MarketType;
  /** Unique only among the markets of its type. */
  readonly id: number;
  readonly symbol: string;
  readonly baseAsset: string;
  /** In quote and base currency. */
  readonly tickSize: Decimal;
  readonly lotSize: Decimal;
  /** Quote atoms in one tick times one lot: an integer, so that every value is exact. */
  readonly atomsPerTickLot: number;
  readonly startTicks: number;
  /** How often people trade here; 1 for a large market on a calm day. */
  readonly activity: number;
  /** Standard deviation of the outside price's move in a calm second, in millionths of the price. */
  readonly volatilityPpm: number;
}

export interface FundingRate {
  /** In hundred-millionths of the position's value for each interval; positive: longs pay shorts. */
  readonly rate: number;
  readonly markTicks: number;
  /** End of the interval. */
  readonly timeUs: number;
}

export type Market = ReturnType<typeof createMarket>;

/** A market as of the last transaction, which only the exchange changes. Prices are in ticks, sizes in lots. */
export function createMarket(index: number, spec: MarketSpec, onMatch: OnMatch) {
  const { startTicks } = spec;
  return {
    /** Position in the exchange's list of markets, referenced by orders, trades and positions. */
    index,
    spec,
    isPerp: spec.type === "perp",
    book: new OrderBook(onMatch),
    candles: new Candles(),
    markCandles: new Candles(),
    /** Price of the last trade; the start price before the first. */
    lastTicks: startTicks,
    markTicks: startTicks,
    indexTicks: startTicks,
    /** What the world outside pays now, which traders look at; the index follows it every second. */
    fairTicks: startTicks,
    openInterestLots: 0,
    /** The current rate of the running interval, and the settled ones, oldest first. */
    nextFunding: undefined as FundingRate | undefined,
    settledFunding: [] as FundingRate[],
    /** Index of the last transaction that changed the book, that traded, and that published prices or settled funding. */
    bookSequence: 0,
    tradeSequence: 0,
    markSequence: 0,
  };
}

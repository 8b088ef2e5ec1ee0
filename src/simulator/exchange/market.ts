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
  /** Fees in millionths of the traded value; a negative one is a rebate. */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
  /** How often people trade here; 1 for a large market on a calm day. */
  readonly activity: number;
  /** Standard deviation of the fair price's move in a calm second, in millionths of the price. */
  readonly volatilityPpm: number;
}

export interface FundingRate {
  /** In hundred-millionths of the position's value for each interval; positive: longs pay shorts. */
  readonly rate: number;
  readonly markTicks: number;
  /** End of the interval. */
  readonly timeUs: number;
}

/** A market as of the last transaction. Prices are in ticks, sizes in lots. */
export class Market {
  /** Position in the exchange's list of markets, referenced by orders, trades and positions. */
  readonly index: number;
  readonly spec: MarketSpec;
  readonly isPerp: boolean;
  readonly book: OrderBook;
  readonly candles = new Candles();
  readonly markCandles = new Candles();
  /** Price of the last trade; the start price before the first. */
  lastTicks: number;
  markTicks: number;
  indexTicks: number;
  /** Smoothed distance of the book from the index; no whole number. */
  premiumTicks = 0;
  openInterestLots = 0;
  /** The current rate of the running interval, and the settled ones, oldest first. */
  nextFunding: FundingRate | undefined;
  readonly settledFunding: FundingRate[] = [];
  /** Index of the last transaction that changed the book, that traded, and that moved prices or funding. */
  bookSequence = 0;
  tradeSequence = 0;
  markSequence = 0;
  fundingSequence = 0;

  constructor(index: number, spec: MarketSpec, onMatch: OnMatch) {
    this.index = index;
    this.spec = spec;
    this.isPerp = spec.type === "perp";
    this.book = new OrderBook(onMatch);
    this.lastTicks = spec.startTicks;
    this.markTicks = spec.startTicks;
    this.indexTicks = spec.startTicks;
  }
}

// One market: what it is, and everything that happens in it: its book, its prices, its candles, its funding.
import { type OnMatch, OrderBook } from "../engine/order-book.ts";
import { CandleBoard } from "../ledger/candles.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";

export interface FundingRate {
  /** In hundred-millionths of a position's value; positive: longs pay shorts. */
  readonly rate: bigint;
  readonly markTicks: number;
  readonly indexTicks: number;
  /** End of the interval, simulated microseconds. */
  readonly timeUs: number;
  readonly intervalMs: number;
  readonly isSettled: boolean;
}

/** Settled funding rates that are kept: as many as one frame may carry, less the one to come. */
const MAX_SETTLED_RATES = 199;

/** A market as it is after the last transaction. Prices are ticks, sizes lots. */
export class Market {
  /** Its place in the exchange's list of markets: what orders, trades and positions refer to. */
  readonly index: number;
  readonly spec: MarketSpec;
  readonly isPerp: boolean;
  readonly book: OrderBook;
  readonly candles = new CandleBoard();
  readonly markCandles = new CandleBoard();
  /** Price of the last trade; the start price before the first. */
  lastTicks: number;
  markTicks: number;
  indexTicks: number;
  openInterestLots = 0;
  /** The smoothed premium of the book over the index, and the sum of its samples since the last settlement. */
  readonly premium = { sixteenths: 0, sumTicks: 0n, samples: 0 };
  /** The rate of the running interval as it stands, and the settled ones, oldest first. */
  nextFunding: FundingRate | undefined;
  readonly settledFunding: FundingRate[] = [];
  /** Index of the last transaction that changed the book, traded, or moved the prices and figures. */
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

  /** Middle of the best prices, cut to a whole tick; the last trade's price while a side is empty. */
  get midTicks(): number {
    const bid = this.book.bids.best;
    const ask = this.book.asks.best;
    if (bid === undefined || ask === undefined) return this.lastTicks;
    return Math.floor((bid.priceTicks + ask.priceTicks) / 2);
  }

  /** Says what Unix time simulated time 0 is, when history ends. */
  goLive(epochMs: number): void {
    this.candles.goLive(epochMs);
    this.markCandles.goLive(epochMs);
  }

  keepSettled(rate: FundingRate): void {
    this.settledFunding.push(rate);
    if (this.settledFunding.length > MAX_SETTLED_RATES) this.settledFunding.shift();
  }
}

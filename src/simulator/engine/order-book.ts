// The matching engine of one market: price-time priority, integers only. It knows no money and no accounts.
import { BookSide, type Level } from "./book-side.ts";
import { isLive, type Order } from "./order.ts";

/** Called for each match, after both orders were reduced: one trade at the maker's price. */
export type OnMatch = (maker: Order, taker: Order, sizeLots: number) => void;

/** A price level whose size changed. */
export interface TouchedLevel {
  readonly isBid: boolean;
  readonly priceTicks: number;
  /** What rests there now; 0 when nothing does. */
  readonly sizeLots: number;
}

/** A book of whole ticks and lots. Never throws. */
export class OrderBook {
  readonly bids = new BookSide(true);
  readonly asks = new BookSide(false);
  readonly #onMatch: OnMatch;
  /** Prices touched since touches were last cleared, twice the ticks and 1 more for a bid; may repeat. */
  readonly #touched: number[] = [];

  constructor(onMatch: OnMatch) {
    this.#onMatch = onMatch;
  }

  /** True when a level changed since touches were last cleared. */
  get isTouched(): boolean {
    return this.#touched.length > 0;
  }

  side(isBid: boolean): BookSide {
    return isBid ? this.bids : this.asks;
  }

  /** Executes a fresh order as far as it goes; the rest rests, or is canceled, as its terms say. */
  submit(order: Order): void {
    if (order.terms === "post-only" && this.wouldTrade(order.isBid, order.priceTicks)) {
      order.status = "rejected";
      return;
    }
    this.#match(order);
    if (order.remainingLots === 0) {
      order.status = "filled";
    } else if (order.terms === "limit" || order.terms === "post-only") {
      this.side(order.isBid).add(order);
      this.#touch(order);
    } else {
      order.status = "canceled";
    }
  }

  /** Takes a resting order out of the book. Nothing happens when it does not rest. */
  cancel(order: Order): void {
    const { level } = order;
    if (level === undefined) return;
    this.#touch(order);
    this.side(order.isBid).remove(order, level);
    order.status = "canceled";
  }

  /** Makes a resting order smaller; it keeps its place in the queue. Larger or equal sizes change nothing. */
  reduce(order: Order, remainingLots: number): void {
    const { level } = order;
    if (level === undefined || remainingLots >= order.remainingLots || remainingLots <= 0) return;
    this.#touch(order);
    level.sizeLots -= order.remainingLots - remainingLots;
    order.remainingLots = remainingLots;
  }

  /** True when an order at this price would trade at once. */
  wouldTrade(isBid: boolean, priceTicks: number): boolean {
    const { best } = this.side(!isBid);
    if (best === undefined) return false;
    return isBid ? best.priceTicks <= priceTicks : best.priceTicks >= priceTicks;
  }

  /** The levels that changed since touches were last cleared, each once, in no order. */
  touched(): TouchedLevel[] {
    return [...new Set(this.#touched)].map((key) => {
      const isBid = key % 2 === 1;
      const priceTicks = (key - (isBid ? 1 : 0)) / 2;
      const sizeLots = this.side(isBid).levelAt(priceTicks)?.sizeLots ?? 0;
      return { isBid, priceTicks, sizeLots };
    });
  }

  clearTouched(): void {
    this.#touched.length = 0;
  }

  #match(taker: Order): void {
    const side = this.side(!taker.isBid);
    while (taker.remainingLots > 0) {
      const { best } = side;
      if (best === undefined || !this.wouldTrade(taker.isBid, taker.priceTicks)) return;
      this.#matchLevel(side, best, taker);
    }
  }

  #matchLevel(side: BookSide, level: Level, taker: Order): void {
    for (let maker = level.first; maker !== undefined; maker = level.first) {
      const sizeLots = Math.min(maker.remainingLots, taker.remainingLots);
      this.#touch(maker);
      taker.remainingLots -= sizeLots;
      taker.status = "partially_filled";
      maker.remainingLots -= sizeLots;
      level.sizeLots -= sizeLots;
      maker.status = maker.remainingLots === 0 ? "filled" : "partially_filled";
      if (!isLive(maker)) side.remove(maker, level);
      this.#onMatch(maker, taker, sizeLots);
      if (taker.remainingLots === 0) return;
    }
  }

  #touch(order: Order): void {
    this.#touched.push(order.priceTicks * 2 + (order.isBid ? 1 : 0));
  }
}

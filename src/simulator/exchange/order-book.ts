// The matching engine of one market: price-time priority, integers only. It knows neither money nor accounts, only their indexes.

/**
 * How an order may execute. `post-only`: it stays in the book, rejected if it would trade at once; `ioc`: the unfilled rest is
 * canceled; `market`: as `ioc`, at any price.
 */
export type Terms = "post-only" | "ioc" | "market";

/** An order as requested. The price of a market order is ignored. */
export interface OrderRequest {
  readonly isBid: boolean;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly terms: Terms;
}

/** An order, changed only by the engine and the exchange; it rests in a book while `level` is set. */
export interface Order extends OrderRequest {
  readonly id: number;
  readonly clientOrderId: number;
  readonly account: number;
  readonly market: number;
  readonly createdAtUs: number;
  remainingLots: number;
  status: "open" | "partially_filled" | "filled" | "canceled" | "rejected";
  level: Level | undefined;
}

/** What rests at one price; without orders and size once it has left the book. */
export interface Level {
  readonly isBid: boolean;
  readonly priceTicks: number;
  sizeLots: number;
  /** Oldest first. */
  readonly orders: Order[];
}

export function removeFrom(orders: Order[], order: Order): void {
  const index = orders.indexOf(order);
  if (index >= 0) orders.splice(index, 1);
}

/** Called for each match, after both orders have been reduced: one trade at the maker's price. */
export type OnMatch = (maker: Order, taker: Order, sizeLots: number) => void;

export class OrderBook {
  /** Best price last, so that the busy end is cheap to change. */
  readonly #bids: Level[] = [];
  readonly #asks: Level[] = [];
  readonly #onMatch: OnMatch;
  /** The levels changed since the last clear, of size 0 if nothing rests there, by twice their price, plus 1 for a bid. */
  readonly touched = new Map<number, Level>();

  constructor(onMatch: OnMatch) {
    this.#onMatch = onMatch;
  }

  /** Best price last; only the book changes it. */
  side(isBid: boolean): Level[] {
    return isBid ? this.#bids : this.#asks;
  }

  best(isBid: boolean): Level | undefined {
    const side = this.side(isBid);
    return side[side.length - 1];
  }

  wouldTrade(isBid: boolean, priceTicks: number): boolean {
    const best = this.best(!isBid)?.priceTicks;
    if (best === undefined) return false;
    return isBid ? best <= priceTicks : best >= priceTicks;
  }

  /** Matches a new order; the rest enters the book or is canceled, according to its terms. */
  submit(order: Order): void {
    if (order.terms === "post-only") {
      if (this.wouldTrade(order.isBid, order.priceTicks)) order.status = "rejected";
      else this.#add(order);
      return;
    }
    this.#match(order);
    order.status = order.remainingLots === 0 ? "filled" : "canceled";
  }

  cancel(order: Order): void {
    if (order.level === undefined) return;
    this.#remove(order, order.level);
    order.status = "canceled";
  }

  #add(order: Order): void {
    const { isBid, priceTicks } = order;
    const side = this.side(isBid);
    const index = this.#indexOf(isBid, priceTicks);
    let level = side[index];
    if (level?.priceTicks !== priceTicks) {
      level = { isBid, priceTicks, sizeLots: 0, orders: [] };
      side.splice(index, 0, level);
    }
    order.level = level;
    level.orders.push(order);
    this.#resize(level, order.remainingLots);
  }

  /** Removes a resting order, and its level if it was the last one there. */
  #remove(order: Order, level: Level): void {
    order.level = undefined;
    removeFrom(level.orders, order);
    this.#resize(level, -order.remainingLots);
    if (level.orders.length > 0) return;
    this.side(level.isBid).splice(this.#indexOf(level.isBid, level.priceTicks), 1);
  }

  #match(taker: Order): void {
    while (taker.remainingLots > 0 && this.wouldTrade(taker.isBid, taker.priceTicks)) {
      const level = this.best(!taker.isBid);
      const maker = level?.orders[0];
      if (level === undefined || maker === undefined) return;
      const sizeLots = Math.min(maker.remainingLots, taker.remainingLots);
      taker.remainingLots -= sizeLots;
      taker.status = "partially_filled";
      maker.remainingLots -= sizeLots;
      maker.status = maker.remainingLots === 0 ? "filled" : "partially_filled";
      this.#resize(level, -sizeLots);
      if (maker.remainingLots === 0) this.#remove(maker, level);
      this.#onMatch(maker, taker, sizeLots);
    }
  }

  #resize(level: Level, byLots: number): void {
    level.sizeLots += byLots;
    this.touched.set(level.priceTicks * 2 + (level.isBid ? 1 : 0), level);
  }

  /** Index of the first level that is not worse than the price: where the price is, or would be inserted. */
  #indexOf(isBid: boolean, priceTicks: number): number {
    const side = this.side(isBid);
    let low = 0;
    let high = side.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const price = side[middle]?.priceTicks ?? priceTicks;
      if (isBid ? price < priceTicks : price > priceTicks) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

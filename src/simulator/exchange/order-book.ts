// The matching engine of one market: price-time priority, integers only. It knows neither money nor accounts, only their indexes.

/**
 * How an order may execute. `post-only`: it stays in the book, rejected if it would trade at once; `ioc`: the unfilled rest is
 * canceled; `market`: as `ioc`, at any price.
 */
export type Terms = "post-only" | "ioc" | "market";

type OrderStatus = "open" | "partially_filled" | "filled" | "canceled" | "rejected";

/** An order as requested. The price of a market order is ignored. */
export interface OrderRequest {
  readonly isBid: boolean;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly terms: Terms;
  readonly clientOrderId: number;
}

/** An order, changed only by the engine and the exchange; it rests in a book while `level` is set. */
export interface Order extends OrderRequest {
  readonly id: number;
  readonly account: number;
  readonly market: number;
  readonly createdAtUs: number;
  remainingLots: number;
  status: OrderStatus;
  level: Level | undefined;
}

export function isLive(order: Order): boolean {
  return order.status === "open" || order.status === "partially_filled";
}

interface Level {
  readonly priceTicks: number;
  sizeLots: number;
  /** Oldest first; never empty while the level is in a book. */
  readonly orders: Order[];
}

/** One side of a book. Only the book changes it. */
export interface BookSide {
  readonly isBid: boolean;
  /** Best price last, so that the busy end is cheap to change. */
  readonly levels: Level[];
}

export function bestOf({ levels }: BookSide): Level | undefined {
  return levels[levels.length - 1];
}

/** Index of the first level that is not worse than the price: where the price is, or would be inserted. */
function indexOf({ isBid, levels }: BookSide, priceTicks: number): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const price = levels[middle]?.priceTicks ?? priceTicks;
    if (isBid ? price < priceTicks : price > priceTicks) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function removeFrom(orders: Order[], order: Order): void {
  const index = orders.indexOf(order);
  if (index >= 0) orders.splice(index, 1);
}

/** Called for each match, after both orders have been reduced: one trade at the maker's price. */
export type OnMatch = (maker: Order, taker: Order, sizeLots: number) => void;

interface BookLevel {
  readonly isBid: boolean;
  readonly priceTicks: number;
  /** 0 if nothing rests there. */
  readonly sizeLots: number;
}

export class OrderBook {
  readonly bids: BookSide = { isBid: true, levels: [] };
  readonly asks: BookSide = { isBid: false, levels: [] };
  readonly #onMatch: OnMatch;
  /** Prices touched since the last clear: twice the ticks, plus 1 for a bid. */
  readonly #touched = new Set<number>();

  constructor(onMatch: OnMatch) {
    this.#onMatch = onMatch;
  }

  get isTouched(): boolean {
    return this.#touched.size > 0;
  }

  side(isBid: boolean): BookSide {
    return isBid ? this.bids : this.asks;
  }

  /** The best price of a side. */
  best(isBid: boolean): number | undefined {
    return bestOf(this.side(isBid))?.priceTicks;
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

  wouldTrade(isBid: boolean, priceTicks: number): boolean {
    const best = this.best(!isBid);
    if (best === undefined) return false;
    return isBid ? best <= priceTicks : best >= priceTicks;
  }

  /** All levels, bids first, the best of each side first. */
  levels(): BookLevel[] {
    return [this.bids, this.asks].flatMap(({ isBid, levels }) =>
      levels.map(({ priceTicks, sizeLots }) => ({ isBid, priceTicks, sizeLots })).reverse(),
    );
  }

  /** The levels changed since the last clear, each once, unordered. */
  touched(): BookLevel[] {
    return [...this.#touched].map((key) => {
      const isBid = key % 2 === 1;
      const priceTicks = (key - (isBid ? 1 : 0)) / 2;
      const side = this.side(isBid);
      const level = side.levels[indexOf(side, priceTicks)];
      const sizeLots = level?.priceTicks === priceTicks ? level.sizeLots : 0;
      return { isBid, priceTicks, sizeLots };
    });
  }

  clearTouched(): void {
    this.#touched.clear();
  }

  #add(order: Order): void {
    const side = this.side(order.isBid);
    const index = indexOf(side, order.priceTicks);
    let level = side.levels[index];
    if (level?.priceTicks !== order.priceTicks) {
      level = { priceTicks: order.priceTicks, sizeLots: 0, orders: [] };
      side.levels.splice(index, 0, level);
    }
    order.level = level;
    level.orders.push(order);
    level.sizeLots += order.remainingLots;
    this.#touch(order);
  }

  /** Removes a resting order, and its level if it was the last one there. */
  #remove(order: Order, level: Level): void {
    order.level = undefined;
    removeFrom(level.orders, order);
    level.sizeLots -= order.remainingLots;
    this.#touch(order);
    if (level.orders.length > 0) return;
    const side = this.side(order.isBid);
    side.levels.splice(indexOf(side, level.priceTicks), 1);
  }

  #match(taker: Order): void {
    const side = this.side(!taker.isBid);
    while (taker.remainingLots > 0 && this.wouldTrade(taker.isBid, taker.priceTicks)) {
      const level = bestOf(side);
      const maker = level?.orders[0];
      if (level === undefined || maker === undefined) return;
      const sizeLots = Math.min(maker.remainingLots, taker.remainingLots);
      taker.remainingLots -= sizeLots;
      taker.status = "partially_filled";
      maker.remainingLots -= sizeLots;
      maker.status = maker.remainingLots === 0 ? "filled" : "partially_filled";
      level.sizeLots -= sizeLots;
      this.#touch(maker);
      if (maker.remainingLots === 0) this.#remove(maker, level);
      this.#onMatch(maker, taker, sizeLots);
    }
  }

  #touch(order: Order): void {
    this.#touched.add(order.priceTicks * 2 + (order.isBid ? 1 : 0));
  }
}

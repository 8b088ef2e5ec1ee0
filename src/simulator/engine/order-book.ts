// The matching engine of one market: price-time priority, integers only. It knows neither money nor accounts, only their indexes.

/**
 * How an order may execute. `limit`: the unfilled rest stays in the book; `post-only`: rejected if it would trade at once;
 * `ioc`: the unfilled rest is canceled; `market`: as `ioc`, at any price.
 */
export type Terms = "limit" | "post-only" | "ioc" | "market";

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

/** Limit prices of market orders: every counter-order is within them. */
const MARKET_BID_TICKS = Number.MAX_SAFE_INTEGER;
const MARKET_ASK_TICKS = 0;

/**
 * Creates an order from a request.
 * @throws {RangeError} when price or size is not a positive safe integer
 */
export function createOrder(
  id: number,
  account: number,
  market: number,
  request: OrderRequest,
  createdAtUs: number,
): Order {
  const { isBid, sizeLots, terms, clientOrderId } = request;
  const isMarket = terms === "market";
  const anyPrice = isBid ? MARKET_BID_TICKS : MARKET_ASK_TICKS;
  const priceTicks = isMarket ? anyPrice : request.priceTicks;
  if (!Number.isSafeInteger(sizeLots) || sizeLots <= 0) {
    throw new RangeError(`not a size in lots: ${sizeLots}`);
  }
  if (!isMarket && (!Number.isSafeInteger(priceTicks) || priceTicks <= 0)) {
    throw new RangeError(`not a price in ticks: ${priceTicks}`);
  }
  // Spelled out: with object spread, trading takes twice as long.
  return {
    id,
    account,
    market,
    isBid,
    priceTicks,
    sizeLots,
    terms,
    clientOrderId,
    createdAtUs,
    remainingLots: sizeLots,
    status: "open",
    level: undefined,
  };
}

export function isLive(order: Order): boolean {
  return order.status === "open" || order.status === "partially_filled";
}

export interface Level {
  readonly priceTicks: number;
  sizeLots: number;
  /** Oldest first; never empty while the level is in a book. */
  readonly orders: Order[];
}

export class BookSide {
  /** Best price last, so that the busy end is cheap to change. Only this class changes it. */
  readonly levels: Level[] = [];
  /** 1 if a higher price is better (bids), -1 if a lower one is (asks). */
  readonly #direction: 1 | -1;

  constructor(isBid: boolean) {
    this.#direction = isBid ? 1 : -1;
  }

  get best(): Level | undefined {
    return this.levels[this.levels.length - 1];
  }

  levelAt(priceTicks: number): Level | undefined {
    const level = this.levels[this.#indexOf(priceTicks)];
    return level?.priceTicks === priceTicks ? level : undefined;
  }

  add(order: Order): void {
    const level = this.#levelFor(order.priceTicks);
    order.level = level;
    level.orders.push(order);
    level.sizeLots += order.remainingLots;
  }

  /** Removes a resting order, and its level when it was the last one there. */
  remove(order: Order, level: Level): void {
    order.level = undefined;
    removeFrom(level.orders, order);
    level.sizeLots -= order.remainingLots;
    if (level.orders.length > 0) return;
    if (this.best === level) this.levels.pop();
    else this.levels.splice(this.#indexOf(level.priceTicks), 1);
  }

  #levelFor(priceTicks: number): Level {
    const index = this.#indexOf(priceTicks);
    const existing = this.levels[index];
    if (existing?.priceTicks === priceTicks) return existing;
    const level: Level = { priceTicks, sizeLots: 0, orders: [] };
    this.levels.splice(index, 0, level);
    return level;
  }

  /** Index of the first level that is not worse than the price: where the price is, or would be inserted. */
  #indexOf(priceTicks: number): number {
    const { levels } = this;
    const target = priceTicks * this.#direction;
    let low = 0;
    let high = levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = levels[middle];
      if (level !== undefined && level.priceTicks * this.#direction < target) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function removeFrom(orders: Order[], order: Order): void {
  const index = orders.indexOf(order);
  if (index >= 0) orders.splice(index, 1);
}

/** Called for each match, after both orders have been reduced: one trade at the maker's price. */
export type OnMatch = (maker: Order, taker: Order, sizeLots: number) => void;

export interface TouchedLevel {
  readonly isBid: boolean;
  readonly priceTicks: number;
  /** Current size at this price; 0 if nothing rests there. */
  readonly sizeLots: number;
}

export class OrderBook {
  readonly bids = new BookSide(true);
  readonly asks = new BookSide(false);
  readonly #onMatch: OnMatch;
  /** Prices touched since the last clear: twice the ticks, plus 1 for a bid; may contain duplicates. */
  readonly #touched: number[] = [];

  constructor(onMatch: OnMatch) {
    this.#onMatch = onMatch;
  }

  get isTouched(): boolean {
    return this.#touched.length > 0;
  }

  side(isBid: boolean): BookSide {
    return isBid ? this.bids : this.asks;
  }

  /** Matches a new order; the rest enters the book or is canceled, according to its terms. */
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

  cancel(order: Order): void {
    const { level } = order;
    if (level === undefined) return;
    this.#touch(order);
    this.side(order.isBid).remove(order, level);
    order.status = "canceled";
  }

  wouldTrade(isBid: boolean, priceTicks: number): boolean {
    const { best } = this.side(!isBid);
    if (best === undefined) return false;
    return isBid ? best.priceTicks <= priceTicks : best.priceTicks >= priceTicks;
  }

  /** All levels, bids first, the best of each side first. */
  levels(): TouchedLevel[] {
    return [true, false].flatMap((isBid) =>
      this.side(isBid)
        .levels.map(({ priceTicks, sizeLots }) => ({ isBid, priceTicks, sizeLots }))
        .reverse(),
    );
  }

  /** The levels changed since the last clear, each once, unordered. */
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
    for (let maker = level.orders[0]; maker !== undefined; maker = level.orders[0]) {
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

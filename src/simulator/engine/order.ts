// One order on its way through the matching engine.
import type { Level } from "./book-side.ts";

/**
 * How an order may execute. `limit`: what does not trade at once rests; `post-only`: rejected when it
 * would trade at once; `ioc`: what does not trade at once is canceled; `market`: as `ioc`, at any price.
 */
export type Terms = "limit" | "post-only" | "ioc" | "market";

type OrderStatus = "open" | "partially_filled" | "filled" | "canceled" | "rejected";

/** What an account asks for. A market order has no price of its own: any integer is ignored. */
export interface OrderRequest {
  readonly isBid: boolean;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly terms: Terms;
  /** 0 for none. */
  readonly clientOrderId: number;
}

/** An order. Only the engine and the exchange change it; it rests in a book while `level` is set. */
export interface Order {
  readonly id: number;
  /** Index of the account that owns it. */
  readonly account: number;
  /** Index of the market that it is for. */
  readonly market: number;
  readonly isBid: boolean;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly terms: Terms;
  readonly clientOrderId: number;
  /** Simulated microseconds. */
  readonly createdAtUs: number;
  remainingLots: number;
  status: OrderStatus;
  /** Where it rests; undefined when it does not. */
  level: Level | undefined;
  /** Neighbours in the queue of its level: `ahead` trades first. */
  ahead: Order | undefined;
  behind: Order | undefined;
  /** Its place among the open orders of its account; -1 when it is not open. */
  slot: number;
}

/** The price that no counter-order can be beyond: market orders take what there is. */
const MARKET_BID_TICKS = Number.MAX_SAFE_INTEGER;
const MARKET_ASK_TICKS = 0;

/**
 * Makes a fresh order from a request.
 * @throws {RangeError} when price or size is not a whole number that JavaScript holds exactly, or not positive.
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
    ahead: undefined,
    behind: undefined,
    slot: -1,
  };
}

/** True for an order that rests in a book or may still do so. Never throws. */
export function isLive(order: Order): boolean {
  return order.status === "open" || order.status === "partially_filled";
}

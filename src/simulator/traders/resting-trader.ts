// People with limit orders: they place one somewhere near the market, wait, and think better of it.
import { isLive, type Order } from "../engine/order-book.ts";
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";
import { drawLots } from "./luck.ts";

/** How such people trade. `quote` is the size of an order in quote currency. */
export interface RestingStyle {
  /** Orders that it keeps at most. */
  readonly orders: number;
  /** How far from the best price most of them are, in millionths of the price. */
  readonly depthPpm: number;
  readonly quote: number;
  readonly periodMs: number;
}

/** Part of its actions in which it changes an order. */
const SECOND_THOUGHTS = 0.2;

/** Acts on a desk of its own. */
export class RestingTrader implements Actor {
  readonly #desk: Desk;
  readonly #style: RestingStyle;
  readonly #depth: number;
  readonly #lots: number;
  #orders: Order[] = [];

  constructor(desk: Desk, style: RestingStyle) {
    this.#desk = desk;
    this.#style = style;
    this.#depth = desk.ticksOf(style.depthPpm);
    this.#lots = desk.lotsOf(style.quote);
  }

  act(): number {
    this.#orders = this.#orders.filter(isLive);
    const isFull = this.#orders.length >= this.#style.orders;
    const index = Math.floor(this.#desk.random() * this.#orders.length);
    const order = this.#orders[index];
    if (order !== undefined && this.#desk.random() < SECOND_THOUGHTS) this.#amend(order, index);
    else if (order !== undefined && isFull) this.#desk.cancel(order);
    else this.#place();
    return this.#desk.chanceUs(this.#style.periodMs);
  }

  /** Halves an order where it stands, or moves it a little away from the market. */
  #amend(order: Order, index: number): void {
    const { exchange, random } = this.#desk;
    const half = Math.ceil(order.remainingLots / 2);
    const away = Math.ceil(this.#depth * random() * 0.2) * (order.isBid ? -1 : 1);
    const price = random() < 0.5 ? order.priceTicks : Math.max(1, order.priceTicks + away);
    this.#orders[index] = exchange.replace(order, price, half);
  }

  #place(): void {
    const { random, market, inventoryLots } = this.#desk;
    const lean = Math.max(-0.4, Math.min(0.4, inventoryLots / (this.#lots * 20)));
    const isBid = random() < 0.5 - lean;
    const { best } = market.book.side(isBid);
    if (best === undefined) return;
    const away = Math.floor(this.#depth * random() * random() * 2);
    const price = isBid ? best.priceTicks - away : best.priceTicks + away;
    const order = this.#desk.rest(isBid, price, drawLots(random, this.#lots));
    if (order !== undefined) this.#orders.push(order);
  }
}

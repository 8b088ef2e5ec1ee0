// A joiner keeps one order on each side at or just inside the best price: it makes the spread narrow.
import { isLive, type Order } from "../engine/order-book.ts";
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";

/** How a joiner trades. */
export interface JoinerStyle {
  /** How far from the fair price it dares to go, in millionths of the price. */
  readonly darePpm: number;
  /** Size of an order in quote currency. */
  readonly quote: number;
  readonly periodMs: number;
}

/** Spread in ticks that it is content with. */
const NARROW_TICKS = 3;
/** It gives up a side on which it holds this many orders' worth. */
const FULL = 40;

/** Acts on a desk of its own. */
export class Joiner implements Actor {
  readonly #desk: Desk;
  readonly #style: JoinerStyle;
  readonly #dare: number;
  readonly #lots: number;
  #bid: Order | undefined;
  #ask: Order | undefined;

  constructor(desk: Desk, style: JoinerStyle) {
    this.#desk = desk;
    this.#style = style;
    this.#dare = desk.ticksOf(style.darePpm);
    this.#lots = desk.lotsOf(style.quote);
  }

  act(): number {
    this.#bid = this.#join(this.#bid, true);
    this.#ask = this.#join(this.#ask, false);
    return this.#desk.waitUs(this.#style.periodMs);
  }

  #join(order: Order | undefined, isBid: boolean): Order | undefined {
    const { market, fair } = this.#desk;
    const ours = market.book.side(isBid).best;
    const theirs = market.book.side(!isBid).best;
    if (ours === undefined || theirs === undefined) return order;
    const isStanding = order !== undefined && isLive(order);
    const farthest = isBid ? fair.ticks + this.#dare : fair.ticks - this.#dare;
    const dares = (price: number) => (isBid ? price <= farthest : price >= farthest);
    if (isStanding && order.priceTicks === ours.priceTicks && dares(order.priceTicks)) return order;
    if (isStanding) this.#desk.cancel(order);
    const load = (isBid ? 1 : -1) * this.#desk.inventoryLots;
    const price = this.#inside(ours.priceTicks, theirs.priceTicks);
    if (load > this.#lots * FULL || !dares(price)) return undefined;
    return this.#desk.rest(isBid, price, this.#size());
  }

  /** Joins the best price while the spread is narrow; else goes inside it, most of the way to the other side. */
  #inside(ours: number, theirs: number): number {
    const spread = Math.abs(theirs - ours);
    if (spread <= NARROW_TICKS) return ours;
    const left = 1 + Math.floor(this.#desk.random() * NARROW_TICKS);
    return theirs - Math.sign(theirs - ours) * left;
  }

  #size(): number {
    return Math.max(1, Math.round(this.#lots * (0.3 + 1.4 * this.#desk.random())));
  }
}

// A market maker: a ladder of orders on both sides of the fair price, on a grid, so that a small move of
// the price changes only the ends of the ladder.
import { isLive, type Order } from "../engine/order-book.ts";
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";

/** A ladder, and how often it is looked after. */
export interface LadderStyle {
  readonly levels: number;
  /** Distance between levels, and from the fair price to the first one, in millionths of the price. */
  readonly gridPpm: number;
  readonly gapPpm: number;
  /** Size of the first level in quote currency; deeper levels grow to three times of it. */
  readonly quote: number;
  readonly periodMs: number;
}

/** Inventory at which the ladder is moved by its whole gap and grid, in first-level sizes. */
const FULL_SKEW = 30;
/** An order with less than this part of its size left is made anew. */
const WORN = 1 / 3;

/** Acts on a desk of its own. */
export class MarketMaker implements Actor {
  readonly #desk: Desk;
  readonly #style: LadderStyle;
  readonly #grid: number;
  readonly #gap: number;
  readonly #lots: number;
  readonly #bids: (Order | undefined)[];
  readonly #asks: (Order | undefined)[];

  constructor(desk: Desk, style: LadderStyle) {
    this.#desk = desk;
    this.#style = style;
    this.#grid = desk.ticksOf(style.gridPpm);
    this.#gap = desk.ticksOf(style.gapPpm);
    this.#lots = desk.lotsOf(style.quote);
    this.#bids = new Array(style.levels).fill(undefined);
    this.#asks = new Array(style.levels).fill(undefined);
  }

  act(): number {
    const { fair, inventoryLots } = this.#desk;
    const load = inventoryLots / (this.#lots * FULL_SKEW);
    const centre = fair.ticks - Math.round(load * (this.#gap + this.#grid));
    const bid = Math.floor((centre - this.#gap) / this.#grid) * this.#grid;
    const ask = Math.ceil((centre + this.#gap) / this.#grid) * this.#grid;
    // Both sides are cleared before either is filled, so that new bids do not meet its own old asks.
    this.#clear(this.#bids, bid, -this.#grid);
    this.#clear(this.#asks, ask, this.#grid);
    this.#fill(this.#bids, bid, -this.#grid);
    this.#fill(this.#asks, ask, this.#grid);
    return this.#desk.waitUs(this.#style.periodMs);
  }

  /** Moves one side to begin at a price: what is still in place stays, the rest is canceled. */
  #clear(orders: (Order | undefined)[], firstTicks: number, stepTicks: number): void {
    const old = orders.filter((order) => order !== undefined && isLive(order));
    orders.fill(undefined);
    for (const order of old) {
      if (order === undefined) continue;
      const level = (order.priceTicks - firstTicks) / stepTicks;
      const isWorn = order.remainingLots < order.sizeLots * WORN;
      if (level >= 0 && level < orders.length && !isWorn) orders[level] = order;
      else this.#desk.cancel(order);
    }
  }

  #fill(orders: (Order | undefined)[], firstTicks: number, stepTicks: number): void {
    for (let level = 0; level < orders.length; level++) {
      orders[level] ??= this.#desk.rest(
        stepTicks < 0,
        firstTicks + level * stepTicks,
        this.#sizeAt(level),
      );
    }
  }

  #sizeAt(level: number): number {
    const depth = 1 + (2 * level) / this.#style.levels;
    return Math.max(1, Math.round(this.#lots * depth * (0.4 + 1.2 * this.#desk.random())));
  }
}

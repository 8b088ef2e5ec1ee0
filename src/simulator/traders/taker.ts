// Takers: people who buy and sell at the market, in bursts, and now and then through several levels at once.
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";
import { drawLots } from "./luck.ts";

/** How a taker trades. */
export interface TakerStyle {
  /** Mean size of an order in quote currency. */
  readonly quote: number;
  /** Mean wait between bursts, and between the orders of one. */
  readonly periodMs: number;
  readonly burstMs: number;
  /** Orders of a burst at most. */
  readonly burst: number;
  /** How far beyond the best price an order may reach, in millionths of the price. */
  readonly reachPpm: number;
}

/** Position, in mean orders, at which the taker only wants to get out. */
const FULL = 120;

/** Acts on a desk of its own. */
export class Taker implements Actor {
  readonly #desk: Desk;
  readonly #style: TakerStyle;
  readonly #lots: number;
  readonly #reach: number;
  #left = 0;
  #isBid = true;

  constructor(desk: Desk, style: TakerStyle) {
    this.#desk = desk;
    this.#style = style;
    this.#lots = desk.lotsOf(style.quote);
    this.#reach = desk.ticksOf(style.reachPpm);
  }

  act(): number {
    const { random } = this.#desk;
    if (this.#left === 0) this.#startBurst();
    this.#left--;
    this.#desk.take(this.#isBid, drawLots(random, this.#lots), this.#reach);
    return this.#left > 0
      ? this.#desk.chanceUs(this.#style.burstMs)
      : this.#desk.chanceUs(this.#style.periodMs);
  }

  #startBurst(): void {
    const { random, inventoryLots } = this.#desk;
    const lean = Math.max(-0.5, Math.min(0.5, (inventoryLots / (this.#lots * FULL)) * 0.5));
    this.#isBid = random() < 0.5 - lean;
    this.#left = 1 + Math.floor(random() * random() * this.#style.burst);
  }
}

// A trend follower compares the price with where it has been: it buys what rises, sells what falls, and
// leaves when the trend does.
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";

/** How a trend follower trades. */
export interface TrendStyle {
  /** Distance from the average that counts as a trend, in millionths of the price. */
  readonly trendPpm: number;
  /** Size of an order in quote currency; a position is at most five of them. */
  readonly quote: number;
  readonly periodMs: number;
}

const MEMORY = 24;
const FULL = 5;

/** Acts on a desk of its own. */
export class TrendFollower implements Actor {
  readonly #desk: Desk;
  readonly #style: TrendStyle;
  readonly #trend: number;
  readonly #lots: number;
  #average: number;

  constructor(desk: Desk, style: TrendStyle) {
    this.#desk = desk;
    this.#style = style;
    this.#trend = desk.ticksOf(style.trendPpm);
    this.#lots = desk.lotsOf(style.quote);
    this.#average = desk.market.midTicks;
  }

  act(): number {
    const mid = this.#desk.market.midTicks;
    this.#average += Math.round((mid - this.#average) / MEMORY);
    const distance = mid - this.#average;
    const wanted = Math.abs(distance) < this.#trend ? 0 : Math.sign(distance);
    this.#lean(wanted * this.#lots * FULL);
    return this.#desk.waitUs(this.#style.periodMs);
  }

  #lean(wantedLots: number): void {
    const missing = wantedLots - this.#desk.inventoryLots;
    if (missing === 0) return;
    const lots = Math.min(this.#lots, Math.abs(missing));
    this.#desk.take(missing > 0, lots, this.#trend);
  }
}

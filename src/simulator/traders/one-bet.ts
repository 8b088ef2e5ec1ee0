// Somebody who goes long once and keeps the position for good.
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";

/** The book needs a moment to fill; later attempts come as far apart. */
const PATIENCE_US = 3_000_000;

/** Acts until the position is as large as it is to be. */
export class OneBet implements Actor {
  readonly #desk: Desk;
  readonly #lots: number;

  /** @param quote size in quote currency */
  constructor(desk: Desk, quote: number) {
    this.#desk = desk;
    this.#lots = desk.lotsOf(quote);
  }

  act(nowUs: number): number {
    const missing = this.#lots - this.#desk.inventoryLots;
    if (nowUs < PATIENCE_US) return PATIENCE_US;
    if (missing <= 0) return Number.MAX_SAFE_INTEGER / 4;
    this.#desk.take(true, missing, this.#desk.ticksOf(100));
    return PATIENCE_US;
  }
}

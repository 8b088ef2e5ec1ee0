// An arbitrageur takes orders that the fair price has left behind: it is what moves the book after the price.
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";

/** How an arbitrageur trades. */
export interface ArbitrageStyle {
  /** How stale a price must be, in millionths of it. */
  readonly edgePpm: number;
  /** Size of an order in quote currency. */
  readonly quote: number;
  readonly periodMs: number;
}

/** Acts on a desk of its own. */
export class Arbitrageur implements Actor {
  readonly #desk: Desk;
  readonly #style: ArbitrageStyle;
  readonly #edge: number;
  readonly #lots: number;

  constructor(desk: Desk, style: ArbitrageStyle) {
    this.#desk = desk;
    this.#style = style;
    this.#edge = desk.ticksOf(style.edgePpm);
    this.#lots = desk.lotsOf(style.quote);
  }

  act(): number {
    const { market, fair } = this.#desk;
    const { ticks } = fair;
    const ask = market.book.asks.best?.priceTicks ?? ticks;
    const bid = market.book.bids.best?.priceTicks ?? ticks;
    if (ask < ticks - this.#edge) this.#take(true, ticks - this.#edge - ask);
    else if (bid > ticks + this.#edge) this.#take(false, bid - ticks - this.#edge);
    return this.#desk.waitUs(this.#style.periodMs);
  }

  #take(isBid: boolean, reachTicks: number): void {
    const { random } = this.#desk;
    const lots = Math.max(1, Math.round(this.#lots * (0.5 + random())));
    this.#desk.take(isBid, lots, reachTicks);
  }
}

import { type Clock, pause } from "../units/clock.ts";

/** At once, while a market opens. */
const BURST = 7;

/** Background requests share one: a burst at first, then so many a second, first come, first served. */
export class RequestBudget {
  readonly #clock: Clock;
  readonly #stepMs: number;
  /** Monotonic time at which the requests so far would be over without a burst. */
  #spentUntilMs = Number.NEGATIVE_INFINITY;

  /** @param perSecond greater than zero */
  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#stepMs = 1000 / perSecond;
  }

  /** Resolves when one request may be made. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.now();
    this.#spentUntilMs = Math.max(this.#spentUntilMs, nowMs) + this.#stepMs;
    const waitMs = this.#spentUntilMs - BURST * this.#stepMs - nowMs;
    if (waitMs > 0) await pause(this.#clock, waitMs, signal);
  }
}

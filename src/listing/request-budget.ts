import { type Clock, pause } from "../units/clock.ts";

/** Requests allowed while a market opens: within its first second, and within three. */
const FIRST_SECOND = 9;
const FIRST_THREE_SECONDS = 15;

/** Background requests share one: a burst at first, then so many a second, first come, first served. */
export class RequestBudget {
  readonly #clock: Clock;
  readonly #stepMs: number;
  readonly #burstMs: number;
  /** Monotonic time at which the requests so far would be over without a burst. */
  #spentUntilMs = Number.NEGATIVE_INFINITY;

  /** @param perSecond greater than zero */
  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#stepMs = 1000 / perSecond;
    const burst = Math.min(FIRST_SECOND - perSecond, FIRST_THREE_SECONDS - 3 * perSecond);
    this.#burstMs = Math.max(1, burst) * this.#stepMs;
  }

  /** Resolves when one request may be made. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.now();
    this.#spentUntilMs = Math.max(this.#spentUntilMs, nowMs) + this.#stepMs;
    const waitMs = this.#spentUntilMs - this.#burstMs - nowMs;
    if (waitMs > 0) await pause(this.#clock, waitMs, signal);
  }
}

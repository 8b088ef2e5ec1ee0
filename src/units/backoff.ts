// Exponential backoff with jitter. The caller supplies the randomness.
import type { Random } from "./random.ts";

/** Delays double from `firstMs` up to `capMs`; each is randomised over its upper half. */
export interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
  /** Randomised share of the delay at the cap, if not half: bounds the rate of attempts. */
  readonly capSpread?: number;
}

export interface RetryBackoff extends Backoff {
  /** An attempt has succeeded if what it brought has lasted this long. */
  readonly lastingMs: number;
  /** How many failures count at most after an attempt that brought something. */
  readonly maxFailuresAfterUpdate?: number;
  /** True if there is no delay before the first attempt. */
  readonly isFirstAtOnce?: boolean;
}

/** Reconnects of the stream: at most about 160 attempts an hour, jittered so that many clients do not reconnect at once. */
export const reconnectBackoff: Backoff = { firstMs: 500, capMs: 30_000 };
/** Subscriptions rejected with 503: at most 70 attempts an hour that bring nothing; those that bring something at least 4 s apart. */
export const unavailableBackoff: RetryBackoff = {
  firstMs: 1000,
  capMs: 60_000,
  capSpread: 0.1,
  lastingMs: 2000,
  maxFailuresAfterUpdate: 4,
};
export const resyncBackoff: RetryBackoff = {
  firstMs: 1000,
  capMs: 30_000,
  lastingMs: 10_000,
  isFirstAtOnce: true,
};

/**
 * Delay before the attempt that follows `failures` failed ones: none after 0, then doubling.
 * The lower half of each step is never used, so that a service that fails immediately is not flooded.
 * @returns milliseconds, possibly fractional
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: Random): number {
  if (failures <= 0) return 0;
  const { firstMs, capMs, capSpread = 0.5 } = backoff;
  const step = Math.min(capMs, firstMs * 2 ** Math.min(failures - 1, 30));
  const spread = step === capMs ? capSpread : 0.5;
  return step * (1 - spread + random() * spread);
}

/** Delays of repeated attempts, which start over after one that succeeded. */
export class RetryDelays {
  readonly #backoff: RetryBackoff;
  #failures = 0;

  constructor(backoff: RetryBackoff) {
    this.#backoff = backoff;
  }

  /**
   * @param lastedMs how long what the last attempt brought has lasted; undefined if it brought nothing
   * @returns milliseconds, possibly fractional
   */
  next(lastedMs: number | undefined, random: Random): number {
    const { lastingMs, maxFailuresAfterUpdate = Number.POSITIVE_INFINITY } = this.#backoff;
    this.#failures++;
    if (lastedMs !== undefined) this.#failures = Math.min(this.#failures, maxFailuresAfterUpdate);
    if ((lastedMs ?? 0) >= lastingMs) this.#failures = 1;
    const failures = this.#backoff.isFirstAtOnce ? this.#failures - 1 : this.#failures;
    return backoffDelayMs(this.#backoff, failures, random);
  }
}

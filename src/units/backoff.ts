// How long to wait before trying again. Pure: the caller counts failures and brings the randomness.
import type { Random } from "./random.ts";

/** Delays grow from `firstMs` by doubling to `capMs`; each is spread over its upper half. */
export interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
  /** Share of a step at the cap that is random, where it is not half: the rate of tries stays bounded. */
  readonly capSpread?: number;
}

/** Reconnects of the stream: at most about 160 attempts an hour in the worst case, spread over many clients. */
export const reconnectBackoff: Backoff = { firstMs: 500, capMs: 30_000 };
/** Subscriptions that the service answers with 503: at most 70 tries an hour. */
export const unavailableBackoff: Backoff = { firstMs: 1000, capMs: 60_000, capSpread: 0.1 };
export const resyncBackoff: Backoff = { firstMs: 1000, capMs: 30_000 };
/** REST requests, tried again at most four times, or for as long as the service says that it is unavailable. */
export const requestBackoff: Backoff = { firstMs: 500, capMs: 30_000 };

/**
 * Delay before the attempt that follows `failures` failed ones: at once after none, then doubling.
 * The lower half of each step is never used, so that a service that fails at once is never stormed.
 * @returns milliseconds, maybe with a fraction.
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: Random): number {
  if (failures <= 0) return 0;
  const { firstMs, capMs, capSpread = 0.5 } = backoff;
  const step = Math.min(capMs, firstMs * 2 ** Math.min(failures - 1, 30));
  const spread = step === capMs ? capSpread : 0.5;
  return step * (1 - spread + random() * spread);
}

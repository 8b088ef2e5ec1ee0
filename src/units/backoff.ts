// Exponential backoff with jitter. The caller supplies the randomness.
import type { Random } from "./random.ts";

/**
 * Delay before the attempt that follows `failures` failed ones: none after 0, then doubling up to `capMs`.
 * The lower half of each step is never used, so that a service that fails immediately is not flooded.
 * @returns milliseconds, possibly fractional
 */
export function backoffDelayMs(
  { firstMs, capMs }: { readonly firstMs: number; readonly capMs: number },
  failures: number,
  random: Random,
): number {
  if (failures <= 0) return 0;
  const step = Math.min(capMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return step * (0.5 + random() * 0.5);
}

// Until when a listing can be taken for whole.
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";

/** How long a listing may take until it has a trade, where nothing newer in it shows that it does. */
const LISTING_LAG_MS = 15_000;

/**
 * Unix milliseconds by the clock of the service until which a listing that is asked now is taken for whole, although
 * nothing newer is listed; negative infinity where that clock is not known. Interpretation: docs/adr/0016.
 */
export function listingWholeUntilMs({ link }: Pick<Store, "link">, clock: Clock): number {
  if (link?.skewMs === undefined) return Number.NEGATIVE_INFINITY;
  return clock.wall() - link.skewMs - LISTING_LAG_MS;
}

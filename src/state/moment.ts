// What is shown is a function of a moment: live, frozen, past and replayed differ in nothing else.
import type { Store } from "./store.ts";

export interface Moment {
  readonly store: Store;
  /** Monotonic milliseconds, by which the ages in the store count. */
  readonly nowMs: number;
  /** Unix milliseconds of our clock. */
  readonly wallMs: number;
}

/** Unix milliseconds by the service's clock, however wrong ours is or has been set; by ours before the service has told the time. */
export function serviceMs({ store, nowMs, wallMs }: Moment): number {
  const { offsetMs } = store.link;
  return offsetMs === undefined ? wallMs : nowMs - offsetMs;
}

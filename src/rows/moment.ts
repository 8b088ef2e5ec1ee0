// What is shown is a function of a moment: live, frozen, past and replayed differ in nothing else.
import type { Store } from "../state/store.ts";

export interface Moment {
  readonly store: Store;
  /** Monotonic milliseconds, by which the ages in the store count. */
  readonly nowMs: number;
  /** Unix milliseconds of our clock. */
  readonly wallMs: number;
}

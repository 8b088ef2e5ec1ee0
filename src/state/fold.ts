// What a kind of channel makes of its updates. States are plain data: object, Map, array, string, number. What stands in a list or Map is
// replaced, never changed: copies share it.
import type { Dialect, Finding } from "../dialect/dialect.ts";
import type { Place } from "../stream/chain.ts";
import type { Kind, Update } from "../wire/frames.ts";

export interface Context {
  readonly dialect: Dialect;
  readonly place: Place;
  /** A first frame before which nothing is known to have been missed: what it differs in is evidence. */
  readonly isContinuous: boolean;
  /** Monotonic. */
  readonly nowMs: number;
}

export interface Fold<State, K extends Kind> {
  empty(): State;
  /** Changes the state in place. */
  apply(state: State, update: Update<K>, context: Context): readonly Finding[];
}

export const NO_FINDINGS: readonly Finding[] = [];

// An answer of a listing, and what is concluded from all of them.
import type { Bracket } from "./cursors.ts";
import type { Place } from "./known-rows.ts";

/** An answer, and where it stands. */
export interface Look<T> extends Place<T> {
  readonly cursor: bigint | undefined;
  readonly limit: number;
  readonly rows: readonly T[];
}

/** Shows rows that are not known, joined or not. */
export function isFound<T>(look: Look<T>): boolean {
  return look.side === "below" || look.beyond.length > 0;
}

/** The end of a bracket that this answer moves. */
export function sideOf<T>(look: Look<T>): keyof Bracket {
  return look.side === "empty" || isFound(look) ? "low" : "high";
}

export interface Verdict {
  readonly isComplete: boolean;
  /** The proof, or why there is none. */
  readonly why: string;
}

export function unproven(why: string): Verdict {
  return { isComplete: false, why };
}

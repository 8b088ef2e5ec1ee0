// What part of a listing is asked for: a stretch of time, or a number of rows from the newest.
import type { Reach } from "./verdict.ts";

/** All optional; times are Unix milliseconds, both ends included. */
export interface Bounds {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Most rows to take. */
  readonly max?: number | undefined;
}

/** Lets through the rows inside the bounds, and knows when there can be no more. */
export class BoundsGate<T> {
  readonly #bounds: Bounds;
  readonly #timeMs: (record: T) => number;
  #taken: number;

  /** @param taken rows that an earlier run let through */
  constructor(bounds: Bounds, timeMs: (record: T) => number, taken = 0) {
    this.#bounds = bounds;
    this.#timeMs = timeMs;
    this.#taken = taken;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @param rows newest first, following those that were passed before */
  pass(rows: readonly T[]): { readonly rows: readonly T[]; readonly reached: Reach | undefined } {
    const { untilMs = Number.POSITIVE_INFINITY } = this.#bounds;
    const begin = rows.findIndex((row) => this.#timeMs(row) <= untilMs);
    if (begin < 0) return { rows: [], reached: undefined };
    const past = rows.findIndex((row, i) => i >= begin && this.#isPast(row));
    const inside = rows.slice(begin, past < 0 ? undefined : past);
    const left = this.#left;
    if (inside.length >= left) {
      this.#taken += left;
      return { rows: inside.slice(0, left), reached: "max" };
    }
    this.#taken += inside.length;
    return { rows: inside, reached: past < 0 ? undefined : "since" };
  }

  /** True when rows after this one may be wanted, as far as can be said beforehand. */
  goesOnAfter(row: Partial<T>, pageRows: number): boolean {
    return this.#left > pageRows && !this.#isPast(row as T);
  }

  get #left(): number {
    return (this.#bounds.max ?? Number.POSITIVE_INFINITY) - this.#taken;
  }

  #isPast(row: T): boolean {
    const { sinceMs } = this.#bounds;
    return sinceMs !== undefined && this.#timeMs(row) < sinceMs;
  }
}

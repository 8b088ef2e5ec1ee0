// Cursors: between which two the next page must begin, what has been answered at them, and where to look for more rows below
// the last one.
import type { RowKey } from "./known-rows.ts";

/** The largest value that `before` can take (int64). */
export const MAX_CURSOR = (1n << 63n) - 1n;

/** Magnitudes further apart than this many bits are halved before the numbers are. */
const FAR_BITS = 2;

/** What the answer at the lower end was: never asked, without rows, older than the last known row, or refused. */
type Low = "unasked" | "empty" | "older" | "refused";

/**
 * A range that narrows: the first row of an answer that has rows is a monotone function of `before`. An answer without rows
 * says little: a service may look only so far back. `high`: the answer there begins at or above the last known row; `low`:
 * it does not. At first `low` is -1, which was never asked.
 */
export class CursorBounds {
  low = -1n;
  lowKind: Low = "unasked";
  high: bigint;
  /** False while `high` is only where the search began, or where cursors are refused. */
  isHighAnswered: boolean;
  /** Where the index of the newest row is known, the last known one is mostly near below: that far is found out first. */
  top: bigint | undefined;

  constructor(high: bigint, isAnswered = false) {
    this.high = high;
    this.isHighAnswered = isAnswered;
  }

  /** True when a cursor is strictly inside: only there can an answer teach anything. */
  contains(cursor: bigint): boolean {
    return cursor > this.low && cursor < this.high;
  }

  /** An answer begins at or above the last known row; or the cursor is refused for being too high. */
  tooHigh(cursor: bigint, isAnswered = true): void {
    if (cursor === this.high) this.isHighAnswered ||= isAnswered;
    if (!this.contains(cursor)) return;
    this.high = cursor;
    this.isHighAnswered = isAnswered;
  }

  /** An answer has no row that is known. */
  tooLow(cursor: bigint, kind: Low): void {
    if (!this.contains(cursor)) return;
    this.low = cursor;
    this.lowKind = kind;
  }

  /** Looks again anywhere below `high`: rows were found below what seemed to be the end. */
  reopen(): void {
    this.low = -1n;
    this.lowKind = "unasked";
  }

  /** The cursor to ask next; undefined when there is none between. */
  middle(): bigint | undefined {
    if (this.high - this.low <= 1n) return undefined;
    if (this.top !== undefined && this.top >= this.high) {
      const [near, far] = [countBits(this.top - this.high), countBits(this.top - this.low)];
      if (far - near > FAR_BITS) return this.top - (1n << BigInt((near + far) >> 1));
    }
    const [lowBits, highBits] = [countBits(this.low), countBits(this.high)];
    // The index may be a row number or a time in nanoseconds: first find its magnitude.
    if (highBits - lowBits > FAR_BITS) return 1n << BigInt((lowBits + highBits) >> 1);
    return (this.low + this.high) >> 1n;
  }
}

function countBits(value: bigint): number {
  return value <= 0n ? 0 : value.toString(2).length;
}

/** Answers that are kept at most; each search needs about as many as a cursor has bits. */
const MOST_NOTES = 192;

/** Cursors and the first rows of their answers; undefined for an answer without rows. */
export class CursorNotes {
  readonly #notes = new Map<bigint, RowKey | undefined>();

  get all(): Iterable<readonly [cursor: bigint, first: RowKey | undefined]> {
    return this.#notes;
  }

  firstAt(cursor: bigint): RowKey | undefined {
    return this.#notes.get(cursor);
  }

  note(cursor: bigint, first: RowKey | undefined): void {
    this.#notes.delete(cursor);
    this.#notes.set(cursor, first);
    if (this.#notes.size <= MOST_NOTES) return;
    const [oldest] = this.#notes.keys();
    if (oldest !== undefined) this.#notes.delete(oldest);
  }

  /** Lets go of cursors above this one: their answers begin too far above to matter. */
  forgetAbove(cursor: bigint): void {
    for (const each of this.#notes.keys()) if (each > cursor) this.#notes.delete(each);
  }
}

/** Each probe lies so much further below than the one before it, in thousandths: 1.5 times, or less where it must. */
const RATIO = 1500n;
const LEAST_RATIO = 1020n;
const UNIT = 1000n;
/** Nearer than the span of a page the steps are wider: what lies there is mostly in reach of answers from above. */
const NEAR_DIVISORS = [2n, 2n, 2n, 2n, 4n, 4n, 4n, 4n, 4n, 4n];

interface ProbeRange {
  /** The cursor whose answer holds the last row; below it none has been found. At least 1. */
  readonly high: bigint;
  /** Index units that a page spans; at least 1. */
  readonly span: bigint;
  readonly most: number;
  /** Look at as many positions as may be: the service is known to look only so far back. */
  readonly isDense?: boolean;
  /** Moves all but the nearest and the last one by this share of a step: two passes look at different positions. */
  readonly isShifted: boolean;
}

/**
 * Where to look below the last row before a listing is said to end there: a service may look only so far back from a cursor,
 * so that "nothing just below" is not "nothing below".
 * @returns cursors below `high`, the nearest first: one just below it, some within the span of a page, then at distances that
 * grow by half each time, or as slowly as `most` allows, down to 1. Where that would be too many, they grow faster.
 */
export function probeCursors({
  high,
  span,
  most,
  isDense = false,
  isShifted,
}: ProbeRange): readonly bigint[] {
  const near: bigint[] = [];
  let distance = span;
  for (const divisor of NEAR_DIVISORS.slice(0, most >> 2)) {
    distance /= divisor;
    near.unshift(distance);
  }
  const left = Math.max(1, most - near.length - 2);
  const [least, needed] = [isDense ? LEAST_RATIO : RATIO, getRatio(high, span, left)];
  const ratio = least > needed ? least : needed;
  const far: bigint[] = [];
  for (let each = span; each < high && far.length < left; each = nextDistance(each, ratio)) {
    far.push(each);
  }
  const moved = [...near, ...far].map((each) => (isShifted ? (each * 6n) / 5n : each));
  const distances = [1n, ...moved, high - 1n].filter((each) => each > 0n && each < high);
  return [...new Set(distances)]
    .sort((a, b) => (a < b ? -1 : 1))
    .slice(0, most)
    .map((each) => high - each);
}

function nextDistance(distance: bigint, ratio: bigint): bigint {
  const further = (distance * ratio) / UNIT;
  return further > distance ? further : distance + 1n;
}

/** By what distances must grow to get from a span to all that is below within so many steps; in thousandths. */
function getRatio(high: bigint, span: bigint, steps: number): bigint {
  if (span >= high) return 0n;
  const ratio = Math.exp(Math.log(Number(high) / Number(span)) / steps);
  return BigInt(Math.ceil(ratio * Number(UNIT)));
}

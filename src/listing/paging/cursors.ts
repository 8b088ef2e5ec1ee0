// Cursors: the range in which the next page must begin, the answers so far, and where to look below the last row.
import type { RowKey } from "./known-rows.ts";

/** The largest value that `before` can take (int64). */
export const MAX_CURSOR = (1n << 63n) - 1n;

/** Magnitudes that differ by more bits are bisected before the values are. */
const FAR_BITS = 2;

/** The answer at the lower end. */
type Low = "unasked" | "empty" | "older" | "refused";

/**
 * A range that narrows: the first row of a non-empty answer is a monotone function of `before`. An empty answer says little: a
 * service may look back only so far. The answer at `high` begins at or above the last known row; that at `low`, which
 * starts at -1, does not.
 */
export class CursorBounds {
  low = -1n;
  lowKind: Low = "unasked";
  high: bigint;
  /** False while nothing was answered at `high`, or cursors there are refused. */
  isHighAnswered: boolean;
  /** The index of the newest row, where it is known: the last known row is mostly not far below. */
  top: bigint | undefined;

  constructor(high: bigint, isAnswered = false) {
    this.high = high;
    this.isHighAnswered = isAnswered;
  }

  /** Only strictly inside can an answer teach anything. */
  contains(cursor: bigint): boolean {
    return cursor > this.low && cursor < this.high;
  }

  /** The answer begins at or above the last known row, or the cursor is refused for being too high. */
  tooHigh(cursor: bigint, isAnswered = true): void {
    if (cursor === this.high) this.isHighAnswered ||= isAnswered;
    if (!this.contains(cursor)) return;
    this.high = cursor;
    this.isHighAnswered = isAnswered;
  }

  tooLow(cursor: bigint, kind: Low): void {
    if (!this.contains(cursor)) return;
    this.low = cursor;
    this.lowKind = kind;
  }

  /** Rows were found below the apparent end. */
  reopen(): void {
    this.low = -1n;
    this.lowKind = "unasked";
  }

  /** The next cursor to ask; undefined when there is none between. */
  middle(): bigint | undefined {
    if (this.high - this.low <= 1n) return undefined;
    if (this.top !== undefined && this.top >= this.high) {
      const [near, far] = [countBits(this.top - this.high), countBits(this.top - this.low)];
      if (far - near > FAR_BITS) return this.top - (1n << BigInt((near + far) >> 1));
    }
    const [lowBits, highBits] = [countBits(this.low), countBits(this.high)];
    // A row number, or nanoseconds? The magnitude comes first.
    if (highBits - lowBits > FAR_BITS) return 1n << BigInt((lowBits + highBits) >> 1);
    return (this.low + this.high) >> 1n;
  }
}

function countBits(value: bigint): number {
  return value <= 0n ? 0 : value.toString(2).length;
}

/** Each search needs about as many as a cursor has bits. */
const MAX_NOTES = 192;

/** The first row of the answer at each cursor; undefined for an empty one. */
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
    if (this.#notes.size <= MAX_NOTES) return;
    const [oldest] = this.#notes.keys();
    if (oldest !== undefined) this.#notes.delete(oldest);
  }

  /** Their answers begin too far above to matter. */
  forgetAbove(cursor: bigint): void {
    for (const each of this.#notes.keys()) if (each > cursor) this.#notes.delete(each);
  }
}

/** Growth of the distance from probe to probe, in thousandths. */
const RATIO = 1500n;
const MIN_RATIO = 1020n;
const UNIT = 1000n;
/** Wider steps within the span of a page: answers from above mostly reach there. */
const NEAR_DIVISORS = [2n, 2n, 2n, 2n, 4n, 4n, 4n, 4n, 4n, 4n];

interface ProbeRange {
  /** The cursor whose answer holds the last row. At least 1. */
  readonly high: bigint;
  /** Index units of a page; at least 1. */
  readonly span: bigint;
  readonly most: number;
  /** As many as possible: the service is known to look back only so far. */
  readonly isDense?: boolean;
  /** Two passes probe different positions. */
  readonly isShifted: boolean;
}

/**
 * Where to look before a listing is said to end: a service may look back only so far, so that "nothing just below" is not "nothing
 * below".
 * @returns cursors below `high`, the nearest first: just below it, within the span of a page, then at distances that
 * grow by half each time, or faster or slower as `most` requires, down to 1
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
  const [least, needed] = [isDense ? MIN_RATIO : RATIO, getRatio(high, span, left)];
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

/** Growth, in thousandths, that covers all that is below within so many steps. */
function getRatio(high: bigint, span: bigint, steps: number): bigint {
  if (span >= high) return 0n;
  const ratio = Math.exp(Math.log(Number(high) / Number(span)) / steps);
  return BigInt(Math.ceil(ratio * Number(UNIT)));
}

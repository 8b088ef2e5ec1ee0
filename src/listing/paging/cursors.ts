// Cursors: the range in which the next page must begin, the responses so far, and where to probe below the last row.
import type { RowKey } from "./known-rows.ts";

/** The largest value that `before` can take (int64). */
export const MAX_CURSOR = (1n << 63n) - 1n;

/** While magnitudes differ by more bits than this, magnitudes are bisected, not values. */
const FAR_BITS = 2;

/** What the response at the lower end was. */
type Low = "unasked" | "empty" | "older" | "refused";

/**
 * A narrowing range: the first row of a non-empty response is a monotone function of `before`. An empty response proves little,
 * because a service may limit how far back it looks. The response at `high` begins at or above the last known row; that at `low`,
 * which starts at -1, does not.
 */
export class CursorBounds {
  low = -1n;
  lowKind: Low = "unasked";
  high: bigint;
  /** False while `high` has no response, or cursors there are refused. */
  isHighAnswered: boolean;
  /** The index of the newest row, if known: the last known row is usually not far below. */
  top: bigint | undefined;

  constructor(high: bigint, isAnswered = false) {
    this.high = high;
    this.isHighAnswered = isAnswered;
  }

  /** Only a cursor strictly inside can narrow the range. */
  contains(cursor: bigint): boolean {
    return cursor > this.low && cursor < this.high;
  }

  /** The response begins at or above the last known row, or the cursor is refused for being too high. */
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

  /** The next cursor to try; undefined when the range is empty. */
  middle(): bigint | undefined {
    if (this.high - this.low <= 1n) return undefined;
    if (this.top !== undefined && this.top >= this.high) {
      const [near, far] = [countBits(this.top - this.high), countBits(this.top - this.low)];
      if (far - near > FAR_BITS) return this.top - (1n << BigInt((near + far) >> 1));
    }
    const [lowBits, highBits] = [countBits(this.low), countBits(this.high)];
    // Row numbers or nanoseconds? Find the magnitude first.
    if (highBits - lowBits > FAR_BITS) return 1n << BigInt((lowBits + highBits) >> 1);
    return (this.low + this.high) >> 1n;
  }
}

function countBits(value: bigint): number {
  return value <= 0n ? 0 : value.toString(2).length;
}

/** A search needs about as many as a cursor has bits. */
const MAX_NOTES = 192;

/** The first row of the response at each cursor; undefined for an empty response. */
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

  /** Those responses begin too far above to matter. */
  forgetAbove(cursor: bigint): void {
    for (const noted of this.#notes.keys()) if (noted > cursor) this.#notes.delete(noted);
  }
}

/** Growth of the distance between probes, in thousandths. */
const RATIO = 1500n;
const MIN_RATIO = 1020n;
const UNIT = 1000n;
/** Larger steps within the span of a page: responses from above usually reach there. */
const NEAR_DIVISORS = [2n, 2n, 2n, 2n, 4n, 4n, 4n, 4n, 4n, 4n];

interface ProbeRange {
  /** The cursor whose response contains the last row. At least 1. */
  readonly high: bigint;
  /** Index units that a page covers; at least 1. */
  readonly span: bigint;
  readonly most: number;
  /** Probe as densely as possible: the service is known to limit how far back it looks. */
  readonly isDense?: boolean;
  /** Two passes probe different cursors. */
  readonly isShifted: boolean;
}

/**
 * Cursors to probe before a listing counts as ended: a service may limit how far back it looks, so "nothing just below" is not
 * "nothing below".
 * @returns cursors below `high`, nearest first: just below it, within the span of a page, then at distances that grow by half
 * each time, or faster or slower as `most` requires, down to cursor 1
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

/** Growth, in thousandths, that covers everything below within `steps` steps. */
function getRatio(high: bigint, span: bigint, steps: number): bigint {
  if (span >= high) return 0n;
  const ratio = Math.exp(Math.log(Number(high) / Number(span)) / steps);
  return BigInt(Math.ceil(ratio * Number(UNIT)));
}

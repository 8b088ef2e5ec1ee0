// Between which two cursors the next page must begin, as far as answers have shown: the first row of an answer that
// has rows is a monotone function of `before`. An answer without rows says little: a service may look only so far back.

/** The largest value that `before` can take (int64). */
export const MAX_CURSOR = (1n << 63n) - 1n;

/** Magnitudes further apart than this many bits are halved before the numbers are. */
const FAR_BITS = 2;

/** What the answer at the lower end was: never asked, without rows, older than the last known row, or refused. */
export type Low = "unasked" | "empty" | "older" | "refused";

/**
 * A range that narrows. `high`: the answer there begins at or above the last known row; `low`: it does not. At first
 * `low` is -1, which was never asked.
 */
export class CursorBounds {
  #low = -1n;
  #lowKind: Low = "unasked";
  #high: bigint;
  #isHighAnswered: boolean;

  /** @param isAnswered whether the answer at `high` is known to begin at or above the last known row */
  constructor(high: bigint, isAnswered = false) {
    this.#high = high;
    this.#isHighAnswered = isAnswered;
  }

  get low(): bigint {
    return this.#low;
  }

  get lowKind(): Low {
    return this.#lowKind;
  }

  get high(): bigint {
    return this.#high;
  }

  /** False while `high` is only where the search began, or where cursors are refused. */
  get isHighAnswered(): boolean {
    return this.#isHighAnswered;
  }

  /** True when a cursor is strictly inside: only there can an answer teach anything. */
  contains(cursor: bigint): boolean {
    return cursor > this.#low && cursor < this.#high;
  }

  /** An answer begins at or above the last known row; or the cursor is refused for being too high. */
  tooHigh(cursor: bigint, isAnswered = true): void {
    if (cursor === this.#high) this.#isHighAnswered ||= isAnswered;
    if (!this.contains(cursor)) return;
    this.#high = cursor;
    this.#isHighAnswered = isAnswered;
  }

  /** An answer has no row that is known. */
  tooLow(cursor: bigint, kind: Low): void {
    if (!this.contains(cursor)) return;
    this.#low = cursor;
    this.#lowKind = kind;
  }

  /** Looks again anywhere below `high`: rows were found below what seemed to be the end. */
  reopen(): void {
    this.#low = -1n;
    this.#lowKind = "unasked";
  }

  /** The cursor to ask next; undefined when there is none between. */
  middle(): bigint | undefined {
    if (this.#high - this.#low <= 1n) return undefined;
    const [lowBits, highBits] = [bitsOf(this.#low), bitsOf(this.#high)];
    // The index may be a row number or a time in nanoseconds: first find its magnitude.
    if (highBits - lowBits > FAR_BITS) return 1n << BigInt((lowBits + highBits) >> 1);
    return (this.#low + this.#high) >> 1n;
  }
}

function bitsOf(value: bigint): number {
  return value <= 0n ? 0 : value.toString(2).length;
}

/** The first row of an answer, without its page. */
export interface FirstRow {
  readonly ms: number;
  readonly text: string;
}

/** Answers that are kept at most; each search needs about as many as a cursor has bits. */
const MOST_NOTES = 192;

/** Cursors and the first rows of their answers; undefined for an answer without rows. */
export class CursorNotes {
  readonly #notes = new Map<bigint, FirstRow | undefined>();

  note(cursor: bigint, first: FirstRow | undefined): void {
    this.#notes.delete(cursor);
    this.#notes.set(cursor, first);
    if (this.#notes.size <= MOST_NOTES) return;
    const [oldest] = this.#notes.keys();
    if (oldest !== undefined) this.#notes.delete(oldest);
  }

  firstAt(cursor: bigint): FirstRow | undefined {
    return this.#notes.get(cursor);
  }

  /** Lets go of cursors above this one: their answers begin too far above to matter. */
  forgetAbove(cursor: bigint): void {
    for (const each of this.#notes.keys()) if (each > cursor) this.#notes.delete(each);
  }

  get all(): Iterable<readonly [cursor: bigint, first: FirstRow | undefined]> {
    return this.#notes;
  }
}

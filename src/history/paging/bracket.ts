// Between which two cursors the next page must begin, as far as answers have shown: the listing is a
// monotone function of `before`.

/** The largest value that `before` can take (int64). */
export const MAX_CURSOR = (1n << 63n) - 1n;

/** Magnitudes further apart than this many bits are halved before the numbers are. */
const FAR_BITS = 2;

/**
 * A range that only narrows. `low`: the answer there begins below the last known row; `high`: it begins at or
 * above it. At first `low` is -1, which was never asked.
 */
export class Bracket {
  #low = -1n;
  #isLowEmpty = true;
  #high: bigint;

  constructor(high: bigint) {
    this.#high = high;
  }

  get low(): bigint {
    return this.#low;
  }

  get high(): bigint {
    return this.#high;
  }

  /** True when an answer has shown that the listing has nothing below `low`. */
  get isEmptyBelow(): boolean {
    return this.#low >= 0n && this.#isLowEmpty;
  }

  /** True when a cursor is strictly inside: only there can an answer teach anything. */
  contains(cursor: bigint): boolean {
    return cursor > this.#low && cursor < this.#high;
  }

  /** An answer begins at or above the last known row. */
  tooHigh(cursor: bigint): void {
    if (this.contains(cursor)) this.#high = cursor;
  }

  /** An answer begins below the last known row, or (`isEmpty`) has no row at all. */
  tooLow(cursor: bigint, isEmpty: boolean): void {
    if (!this.contains(cursor)) return;
    this.#low = cursor;
    this.#isLowEmpty = isEmpty;
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

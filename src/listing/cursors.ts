// What `before` may be compared with. A field only suggests, and so do the times that answers began with: the overlap proves.
import type { ListedRecord } from "../wire/rest/fields.ts";

/** The largest that `before` can be (int64). */
export const MAX_CURSOR = 2n ** 63n - 1n;

/** How cursors are found where no field is the cursor. */
export const SEARCH = "search";

/** A field's value as a cursor; undefined for text that is no whole number, or too large to be one. */
export function fieldValue(row: ListedRecord | undefined, field: string): bigint | undefined {
  const text = String(row?.[field]);
  const value = /^\d{1,19}$/.test(text) ? BigInt(text) : MAX_CURSOR;
  return value < MAX_CURSOR ? value : undefined;
}

/** A cursor that was asked, in digits, and the time of the first row of its answer. */
export type Mark = readonly [cursor: string, ms: number];

/** The last two of different times: answers go down with `before`, so they show where a cursor leads. */
export function addMark(marks: readonly Mark[], cursor: bigint, ms: number): readonly Mark[] {
  return [...marks.filter((mark) => mark[1] !== ms), [`${cursor}`, ms] as const].slice(-2);
}

/** @returns the cursor for a time, on the line through the marks */
export function cursorAt([one, other]: readonly Mark[], ms: number): bigint | undefined {
  if (one === undefined || other === undefined) return undefined;
  const [from, to] = [BigInt(one[0]), BigInt(other[0])];
  const pace = Number(to - from) / (other[1] - one[1]);
  const cursor = from + BigInt(Math.round(pace * (ms - one[1])));
  return cursor < 0n ? 0n : cursor > MAX_CURSOR ? MAX_CURSOR : cursor;
}

/** Where the cursor that is looked for lies: an answer at `low` begins too far down, one at `high` does not go far enough. */
export interface Bracket {
  low: bigint;
  high: bigint;
}

export function isInside(cursor: bigint | undefined, { low, high }: Bracket): cursor is bigint {
  return cursor !== undefined && cursor > low && cursor < high;
}

/** Row numbers or nanoseconds? The magnitude first, then the value; undefined when nothing is left. */
export function halve({ low, high }: Bracket): bigint | undefined {
  if (high - low <= 1n) return undefined;
  const [lowBits, highBits] = [bits(low), bits(high)];
  return highBits - lowBits > 2 ? 1n << BigInt((lowBits + highBits) >> 1) : (low + high) >> 1n;
}

function bits(value: bigint): number {
  return value <= 0n ? 0 : value.toString(2).length;
}

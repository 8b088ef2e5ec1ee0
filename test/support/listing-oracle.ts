// Whether rows that were read from a random listing are all of it as of the first answer. It knows the hidden index and
// what the answering copy held, which the program does not.
import type { RandomListing } from "./random-listing.ts";

export interface Truth {
  /** Rows that are missing or too many. */
  readonly wrong: number;
  /**
   * True when one value of the cursor has as many rows as a page: the document gives no way past it. Also when all rows
   * have one value: whether there are more of them than a page holds cannot be told.
   */
  readonly isUncrossable: boolean;
}

/** @param rows as read, newest first */
export function compareWithLedger(
  listing: RandomListing,
  rows: readonly object[],
  limit: number,
): Truth {
  const asOf = listing.rows.length - listing.asOfRows;
  const pageRows = Math.min(limit, listing.options.cap);
  const groups = countOf(listing.indexes.slice(asOf));
  return {
    wrong: countWrong(listing, asOf, rows),
    isUncrossable: groups.size === 1 || [...groups.values()].some((count) => count >= pageRows),
  };
}

function countWrong(
  { rows: listed, indexes }: RandomListing,
  asOf: number,
  rows: readonly object[],
): number {
  // Rows are compared as objects: the pager hands on those that it was given, and equal rows are the same one.
  const read = countOf(rows);
  let missing = 0;
  for (const row of listed.slice(asOf)) if (!take(read, row)) missing++;
  // A copy that lags may cut the newest transaction in two. The part that it hides comes as rows that are tied with the
  // first one: nothing tells whether they came since or stood there before, so they may be there or not.
  const groupStart = indexes.indexOf(indexes[asOf] ?? -1n);
  for (const row of listed.slice(Math.max(0, groupStart), asOf)) take(read, row);
  const extra = [...read.values()].reduce((sum, count) => sum + count, 0);
  return missing + extra;
}

function countOf<K>(values: readonly K[]): Map<K, number> {
  const counts = new Map<K, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function take<K>(counts: Map<K, number>, value: K): boolean {
  const count = counts.get(value) ?? 0;
  if (count > 0) counts.set(value, count - 1);
  return count > 0;
}

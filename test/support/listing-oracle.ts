// Whether rows that were read from a random listing are all of it as of the first of them. It knows the hidden
// index, which the program does not.
import type { ListedRow, RandomListing } from "./random-listing.ts";

export interface Truth {
  /** Rows that are missing or too many. */
  readonly wrong: number;
  /**
   * True when one value of the cursor has as many rows as a page: the document gives no way past it. Also when so
   * many rows look like one transaction to whoever does not know the cursor, with equal ones among them: an answer that
   * repeats some of them can be read in more than one way.
   */
  readonly isUncrossable: boolean;
}

/** @param rows as read, newest first, at least one */
export function compareWithLedger(
  listing: RandomListing,
  rows: readonly ListedRow[],
  limit: number,
): Truth {
  const texts = listing.rows.map((row) => JSON.stringify(row));
  const first = JSON.stringify(rows[0]);
  // Of rows that equal the first one, a copy that lags may hide some: any of them may be where reading began.
  const starts = [...texts.keys()].filter((i) => texts[i] === first);
  const wrongs = starts.map((start) => countWrong(listing, texts, start, rows));
  const asOf = starts[0] ?? 0;
  const pageRows = Math.min(limit, listing.options.cap);
  const groups = countOf(listing.indexes.slice(asOf));
  return {
    wrong: Math.min(...wrongs),
    isUncrossable:
      [...groups.values()].some((count) => count >= pageRows) ||
      looksUncrossable(listing.rows.slice(asOf), pageRows),
  };
}

/** Rows that are missing or too many, if reading began at this place of the listing. */
function countWrong(
  { indexes, options }: RandomListing,
  texts: readonly string[],
  start: number,
  rows: readonly ListedRow[],
): number {
  const group = indexes[start];
  const groupStart = indexes.indexOf(group ?? 0n);
  const groupEnd = indexes.lastIndexOf(group ?? 0n);
  const unread = countOf(rows.map((row) => JSON.stringify(row)));
  // Where ties come in any order, "as of the first row" may cut its group anywhere.
  const certain = options.isUnstable ? groupEnd + 1 : start;
  let missing = 0;
  for (const text of texts.slice(certain)) if (!take(unread, text)) missing++;
  if (options.isUnstable) {
    for (const text of texts.slice(groupStart, groupEnd + 1)) take(unread, text);
  }
  const extra = [...unread.values()].reduce((sum, count) => sum + count, 0);
  return missing + extra;
}

function looksUncrossable(rows: readonly ListedRow[], pageRows: number): boolean {
  const seen = new Map<string, { count: number; readonly texts: Set<string> }>();
  for (const row of rows) {
    const key = `${row.timestamp_ms} ${row.tx_hash}`;
    const group = seen.get(key) ?? { count: 0, texts: new Set<string>() };
    group.count++;
    group.texts.add(JSON.stringify(row));
    seen.set(key, group);
  }
  return [...seen.values()].some(({ count, texts }) => count >= pageRows && texts.size < count);
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

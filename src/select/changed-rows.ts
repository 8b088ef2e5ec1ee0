// Where two versions of a long list differ: most of its rows are the same objects before and after a change.
type Rows = readonly unknown[];

/** Rows from `start` on differ, up to `end` rows before the end of each list. */
export interface ChangedRange {
  readonly start: number;
  readonly end: number;
}

/** What is the same at the beginning and at the end of both. Never throws. */
export function changedRange(before: Rows, after: Rows): ChangedRange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  const most = shorter - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { start, end };
}

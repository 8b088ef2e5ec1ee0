// One page in a hundred is asked for again, a little shorter: a service that answers the same question in two ways
// cannot be proven anything by.
import type { RecordReading } from "./record-reading.ts";

/** Pages of which one is asked for again, and which of them: the tenth, so that most exports see it once. */
const CHECK_EVERY = 100;
const CHECK_AT = 10;
/** Rows by which it is shorter, so that it ends elsewhere in a group of rows. */
export const CHECK_SHORTER_BY = 3;

/** True for the number of a page, counted from 1, that is asked for again. Never throws. */
export function isChecked(page: number): boolean {
  return page % CHECK_EVERY === CHECK_AT;
}

/** `reordered`: the same rows, but those of one time in another order. */
export type Sameness = "same" | "reordered" | "other";

/**
 * How an answer compares with a longer one to the same question. Rows of the time at which the shorter one ends may
 * be others, because it may show another part of them. Pure; never throws.
 */
export function compareAnswers<T>(
  reading: RecordReading<T>,
  textOf: (row: T) => string,
  longer: readonly T[],
  shorter: readonly T[],
): Sameness {
  const most = Math.min(longer.length, shorter.length);
  const firsts = longer.slice(0, most).map(textOf);
  const seconds = shorter.slice(0, most).map(textOf);
  if (seconds.every((text, i) => text === firsts[i])) return "same";
  const cutMs = Math.max(
    ...[longer[most - 1], shorter[most - 1]].map((row) => timeOf(reading, row)),
  );
  const surely = (rows: readonly T[]) =>
    rows
      .slice(0, most)
      .filter((row) => reading.timeMs(row) > cutMs)
      .map(textOf)
      .sort();
  const [a, b] = [surely(longer), surely(shorter)];
  return a.length === b.length && a.every((text, i) => text === b[i]) ? "reordered" : "other";
}

function timeOf<T>(reading: RecordReading<T>, row: T | undefined): number {
  return row === undefined ? Number.NEGATIVE_INFINITY : reading.timeMs(row);
}

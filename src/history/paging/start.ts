// The page in which a listing passes a time: where reading begins when the newest rows are not wanted.
import { Bracket, MAX_CURSOR } from "./bracket.ts";
import { isNewestFirst } from "./judge.ts";
import type { RecordReading } from "./record-reading.ts";
import type { Requests } from "./requests.ts";

/** A page that begins with a newer row than is wanted: nothing that is wanted stands above it. */
export interface Start<T> {
  readonly cursor: bigint | undefined;
  readonly page: readonly T[];
  readonly limit: number;
}

interface StartOptions<T> {
  readonly requests: Requests<T>;
  readonly reading: RecordReading<T>;
  readonly untilMs: number;
  /** The newest rows, all of them newer than what is wanted. */
  readonly newest: readonly T[];
}

/** Steps above the wanted time, in case that the index is the time in milliseconds. */
const TIME_STEPS_MS = [1000, 60_000, 3_600_000];

/**
 * Finds the lowest page that begins with a row newer than the wanted ones, by the same search that leads from page to
 * page: a listing is monotone in its cursor.
 * @returns undefined when pages are not newest first
 * @throws {HistoryError} when a page cannot be read
 */
export async function findStart<T>(options: StartOptions<T>): Promise<Start<T> | undefined> {
  const { requests, reading, untilMs, newest } = options;
  const bracket = new Bracket(MAX_CURSOR);
  let start: Start<T> = { cursor: undefined, page: newest, limit: requests.limit };
  const isNewer = (row: T | undefined) => row !== undefined && reading.timeMs(row) > untilMs;
  const reaches = () => !isNewer(start.page.at(-1));
  for (const cursor of guesses(options).filter((guess) => bracket.contains(guess))) {
    const { rows, limit, isRefused } = await requests.page(cursor);
    if (isRefused) continue;
    if (!isNewestFirst(reading, rows)) return undefined;
    if (isNewer(rows[0])) {
      start = { cursor, page: rows, limit };
      if (reaches()) return start;
      bracket.tooHigh(cursor);
    } else bracket.tooLow(cursor, rows.length > 0 ? "older" : "empty");
  }
  const above: bigint[] = [];
  for (let cursor = bracket.middle(); cursor !== undefined; cursor = bracket.middle()) {
    const one = await requests.single(cursor);
    const { rows, isRefused } =
      one.rows.length > 0 || one.isRefused ? one : await requests.full(cursor);
    if (isRefused ? start.cursor === undefined : isNewer(rows[0])) {
      bracket.tooHigh(cursor, !isRefused);
      if (!isRefused) above.unshift(cursor);
    } else bracket.tooLow(cursor, rows.length > 0 ? "older" : "empty");
  }
  // The lowest page that shows more than rows of one index: they alone would not show that they are whole.
  let own = Number.POSITIVE_INFINITY;
  for (const cursor of above) {
    const { rows, limit } = await requests.page(cursor);
    if (!isNewestFirst(reading, rows)) return undefined;
    if (!isNewer(rows[0])) continue;
    start = { cursor, page: rows, limit };
    if (reaches() || rows.length > own) return start;
    own = Math.min(own, rows.length);
  }
  return { cursor: undefined, page: newest, limit: requests.limit };
}

function guesses<T>({ reading, untilMs }: StartOptions<T>): readonly bigint[] {
  const isTimeLikely = reading.cursorFields.some(({ name }) => name === "timestamp_ms");
  return isTimeLikely
    ? TIME_STEPS_MS.map((step) => BigInt(Math.trunc(untilMs)) + BigInt(step))
    : [];
}

// The page in which a listing passes a time: where reading begins when the newest rows are not wanted.
import { Bracket, MAX_CURSOR } from "./bracket.ts";
import { isNewestFirst } from "./judge.ts";
import { SEARCH } from "./proposals.ts";
import type { RecordReading } from "./record-reading.ts";
import type { Requests } from "./requests.ts";
import type { Flag } from "./verdict.ts";

/** `page`: it begins with a newer row and reaches the wanted ones; `none`: every listed row is newer. */
export type Start<T> =
  | { readonly kind: "page"; readonly page: readonly T[] }
  | { readonly kind: "none"; readonly by: string }
  | { readonly kind: "stuck"; readonly flag: Flag };

interface StartOptions<T> {
  readonly requests: Requests<T>;
  readonly reading: RecordReading<T>;
  readonly untilMs: number;
  /** Rows that any page can have, if there are so many. */
  readonly leastCapacity: number;
}

/** Steps above the wanted time, in case that the index is the time in milliseconds. */
const TIME_STEPS_MS = [1000, 60_000, 3_600_000];

/**
 * Finds the page by the same search that crosses from page to page: a listing is monotone in its cursor.
 * @throws {HistoryError} when a page cannot be read
 */
export async function findStart<T>(options: StartOptions<T>): Promise<Start<T>> {
  const { requests, reading, untilMs } = options;
  const bracket = new Bracket(MAX_CURSOR);
  const lengths = new Map<bigint, number>();
  const isNewer = (row: T) => reading.timeMs(row) > untilMs;
  for (const cursor of guesses(options).filter((guess) => bracket.contains(guess))) {
    const found = await tryPage(options, bracket, cursor, lengths);
    if (found !== undefined) return found;
  }
  for (let cursor = bracket.middle(); cursor !== undefined; cursor = bracket.middle()) {
    const row = await requests.probe(cursor);
    if (row !== undefined && isNewer(row)) bracket.tooHigh(cursor);
    else bracket.tooLow(cursor, row === undefined);
  }
  const found = await tryPage(options, bracket, bracket.high, lengths);
  if (found !== undefined) return found;
  const lastLength = lengths.get(bracket.high) ?? Number.POSITIVE_INFINITY;
  return bracket.isEmptyBelow && lastLength < options.leastCapacity
    ? { kind: "none", by: SEARCH }
    : { kind: "stuck", flag: "group-fills-page" };
}

function guesses<T>({ reading, untilMs }: StartOptions<T>): readonly bigint[] {
  const isTimeLikely = reading.cursorFields.some(({ name }) => name === "timestamp_ms");
  return isTimeLikely
    ? TIME_STEPS_MS.map((step) => BigInt(Math.trunc(untilMs)) + BigInt(step))
    : [];
}

async function tryPage<T>(
  { requests, reading, untilMs }: StartOptions<T>,
  bracket: Bracket,
  cursor: bigint,
  lengths: Map<bigint, number>,
): Promise<Start<T> | undefined> {
  const page = await requests.page(cursor);
  lengths.set(cursor, page.length);
  if (!isNewestFirst(reading, page)) return { kind: "stuck", flag: "out-of-order" };
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined || reading.timeMs(first) <= untilMs) {
    bracket.tooLow(cursor, first === undefined);
    return undefined;
  }
  if (reading.timeMs(last) <= untilMs) return { kind: "page", page };
  bracket.tooHigh(cursor);
  return undefined;
}

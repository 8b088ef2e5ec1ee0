// The page in which a listing passes a time: where reading begins when the newest rows are not wanted.
import { Bracket, MAX_CURSOR } from "./bracket.ts";
import { isNewestFirst } from "./judge.ts";
import type { RecordReading } from "./record-reading.ts";
import type { Reply, Requests } from "./requests.ts";

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
export function findStart<T>(options: StartOptions<T>): Promise<Start<T> | undefined> {
  return new StartSearch(options).run();
}

class StartSearch<T> {
  readonly #options: StartOptions<T>;
  readonly #bracket = new Bracket(MAX_CURSOR);
  /** Cursors whose answers begin with a newer row, the lowest first. */
  readonly #above: bigint[] = [];
  #start: Start<T>;
  #isDisordered = false;

  constructor(options: StartOptions<T>) {
    this.#options = options;
    this.#start = { cursor: undefined, page: options.newest, limit: options.requests.limit };
  }

  async run(): Promise<Start<T> | undefined> {
    for (const cursor of guesses(this.#options)) {
      if (this.#bracket.contains(cursor) && (await this.#tryPage(cursor))) return this.#found();
    }
    await this.#narrow();
    // The lowest page that shows more than rows of one index: they alone would not show that they are whole.
    let least = Number.POSITIVE_INFINITY;
    for (const cursor of this.#above) {
      const reaches = await this.#tryPage(cursor);
      const { page } = this.#start;
      if (reaches || page.length > least || this.#isDisordered) return this.#found();
      least = Math.min(least, page.length);
    }
    const { newest, requests } = this.#options;
    return { cursor: undefined, page: newest, limit: requests.limit };
  }

  #found(): Start<T> | undefined {
    return this.#isDisordered ? undefined : this.#start;
  }

  /** @returns whether the page begins with a newer row and reaches the wanted ones; or is in disorder */
  async #tryPage(cursor: bigint): Promise<boolean> {
    const { requests, reading } = this.#options;
    const { rows, limit, isRefused } = await requests.page(cursor);
    if (isRefused) return false;
    this.#isDisordered = !isNewestFirst(reading, rows);
    if (this.#isDisordered) return true;
    if (!this.#isNewer(rows[0])) {
      this.#bracket.tooLow(cursor, rows.length > 0 ? "older" : "empty");
      return false;
    }
    this.#start = { cursor, page: rows, limit };
    this.#bracket.tooHigh(cursor);
    return !this.#isNewer(rows.at(-1));
  }

  async #narrow(): Promise<void> {
    const bracket = this.#bracket;
    for (let cursor = bracket.middle(); cursor !== undefined; cursor = bracket.middle()) {
      const { rows, isRefused } = await this.#first(cursor);
      if (this.#isNewer(rows[0])) {
        bracket.tooHigh(cursor);
        this.#above.unshift(cursor);
      } else if (isRefused && !bracket.isHighAnswered) bracket.tooHigh(cursor, false);
      else bracket.tooLow(cursor, rows.length > 0 ? "older" : "empty");
    }
  }

  /** A service may count rows of others in its limit: where one row is none, as many as can be are asked for. */
  async #first(cursor: bigint): Promise<Reply<T>> {
    const { requests } = this.#options;
    const one = await requests.single(cursor);
    return one.isRefused || one.rows.length > 0 ? one : requests.full(cursor);
  }

  #isNewer(row: T | undefined): boolean {
    const { reading, untilMs } = this.#options;
    return row !== undefined && reading.timeMs(row) > untilMs;
  }
}

function guesses<T>({ reading, untilMs }: StartOptions<T>): readonly bigint[] {
  const isTimeLikely = reading.cursorFields.some(({ name }) => name === "timestamp_ms");
  return isTimeLikely
    ? TIME_STEPS_MS.map((step) => BigInt(Math.trunc(untilMs)) + BigInt(step))
    : [];
}

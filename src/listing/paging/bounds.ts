// What part of a listing is asked for: a span of time, or a number of rows from the newest. Where it begins, and when there
// can be no more of it.
import { CursorBounds, MAX_CURSOR } from "./cursors.ts";
import { isNewestFirst } from "./judge.ts";
import type { Requests } from "./requests.ts";
import type { RecordFields } from "./source.ts";
import type { Reach } from "./verdict.ts";

/** All optional; times are Unix milliseconds, both ends included. */
export interface Bounds {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Most rows to take. */
  readonly max?: number | undefined;
}

/** The next page, and those that may be asked for with it. */
const FAR_PAGES = 4;

/** Lets through the rows inside the bounds, and knows when there can be no more. */
export class BoundsGate<T> {
  readonly #bounds: Bounds;
  readonly #timeMs: (record: T) => number;
  taken: number;

  /** @param taken rows that an earlier run let through */
  constructor(bounds: Bounds, timeMs: (record: T) => number, taken = 0) {
    this.#bounds = bounds;
    this.#timeMs = timeMs;
    this.taken = taken;
  }

  /** @param rows newest first, following those that were passed before */
  pass(rows: readonly T[]): { readonly rows: readonly T[]; readonly reached: Reach | undefined } {
    const { untilMs = Number.POSITIVE_INFINITY } = this.#bounds;
    const begin = rows.findIndex((row) => this.#timeMs(row) <= untilMs);
    if (begin < 0) return { rows: [], reached: undefined };
    const past = rows.findIndex((row, i) => i >= begin && this.#isPast(row));
    const inside = rows.slice(begin, past < 0 ? undefined : past);
    const left = this.#left;
    if (inside.length >= left) {
      this.taken += left;
      return { rows: inside.slice(0, left), reached: "max" };
    }
    this.taken += inside.length;
    return { rows: inside, reached: past < 0 ? undefined : "since" };
  }

  /** True when rows after this one may be wanted, as far as can be said beforehand. */
  goesOnAfter(row: Partial<T>, pageRows: number): boolean {
    return this.#left > pageRows && !this.#isPast(row as T);
  }

  /**
   * True when some pages more lie inside the bounds, should they be like the last one.
   * @param rows known ones, newest first
   * @param length rows of the last page
   */
  isFarFromEnd(rows: readonly T[], length: number): boolean {
    const { sinceMs } = this.#bounds;
    const [first, last] = [rows.at(-length), rows.at(-1)];
    if (first === undefined || last === undefined) return false;
    const lastMs = this.#timeMs(last);
    const pageMs = this.#timeMs(first) - lastMs;
    const isLate = sinceMs === undefined || lastMs - pageMs * FAR_PAGES > sinceMs;
    return isLate && this.#left > length * FAR_PAGES;
  }

  get #left(): number {
    return (this.#bounds.max ?? Number.POSITIVE_INFINITY) - this.taken;
  }

  #isPast(row: T): boolean {
    const { sinceMs } = this.#bounds;
    return sinceMs !== undefined && this.#timeMs(row) < sinceMs;
  }
}

/** A page that begins with a newer row than is asked for: nothing that is asked for stands above it. */
interface Start<T> {
  readonly cursor: bigint | undefined;
  readonly page: readonly T[];
  readonly limit: number;
}

/** Steps above the time, in case that the index is the time in milliseconds. */
const TIME_STEPS_MS = [1000, 60_000, 3_600_000];

/**
 * Finds the lowest page that begins with a row newer than `untilMs`, by the same search that leads from page to page: a listing
 * is monotone in its cursor.
 */
export class StartSearch<T> {
  readonly #requests: Requests<T>;
  readonly #fields: RecordFields<T>;
  readonly #untilMs: number;
  readonly #bounds = new CursorBounds(MAX_CURSOR);

  constructor(requests: Requests<T>, fields: RecordFields<T>, untilMs: number) {
    this.#requests = requests;
    this.#fields = fields;
    this.#untilMs = untilMs;
  }

  /**
   * @param newest the newest rows, all of them newer than that
   * @returns undefined when pages are not newest first
   */
  async find(newest: readonly T[]): Promise<Start<T> | undefined> {
    const guessed = await this.#guess();
    if (guessed !== undefined) return guessed === "disordered" ? undefined : guessed;
    // The lowest page that shows more than rows of one index: they alone would not show that they are whole.
    let least = Number.POSITIVE_INFINITY;
    for (const cursor of await this.#narrow()) {
      const tried = await this.#tryPage(cursor);
      if (tried === "disordered") return undefined;
      if (tried === undefined) continue;
      if (tried.reaches || tried.page.length > least) return tried;
      least = Math.min(least, tried.page.length);
    }
    return { cursor: undefined, page: newest, limit: this.#requests.limit };
  }

  async #guess(): Promise<Start<T> | "disordered" | undefined> {
    const isTimeLikely = this.#fields.cursorFields.some(({ name }) => name === "timestamp_ms");
    for (const step of isTimeLikely ? TIME_STEPS_MS : []) {
      const cursor = BigInt(Math.trunc(this.#untilMs)) + BigInt(step);
      const tried = this.#bounds.contains(cursor) ? await this.#tryPage(cursor) : undefined;
      if (tried === "disordered" || tried?.reaches) return tried;
    }
    return undefined;
  }

  /** @returns a page that begins with a newer row, and whether it reaches down to what is asked for */
  async #tryPage(
    cursor: bigint,
  ): Promise<(Start<T> & { readonly reaches: boolean }) | "disordered" | undefined> {
    const { rows, limit, isRefused } = await this.#requests.page(cursor);
    if (isRefused) return undefined;
    if (!isNewestFirst(this.#fields, rows)) return "disordered";
    if (this.#isNewer(rows[0])) {
      this.#bounds.tooHigh(cursor);
      return { cursor, page: rows, limit, reaches: !this.#isNewer(rows.at(-1)) };
    }
    this.#bounds.tooLow(cursor, rows.length > 0 ? "older" : "empty");
    return undefined;
  }

  /** @returns cursors whose answers begin with a newer row, the lowest first */
  async #narrow(): Promise<readonly bigint[]> {
    const bounds = this.#bounds;
    const above: bigint[] = [];
    for (let cursor = bounds.middle(); cursor !== undefined; cursor = bounds.middle()) {
      const { rows, isRefused } = await this.#requests.first(cursor);
      if (this.#isNewer(rows[0])) {
        bounds.tooHigh(cursor);
        above.unshift(cursor);
      } else if (isRefused && !bounds.isHighAnswered) bounds.tooHigh(cursor, false);
      else bounds.tooLow(cursor, rows.length > 0 ? "older" : "empty");
    }
    return above;
  }

  #isNewer(row: T | undefined): boolean {
    return row !== undefined && this.#fields.timeMs(row) > this.#untilMs;
  }
}

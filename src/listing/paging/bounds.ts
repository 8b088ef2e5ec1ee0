// The requested part of a listing: a time range, or a number of rows from the newest.
import { CursorBounds, MAX_CURSOR } from "./cursors.ts";
import { isNewestFirst } from "./judge.ts";
import type { Requests } from "./requests.ts";
import type { RecordFields } from "./source.ts";
import type { Reach } from "./verdict.ts";

/** Unix milliseconds, both ends inclusive. */
export interface Bounds {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Number of rows. */
  readonly max?: number | undefined;
}

/** The next page and those that may be requested along with it. */
const FAR_PAGES = 4;

/** Passes the rows inside the bounds, and knows when no more can follow. */
export class BoundsGate<T> {
  readonly #bounds: Bounds;
  readonly #timeMs: (record: T) => number;
  taken: number;

  /** @param taken rows passed in an earlier run */
  constructor(bounds: Bounds, timeMs: (record: T) => number, taken = 0) {
    this.#bounds = bounds;
    this.#timeMs = timeMs;
    this.taken = taken;
  }

  /** @param rows newest first, continuing those of the previous call */
  pass(rows: readonly T[]): { readonly rows: readonly T[]; readonly reached: Reach | undefined } {
    const { untilMs = Number.POSITIVE_INFINITY } = this.#bounds;
    const left = this.#left;
    if (left <= 0) return { rows: [], reached: "max" };
    const begin = rows.findIndex((row) => this.#timeMs(row) <= untilMs);
    if (begin < 0) return { rows: [], reached: undefined };
    const past = rows.findIndex((row, i) => i >= begin && this.isPast(row));
    const inside = rows.slice(begin, past < 0 ? undefined : past);
    if (inside.length >= left) {
      this.taken += left;
      return { rows: inside.slice(0, left), reached: "max" };
    }
    this.taken += inside.length;
    return { rows: inside, reached: past < 0 ? undefined : "since" };
  }

  /** Rows after this one may be inside the bounds. */
  goesOnAfter(row: Partial<T>, pageRows: number): boolean {
    return this.#left > pageRows && !this.isPast(row as T);
  }

  /**
   * Several more pages lie inside the bounds if they resemble the last one.
   * @param rows known rows, newest first
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

  /** Older than wanted. */
  isPast(row: T): boolean {
    const { sinceMs } = this.#bounds;
    return sinceMs !== undefined && this.#timeMs(row) < sinceMs;
  }

  get #left(): number {
    return (this.#bounds.max ?? Number.POSITIVE_INFINITY) - this.taken;
  }
}

/** A page that begins with a row newer than `untilMs`: no requested row is above it. */
interface Start<T> {
  readonly cursor: bigint | undefined;
  readonly page: readonly T[];
  readonly limit: number;
  /** Approximate distance to the cursor of the page above. */
  readonly step?: bigint | undefined;
}

interface Tried<T> extends Start<T> {
  readonly cursor: bigint;
  readonly isNewer: boolean;
  /** It begins with a newer row and reaches down to requested ones. */
  readonly reaches: boolean;
}

/** A cursor, and the time of the first row of its response. */
interface Sample {
  readonly cursor: bigint;
  /** Unix milliseconds. */
  readonly ms: number;
}

/** Pages tried per pair of samples. */
const MAX_GUESSES = 6;

/**
 * Finds the lowest page that begins with a row newer than `untilMs`. Works as the search from page to page does, because a
 * listing is monotone in its cursor.
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
   * @param newest the newest rows, all newer than `untilMs`
   * @param top the newest transaction index, if known from elsewhere
   * @returns undefined when pages are not newest first
   */
  async find(newest: readonly T[], top: bigint | undefined): Promise<Start<T> | undefined> {
    const guessed = await this.#guess(newest, top);
    if (guessed !== undefined) return guessed === "disordered" ? undefined : guessed;
    // A page with rows of a single index would not show that they are complete.
    let least = Number.POSITIVE_INFINITY;
    for (const cursor of await this.#narrow()) {
      const tried = await this.#tryPage(cursor);
      if (tried === "disordered") return undefined;
      if (!tried?.isNewer) continue;
      if (tried.reaches || tried.page.length > least) return tried;
      least = Math.min(least, tried.page.length);
    }
    return { cursor: undefined, page: newest, limit: this.#requests.limit };
  }

  /** Tries fields that may be the index. @returns undefined if that fails */
  async #guess(
    newest: readonly T[],
    top: bigint | undefined,
  ): Promise<Start<T> | "disordered" | undefined> {
    const [first, last] = [newest[0], newest.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const [firstMs, lastMs] = [this.#fields.timeMs(first), this.#fields.timeMs(last)];
    const pageMs = firstMs - lastMs;
    const pairs: (readonly [Sample, Sample])[] = [];
    if (top !== undefined) {
      // As if each transaction were one row: the first response corrects that.
      const above = { cursor: top + 1n + BigInt(newest.length), ms: firstMs + pageMs };
      pairs.push([above, { cursor: top + 1n, ms: firstMs }]);
    }
    for (const { value } of this.#fields.cursorFields) {
      const [from, to] = [value(first), value(last)];
      if (from === undefined || to === undefined) continue;
      pairs.push([
        { cursor: from + 1n, ms: firstMs },
        { cursor: to + 1n, ms: lastMs },
      ]);
    }
    for (const pair of pairs) {
      const result = await this.#follow(pair, pageMs);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Extrapolates from two samples, both newer. */
  async #follow(
    [before, near]: readonly [Sample, Sample],
    pageMs: number,
  ): Promise<Start<T> | "disordered" | undefined> {
    let [last, spanMs] = [near, pageMs];
    let pair = [before, near] as const;
    for (let i = 0; i < MAX_GUESSES; i++) {
      const cursor = this.#aim(pair, last, spanMs);
      const tried = cursor === undefined ? undefined : await this.#tryPage(cursor);
      if (tried === undefined || tried === "disordered") return tried;
      if (tried.reaches) return { ...tried, step: cursorsOf(pair, this.#spanMs(tried.page)) };
      const sample = this.#sampleOf(tried);
      if (sample.ms >= last.ms) return undefined;
      pair = [last, sample];
      if (tried.isNewer) [last, spanMs] = [sample, this.#spanMs(tried.page)];
    }
    return undefined;
  }

  /**
   * @param last the lowest sample that is newer
   * @param spanMs the time that its page covers
   */
  #aim(pair: readonly [Sample, Sample], last: Sample, spanMs: number): bigint | undefined {
    // Aims at the middle of the page.
    const wayMs = Math.max(0, last.ms - this.#untilMs - spanMs / 2);
    const distance = cursorsOf(pair, wayMs);
    if (distance === undefined) return undefined;
    const { low } = this.#bounds;
    const cursor = last.cursor - distance;
    // The rate cannot continue: `low` is known to be too low.
    const inside = cursor > low ? cursor : (last.cursor + low) >> 1n;
    return this.#bounds.contains(inside) ? inside : undefined;
  }

  #sampleOf({ cursor, page: [first] }: Tried<T>): Sample {
    const ms = first === undefined ? Number.POSITIVE_INFINITY : this.#fields.timeMs(first);
    return { cursor, ms };
  }

  #spanMs(page: readonly T[]): number {
    const [first, last] = [page[0], page.at(-1)];
    const { timeMs } = this.#fields;
    return first === undefined || last === undefined ? 0 : timeMs(first) - timeMs(last);
  }

  async #tryPage(cursor: bigint): Promise<Tried<T> | "disordered" | undefined> {
    const { rows: page, limit, isRefused } = await this.#requests.page(cursor);
    if (isRefused) return undefined;
    if (!isNewestFirst(this.#fields, page)) return "disordered";
    const isNewer = this.#isNewer(page[0]);
    if (isNewer) this.#bounds.tooHigh(cursor);
    else this.#bounds.tooLow(cursor, page.length > 0 ? "older" : "empty");
    return { cursor, page, limit, isNewer, reaches: isNewer && !this.#isNewer(page.at(-1)) };
  }

  /** @returns cursors whose responses begin with a newer row, lowest first */
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

/** Index units covered in a time, at the rate between two samples; undefined if they show no rate. */
function cursorsOf([above, below]: readonly [Sample, Sample], wayMs: number): bigint | undefined {
  const step = above.cursor - below.cursor;
  const stepMs = Math.trunc(above.ms - below.ms);
  if (step <= 0n || stepMs <= 0) return undefined;
  return (step * BigInt(Math.trunc(wayMs))) / BigInt(stepMs);
}

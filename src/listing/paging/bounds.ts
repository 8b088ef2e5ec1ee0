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

/** Where the first rows are looked at between a page and the newest one: at half of the way, a quarter … */
const LOOKS_ABOVE = 4;

/**
 * Finds the lowest page that begins with a row newer than `untilMs`. Works as the search from page to page does, because a
 * listing is monotone in its cursor.
 */
export class StartSearch<T> {
  readonly #requests: Requests<T>;
  readonly #fields: RecordFields<T>;
  readonly #untilMs: number;
  readonly #looksAbove: boolean;
  readonly #bounds = new CursorBounds(MAX_CURSOR);
  readonly #samples: Sample[] = [];

  /** @param looksAbove look above the found page for earlier rows: the clock of a service may have gone back */
  constructor(
    requests: Requests<T>,
    fields: RecordFields<T>,
    untilMs: number,
    looksAbove: boolean,
  ) {
    this.#requests = requests;
    this.#fields = fields;
    this.#untilMs = untilMs;
    this.#looksAbove = looksAbove;
  }

  /**
   * @param newest the newest rows, all newer than `untilMs`
   * @param top the newest transaction index, if known from elsewhere
   * @returns undefined when pages are not newest first
   */
  async find(newest: readonly T[], top: bigint | undefined): Promise<Start<T> | undefined> {
    const found = (await this.#guess(newest, top)) ?? (await this.#search(newest));
    if (found === "disordered" || (await this.#goesBack(newest))) return undefined;
    return found;
  }

  async #search(newest: readonly T[]): Promise<Start<T> | "disordered"> {
    // A page with rows of a single index would not show that they are complete.
    let least = Number.POSITIVE_INFINITY;
    for (const cursor of await this.#narrow()) {
      const tried = await this.#tryPage(cursor);
      if (tried === "disordered") return tried;
      if (!tried?.isNewer) continue;
      if (tried.reaches || tried.page.length > least) return tried;
      least = Math.min(least, tried.page.length);
    }
    return { cursor: undefined, page: newest, limit: this.#requests.limit };
  }

  /** Whether of two cursors the higher one has led to an earlier row: requested rows may be anywhere. */
  async #goesBack(newest: readonly T[]): Promise<boolean> {
    const last = newest.at(-1);
    if (last === undefined) return false;
    // Not among the newest rows: a replica that lags behind lacks some of them.
    const lastMs = this.#fields.timeMs(last);
    let latestMs = Number.NEGATIVE_INFINITY;
    for (const { cursor, ms } of this.#samples.toSorted(byCursor)) {
      if (ms < Math.min(latestMs, lastMs)) {
        const { rows } = await this.#requests.first(cursor);
        if (rows[0] !== undefined && this.#fields.timeMs(rows[0]) < latestMs) return true;
      }
      latestMs = Math.max(latestMs, ms);
    }
    return false;
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
    const { cursor: top } = before;
    for (let i = 0; i < MAX_GUESSES; i++) {
      const cursor = this.#aim(pair, last, spanMs);
      const tried = cursor === undefined ? undefined : await this.#tryPage(cursor);
      if (tried === undefined || tried === "disordered") return tried;
      if (tried.reaches) {
        await this.#lookBetween(tried.cursor, top);
        return { ...tried, step: cursorsOf(pair, this.#spanMs(tried.page)) };
      }
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

  async #lookBetween(cursor: bigint, top: bigint): Promise<void> {
    const looks = this.#looksAbove ? LOOKS_ABOVE : 0;
    const cursors = Array.from(
      { length: looks },
      (_, i) => cursor + ((top - cursor) >> BigInt(i + 1)),
    );
    const between = cursors.filter((each) => each > cursor);
    const replies = await Promise.all(between.map((each) => this.#requests.first(each)));
    for (const [i, each] of between.entries()) this.#note(each, replies[i]?.rows[0]);
  }

  #note(cursor: bigint, first: T | undefined): void {
    if (first !== undefined) this.#samples.push({ cursor, ms: this.#fields.timeMs(first) });
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
    this.#note(cursor, page[0]);
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
      this.#note(cursor, rows[0]);
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

function byCursor(a: Sample, b: Sample): number {
  return a.cursor < b.cursor ? -1 : Number(a.cursor > b.cursor);
}

/** Index units covered in a time, at the rate between two samples; undefined if they show no rate. */
function cursorsOf([above, below]: readonly [Sample, Sample], wayMs: number): bigint | undefined {
  const step = above.cursor - below.cursor;
  const stepMs = Math.trunc(above.ms - below.ms);
  if (step <= 0n || stepMs <= 0) return undefined;
  return (step * BigInt(Math.trunc(wayMs))) / BigInt(stepMs);
}

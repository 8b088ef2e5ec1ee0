// Reads a listing page by page, newest first. A page is right when it begins with rows already held, in one place only, and goes on
// past them: nothing lies between then, whatever the cursor means.
import { formatIsoMs } from "../units/time.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import {
  addMark,
  type Bracket,
  cursorAt,
  fieldValue,
  halve,
  isInside,
  MAX_CURSOR,
  type Mark,
  SEARCH,
} from "./cursors.ts";
import { findEnd, findNothing } from "./end.ts";
import { KnownRows, unjoined } from "./known-rows.ts";
import { type Look, sideOf, unproven, type Verdict } from "./look.ts";
import type { Source } from "./source.ts";

/** No service is assumed to cut pages to fewer rows: one that is shorter had room for more. */
const LEAST_PAGE = 25;

/** Unix milliseconds, inclusive; `max`: rows from the newest on. */
export interface Bounds {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly max?: number | undefined;
}

export interface PagerOptions<T extends ListedRecord> {
  readonly source: Source<T>;
  /** Rows of a page, 1 to 1000. */
  readonly limit: number;
  readonly bounds: Bounds;
  readonly signal: AbortSignal;
  /** How cursors were found in an earlier run: a field, or `search`. */
  readonly cursor?: string | undefined;
  /** There is a verdict: it may come while nobody waits for a page. */
  readonly onEnd?: () => void;
}

/** Plain data: with the rows of the last page, enough for a stopped reader to go on. */
export interface PagerState {
  /** Rows known, and rows inside the bounds. */
  known: number;
  taken: number;
  pages: number;
  /** Unix milliseconds of the newest row. */
  newestMs?: number;
  /** How the second page was found. */
  cursor?: string;
  /** In digits: the lowest and the highest cursor whose answer is joined. */
  lowest?: string;
  highest?: string;
  marks: readonly Mark[];
  /** Lengths of the longest answer, and of the shortest page that was continued although fewer rows than asked for. */
  longest: number;
  shortest: number;
  /** Rows of the largest transaction so far. */
  largest: number;
  /** The last page: its length, and what was asked for. */
  length: number;
  limit: number;
  /** Some row names what is listed. */
  isNamed: boolean;
}

/** A proven page, without the rows outside the bounds. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly before: bigint | undefined;
  readonly limit: number;
  /** Rows of the answer before these. */
  readonly skip: number;
  readonly state: PagerState;
}

export class Pager<T extends ListedRecord> {
  readonly source: Source<T>;
  readonly known: KnownRows<T>;
  readonly #options: PagerOptions<T>;
  /** A row was met that should have been known. */
  hasChanged = false;
  /** Undefined until `pages` has come to its end. */
  verdict: Verdict | undefined;
  requests = 0;
  /** Somebody waits for a page. */
  #isAwaited = false;
  state: PagerState = {
    ...{ known: 0, taken: 0, pages: 0, marks: [], isNamed: false },
    ...{ longest: 0, shortest: Number.MAX_SAFE_INTEGER, largest: 1, length: 0, limit: 0 },
  };

  constructor(options: PagerOptions<T>) {
    this.source = options.source;
    this.known = new KnownRows(options.source.listing.fields);
    this.#options = options;
  }

  /** Goes on after the page whose answer `rows` are. */
  resume(state: PagerState, rows: readonly T[]): void {
    this.state = { ...this.state, ...state };
    [this.known.kept, this.known.count] = [rows, state.known];
    this.#endAtBounds(rows);
  }

  /** Pages with at least one row each. Sets `verdict` at the end. @throws {ServiceError} when the service fails */
  async *pages(): AsyncGenerator<Page<T>, void, void> {
    this.#isAwaited = true;
    let look = this.known.count === 0 ? await this.#first() : await this.#next();
    while (look !== undefined) {
      const page = this.#accept(look);
      // The next page travels while this one is used. Its failure is thrown where it is awaited.
      const following = this.#next();
      following.catch(() => undefined);
      this.#isAwaited = false;
      if (page.rows.length > 0) yield page;
      this.#isAwaited = true;
      look = await following;
    }
  }

  /** How cursors are found: a field, or `search`. */
  get cursor(): string {
    return this.state.cursor ?? SEARCH;
  }

  /** A cursor whose answer begins at this known row, or near it. */
  cursorOf(position: number, cursor = this.cursor): bigint | undefined {
    const row = this.known.kept[position];
    if (cursor === SEARCH) return cursorAt(this.state.marks, row?.timestamp_ms ?? 0);
    const value = fieldValue(row, cursor);
    return value === undefined ? undefined : value + 1n;
  }

  /** The lowest cursor whose answer is joined. */
  get lowest(): bigint | undefined {
    return this.state.lowest === undefined ? undefined : BigInt(this.state.lowest);
  }

  /** Asks, and places the answer. @param probeLimit for another answer than a page */
  async look(cursor: bigint | undefined, probeLimit?: number): Promise<Look<T>> {
    this.requests++;
    const limit = probeLimit ?? this.#options.limit;
    const isPage = probeLimit === undefined;
    const follow = isPage ? (last: readonly T[]) => this.#follow(cursor, last) : undefined;
    const rows = await this.source.page(cursor, limit, this.#options.signal, follow);
    const place = rows === undefined ? unjoined<T>("refused") : this.known.place(rows);
    const look = { cursor, limit, rows: rows ?? [], ...place };
    this.hasChanged ||= look.side === "changed";
    this.#note(look);
    return look;
  }

  #note({ cursor, rows, isPinned }: Look<T>): void {
    const { state } = this;
    const [first] = rows;
    if (first === undefined) return;
    state.longest = Math.max(state.longest, rows.length);
    if (cursor === undefined) return;
    // Cursors above the newest row lead to whatever is newest by then.
    const ms = Math.min(first.timestamp_ms, state.newestMs ?? first.timestamp_ms);
    state.marks = addMark(state.marks, cursor, ms);
    if (!isPinned) return;
    if (cursor < (this.lowest ?? MAX_CURSOR)) state.lowest = `${cursor}`;
    if (cursor > BigInt(state.highest ?? 0)) state.highest = `${cursor}`;
  }

  /** What the page behind this one will be asked for, while somebody waits. @param last its last rows, not checked yet */
  #follow(asked: bigint | undefined, [pin, end]: readonly T[]): bigint | undefined {
    const isWanted = this.#isAwaited && this.#options.bounds.max === undefined;
    if (!isWanted || end === undefined || this.#isAbove(end) || this.#isPast(end)) return undefined;
    const value = fieldValue(pin, this.cursor);
    return value === undefined || value + 1n >= (asked ?? MAX_CURSOR) ? undefined : value + 1n;
  }

  /** Goes on past the last known row. */
  isNext({ isPinned, beyond }: Look<T>): boolean {
    return isPinned && beyond.length > 0;
  }

  /** Pages of several lengths may keep transactions whole: the next one may be as large as any so far. */
  get spare(): number {
    const { shortest, longest, largest } = this.state;
    return shortest < longest ? largest - 1 : 0;
  }

  /** Stops among the known rows although there was room for more: a listing may lose its oldest rows while it is read. */
  isStop({ isPinned, beyond, rows, limit }: Look<T>): boolean {
    const room = Math.min(limit, Math.max(this.state.longest, LEAST_PAGE));
    return isPinned && beyond.length === 0 && rows.length + this.spare < room;
  }

  /** By times and by halves in turn, until an answer is what is looked for. */
  async #seek(
    bracket: Bracket,
    ms: number,
    judge: (look: Look<T>) => keyof Bracket | "found",
  ): Promise<Look<T> | undefined> {
    for (let step = 0; !this.hasChanged; step++) {
      const guess = step % 2 === 0 ? cursorAt(this.state.marks, ms) : undefined;
      const cursor = isInside(guess, bracket) ? guess : halve(bracket);
      if (cursor === undefined) return undefined;
      const look = await this.look(cursor);
      const side = judge(look);
      if (side === "found") return look;
      bracket[side] = cursor;
    }
    return undefined;
  }

  /** The newest page; with `untilMs` one that begins just above that time. Undefined for an empty listing, with a verdict. */
  async #first(): Promise<Look<T> | undefined> {
    const top = await this.look(undefined);
    const [newest] = top.rows;
    if (newest === undefined) {
      this.verdict = await findNothing(this);
      return undefined;
    }
    this.state.newestMs = newest.timestamp_ms;
    return this.#isAbove(top.rows.at(-1)) ? this.#startBelow(top) : top;
  }

  /** From the nearest page above `untilMs`, pages lead down to it, or to the end of the listing. */
  async #startBelow(top: Look<T>): Promise<Look<T>> {
    let above = top;
    const bracket = { low: -1n, high: MAX_CURSOR };
    const found = await this.#seek(bracket, this.#options.bounds.untilMs ?? 0, (look) => {
      if (!this.#isAbove(look.rows[0])) return "low";
      if (!this.#isAbove(look.rows.at(-1))) return "found";
      above = look;
      return "high";
    });
    return found ?? above;
  }

  /** What goes on past the last known row; undefined at the end, with a verdict. */
  async #next(): Promise<Look<T> | undefined> {
    if (this.verdict !== undefined) return undefined;
    const { known, state } = this;
    for (const field of this.#fieldsToTry()) {
      const cursor = this.cursorOf(known.pinPosition, field);
      if (cursor === undefined) continue;
      const look = await this.look(cursor);
      // Where the field has led on before, rows that are not listed any more are no reason to search.
      if (this.#leadsOn(look) || state.cursor === field) return this.#goOn(field, look);
    }
    return this.#goOn(SEARCH, await this.#search());
  }

  #fieldsToTry(): readonly string[] {
    const { cursorFields } = this.source.listing;
    const { cursor = this.#options.cursor } = this.state;
    if (this.state.cursor !== undefined || cursor === SEARCH)
      return cursorFields.filter((field) => field === cursor);
    return cursorFields.toSorted((a, b) => Number(b === cursor) - Number(a === cursor));
  }

  /** Goes on, or stops where a cursor further up would show more: one far above shows the whole of a short listing. */
  #leadsOn(look: Look<T>): boolean {
    return this.isNext(look) || (this.isStop(look) && look.at > 0);
  }

  /** Where no field is the cursor. */
  #search(): Promise<Look<T> | undefined> {
    const { known } = this;
    const bracket = { low: -1n, high: this.lowest ?? MAX_CURSOR };
    return this.#seek(bracket, known.kept[known.pinPosition]?.timestamp_ms ?? 0, (look) =>
      this.#leadsOn(look) ? "found" : sideOf(look),
    );
  }

  async #goOn(cursor: string, look: Look<T> | undefined): Promise<Look<T> | undefined> {
    if (look !== undefined) this.state.cursor ??= cursor;
    const end = look !== undefined && this.isNext(look) ? look : await findEnd(this);
    if ("side" in end) return end;
    const { last = { timestamp_ms: 0 } } = this.known;
    this.#conclude(end, `but of ${formatIsoMs(last.timestamp_ms)} to`);
    this.#options.onEnd?.();
    return undefined;
  }

  #accept(look: Look<T>): Page<T> {
    const { known, state } = this;
    const rows = known.count > 0 ? look.beyond : look.rows;
    if (state.length < state.limit) state.shortest = Math.min(state.shortest, state.length);
    state.largest = Math.max(state.largest, largestTransaction(rows));
    [state.length, state.limit] = [look.rows.length, look.limit];
    known.add(rows);
    state.known = known.count;
    state.pages++;
    state.isNamed ||= rows.some((row) => this.source.listing.isNamedBy(row));
    const { max = Number.POSITIVE_INFINITY } = this.#options.bounds;
    const below = rows.filter((row) => !this.#isAbove(row));
    const past = below.findIndex((row) => this.#isPast(row));
    const inside = past < 0 ? below : below.slice(0, past);
    const taken = inside.slice(0, max - state.taken);
    state.taken += taken.length;
    this.#endAtBounds(rows);
    const skip = look.rows.length - below.length;
    return { rows: taken, before: look.cursor, limit: look.limit, skip, state: { ...state } };
  }

  #endAtBounds(rows: readonly T[]): void {
    const { sinceMs, max } = this.#options.bounds;
    const past = rows.findIndex((row) => this.#isPast(row));
    const isPast = past >= 0;
    const isFull = max !== undefined && this.state.taken >= max;
    if (!isFull && !isPast) return;
    if (isPast && rows.slice(past).some((row) => !this.#isPast(row))) {
      this.verdict = unproven("the rows are not newest first");
      return;
    }
    const reach = isPast ? `back to ${formatIsoMs(sinceMs ?? 0)}` : `the newest ${max}`;
    this.#conclude({ isComplete: true, why: `${this.overlap}; ${reach}` }, "the newest is of");
  }

  /** Where nothing is of the time that was asked for, it may have been another that was meant: what there is, is said. */
  #conclude({ isComplete, why }: Verdict, there: string): void {
    const { taken, newestMs = 0 } = this.state;
    const isEmpty = taken === 0 && this.known.count > 0 && this.#options.bounds.max !== 0;
    const rows = isEmpty ? `; nothing of that time, ${there} ${formatIsoMs(newestMs)}` : "";
    this.verdict = { isComplete, why: `${why}${rows}` };
  }

  /** What joins the pages, for the proof. */
  get overlap(): string {
    return this.state.pages > 1 ? `pages overlap by ${this.cursor}` : "one page";
  }

  #isAbove(row: T | undefined): boolean {
    const { untilMs } = this.#options.bounds;
    return row !== undefined && untilMs !== undefined && row.timestamp_ms > untilMs;
  }

  #isPast(row: T): boolean {
    const { sinceMs } = this.#options.bounds;
    return sinceMs !== undefined && row.timestamp_ms < sinceMs;
  }
}

/** How many rows the largest transaction has: one where they name none. */
function largestTransaction(rows: readonly ListedRecord[]): number {
  let [largest, length] = [1, 0];
  for (const [i, { tx_hash }] of rows.entries()) {
    length = tx_hash !== undefined && tx_hash === rows[i - 1]?.tx_hash ? length + 1 : 1;
    largest = Math.max(largest, length);
  }
  return largest;
}

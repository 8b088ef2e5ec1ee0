// The proving pager: a listing, newest first, page by page, each page proven to leave nothing out after the one
// before it, whatever the cursor means. Interpretation: docs/adr/0012.

import type { Clock } from "../../units/clock.ts";
import { pause } from "../../units/clock.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import { type Bounds, BoundsGate, StartSearch } from "./bounds.ts";
import { MAX_CURSOR, probeCursors } from "./cursors.ts";
import { isNewestFirst } from "./judge.ts";
import { KnownRows } from "./known-rows.ts";
import { PageSearch, type Step } from "./page-search.ts";
import { type Proposal, Proposals } from "./proposals.ts";
import { type RequestCounts, Requests } from "./requests.ts";
import { compareSections, pageSection } from "./sections.ts";
import { isSameRecord, type RecordFields, type Source } from "./source.ts";
import {
  EMPTY_PAGE,
  FIRST_PAGE,
  type Flag,
  type Note,
  type NothingBelow,
  type Reach,
  unproven,
  type Verdict,
} from "./verdict.ts";

/** Requests that look below the end of a listing, where nothing else is said. */
export const DEFAULT_PROBES = 80;
/** A first answer that is empty, or older than it can be, is asked for again: a replica may not have caught up. */
const FIRST_TRIES = 3;
const FIRST_PAUSE_MS = 1000;
/** Last rows that a later run needs to recognise where this one ended. */
const STATE_ROWS = 100;

/** What is read, and within which bounds. */
export interface PagerOptions<T extends object> {
  readonly source: Source<T>;
  readonly fields: RecordFields<T>;
  /** Rows to ask for at once: 1 to 1000. */
  readonly limit: number;
  readonly clock: Clock;
  /** Ends everything; what is awaited then throws its reason. */
  readonly signal: AbortSignal;
  readonly bounds?: Bounds;
  /** Where an earlier run ended. */
  readonly resume?: PagerState<T> | undefined;
  /** Most requests that look below the end; with 0 no end is ever proven. */
  readonly probes?: number | undefined;
  /** Go from page to page by other cursors than a pass without this. */
  readonly isOtherWay?: boolean | undefined;
  /** Unix milliseconds of a row that is known to be listed: the first answer should reach up to it. */
  readonly listedMs?: number | undefined;
  /** Its reader takes all pages: more of them are asked for before they are needed. */
  readonly isReadThrough?: boolean | undefined;
  /** Where a time ends it, rows of that time and later are looked for below, too: the clock of a service may have gone back. */
  readonly looksBelowTime?: boolean | undefined;
  /** To rows that are proven: what is added need not name what is listed. */
  readonly isAdded?: boolean | undefined;
  /** The newest transaction as the stream numbers it: where the listing counts the same, its second page is found sooner. */
  readonly newestIndex?: bigint | undefined;
}

/** Where a run is, between two pages: enough to go on later. */
export interface PagerState<T> {
  /** The last known rows, newest first, at least one. */
  readonly rows: readonly T[];
  /** Rows known in all, and rows of them inside the bounds. */
  readonly known: number;
  readonly taken: number;
  /** Unix milliseconds of the first row of the first answer: the listing is read as it was then. */
  readonly asOfMs: number;
  readonly cursor: bigint | undefined;
  readonly pages: number;
  readonly counts: RequestCounts;
  /** Pages that each field, or the search, has proven. */
  readonly proofs: Readonly<Record<string, number>>;
  readonly notes: readonly Note[];
  /** A row has named what is listed. */
  readonly isNamed?: boolean | undefined;
}

/** Reads one listing once. `pages` may be iterated once; it asks for one page ahead of its reader. */
export class Pager<T extends object> {
  readonly #options: PagerOptions<T>;
  readonly #known: KnownRows<T>;
  readonly #requests: Requests<T>;
  readonly #proposals: Proposals<T>;
  readonly #gate: BoundsGate<T>;
  readonly #search: PageSearch<T>;
  readonly #probes: number;
  readonly #proofs: Record<string, number>;
  readonly #notes: Set<Note>;
  #isNamed: boolean;
  asOfMs: number | undefined;
  #cursor: bigint | undefined;
  #pages: number;
  /** Rows of the last answer; without bound while there is none. */
  #length = Number.POSITIVE_INFINITY;
  /** Rows of the shortest answer that was gone on from: one as long may be gone on from, too. */
  #shortest = MAX_PAGE_LIMIT;
  /** By how much the cursors of the last two pages differ, and how often such a step was taken for the next one in vain. */
  #ahead: { readonly cursor: bigint; readonly step: bigint } | undefined;
  #misses = 0;
  /** What has come of it; undefined until `pages` has ended by itself. */
  verdict: Verdict | undefined;

  constructor(options: PagerOptions<T>) {
    const { fields, limit, bounds = {}, resume } = options;
    this.#options = options;
    this.#probes = options.probes ?? DEFAULT_PROBES;
    this.#known = new KnownRows(fields, Math.max(limit, MAX_PAGE_LIMIT) * 2);
    if (resume !== undefined) this.#known.restore(resume.rows, resume.known);
    this.#proofs = { ...resume?.proofs };
    this.#notes = new Set(resume?.notes);
    this.#isNamed = resume?.isNamed ?? false;
    this.asOfMs = resume?.asOfMs;
    this.#cursor = resume?.cursor;
    this.#pages = resume?.pages ?? 0;
    this.#proposals = new Proposals({ ...options, proven: Object.keys(this.#proofs) });
    this.#gate = new BoundsGate(bounds, fields.timeMs, resume?.taken);
    this.#requests = new Requests({
      ...options,
      next: (end) => this.#cursorAfter(end),
      before: resume?.counts,
    });
    this.#search = new PageSearch(this.#known, this.#requests, this.#proposals, {
      probes: this.#probes,
      isOtherWay: options.isOtherWay ?? false,
      newestIndex: options.newestIndex,
      high: resume?.cursor,
    });
  }

  get counts(): RequestCounts & { readonly pages: number } {
    return { ...this.#requests.counts, pages: this.#pages };
  }

  get notes(): readonly Note[] {
    if (this.#requests.longest > this.#options.limit) this.#notes.add("long-page");
    return [...this.#notes];
  }

  /** Where the run is; undefined while no row is known. True after each page, for its reader. */
  get state(): PagerState<T> | undefined {
    if (this.asOfMs === undefined) return undefined;
    return {
      rows: this.#known.last(STATE_ROWS),
      known: this.#known.count,
      taken: this.#gate.taken,
      asOfMs: this.asOfMs,
      cursor: this.#cursor,
      pages: this.#pages,
      counts: this.#requests.counts,
      proofs: { ...this.#proofs },
      notes: this.notes,
      ...(this.#isNamed ? { isNamed: true } : {}),
    };
  }

  /** Makes the first request now. Without `pages`, `drop` ends it. */
  begin(): void {
    this.#requests.askBeside(undefined, this.#requests.limit);
  }

  /** Ends the requests that nobody needs any more. */
  drop(): void {
    this.#requests.drop();
  }

  /**
   * The pages: rows inside the bounds, newest first, at least one each. Rows that came after the first answer
   * are left out. Afterwards `verdict` says whether that was all.
   * @throws {HistoryError} when the service fails; the signal's reason when aborted
   */
  async *pages(): AsyncGenerator<readonly T[], void, void> {
    try {
      let rows = this.asOfMs === undefined ? await this.#open() : [];
      while (this.verdict === undefined) {
        const passed = this.#gate.pass(rows);
        this.#noteNames(passed.rows);
        if (passed.reached === "since" && (await this.#goesBack()))
          this.#endUnproven("out-of-order");
        else if (passed.reached !== undefined) this.#complete(passed.reached);
        else this.#lookAhead();
        if (passed.rows.length > 0) yield passed.rows;
        if (this.verdict === undefined) rows = await this.#next();
      }
    } finally {
      this.drop();
    }
  }

  /** True when rows of the time that is asked for are listed below older ones: on the next page, or far below. */
  async #goesBack(): Promise<boolean> {
    const { bounds, fields, looksBelowTime = false } = this.#options;
    const sinceMs = bounds?.sinceMs;
    if (!looksBelowTime || sinceMs === undefined || this.#probes === 0) return false;
    const isPast = (row: T) => fields.timeMs(row) < sinceMs;
    const isInside = (row: T) => !isPast(row);
    const { rows } = this.#known;
    const leading = this.#proposals.leading(rows)?.cursor;
    const highest = leading ?? this.#proposals.after(rows)[0]?.cursor ?? 0n;
    if (highest <= 0n) return false;
    const { rows: next } = await this.#requests.full(highest);
    const past = next.findIndex(isPast);
    if (past >= 0 && next.slice(past).some(isInside)) return true;
    // Whether others stand below what is known can be said only where it is known what a cursor is.
    if (leading === undefined) return false;
    const further = Array.from({ length: PAGES_FURTHER_BELOW }, (_, i) => leading >> BigInt(i + 1));
    for (const cursor of further.filter((each) => each > 0n)) {
      const { rows: page } = await this.#requests.full(cursor);
      if (page.some(isInside)) return true;
    }
    return false;
  }

  /** The first page, from which everything is proven on. */
  async #open(): Promise<readonly T[]> {
    const { fields, bounds } = this.#options;
    let page = await this.#firstAnswer();
    if (page.length === 0) {
      const found = await this.#findBelowNothing();
      if (found === undefined) return [];
      // It may be the first row of all, which has come meanwhile: then it is on the first page now.
      page = await this.#requests.newest();
      const text = this.#known.textOf(found);
      const isThere = page.some((row) => this.#known.textOf(row) === text);
      if (!isThere) return this.#endUnproven("first-page-empty", fields.timeMs(found));
    }
    const [first, last] = [page[0], page.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (!isNewestFirst(fields, page)) return this.#endUnproven("out-of-order");
    this.asOfMs = fields.timeMs(first);
    const untilMs = bounds?.untilMs ?? Number.POSITIVE_INFINITY;
    if (fields.timeMs(last) <= untilMs) return this.#know(page, undefined, this.#requests.limit);
    return this.#openBelow(page, untilMs);
  }

  /** @param newest all of it newer than that, Unix milliseconds */
  async #openBelow(newest: readonly T[], untilMs: number): Promise<readonly T[]> {
    const { fields, newestIndex } = this.#options;
    const of = { untilMs, newestIndex };
    const start = await new StartSearch(this.#requests, fields, of).find(newest);
    if (start === undefined) return this.#endUnproven("out-of-order");
    const { cursor, page, step } = start;
    if (cursor !== undefined && step !== undefined) {
      const { length } = page;
      this.#proposals.landed({ cursor: cursor + step, firstRow: -length, length });
      this.#proposals.landed({ cursor, firstRow: 0, length });
    }
    return this.#know(page, cursor, start.limit);
  }

  /**
   * A first page without rows: a service may look only so far back from now.
   * @returns a row that is listed all the same; undefined when there is a verdict
   */
  async #findBelowNothing(): Promise<T | undefined> {
    if (this.#probes === 0) {
      this.#endUnproven("end-not-probed");
      return undefined;
    }
    const { isOtherWay = false } = this.#options;
    const range = { high: MAX_CURSOR, span: 1n, most: this.#probes, isShifted: isOtherWay };
    const { found, answered } = await this.#requests.below(probeCursors(range));
    if (found !== undefined) return found.first;
    const isRefused = answered === 0;
    this.#complete("end", EMPTY_PAGE, { index: MAX_CURSOR, probes: answered, isRefused });
    return undefined;
  }

  #know(page: readonly T[], cursor: bigint | undefined, limit: number): readonly T[] {
    this.#known.append(page);
    this.#search.begin(cursor, page.length, limit);
    this.#cursor = cursor;
    this.#pages++;
    this.#length = page.length;
    return page;
  }

  async #firstAnswer(): Promise<readonly T[]> {
    const { fields, clock, signal, listedMs = Number.NEGATIVE_INFINITY } = this.#options;
    for (let tries = 1; ; tries++) {
      const page = await this.#requests.newest();
      const [first] = page;
      const isRecent = first !== undefined && fields.timeMs(first) >= listedMs;
      if (isRecent || tries === FIRST_TRIES) return page;
      await pause(clock, FIRST_PAUSE_MS, signal);
    }
  }

  async #next(): Promise<readonly T[]> {
    const step = await this.#search.next();
    if (step.kind === "stuck") return this.#endUnproven(step.flag, step.olderMs);
    if (step.kind === "end") {
      this.#complete("end", FIRST_PAGE, step.nothingBelow);
      return [];
    }
    if (isChecked(this.#pages + 1) && !(await this.#isSameAgain(step))) {
      return this.#endUnproven("answers-differ");
    }
    this.#requests.dropBeside();
    this.#pages++;
    this.#cursor = step.cursor;
    this.#shortest = Math.min(this.#shortest, this.#length);
    this.#length = step.answer.length;
    this.#proofs[step.by] = (this.#proofs[step.by] ?? 0) + 1;
    if (step.isReordered) this.#notes.add("unstable-order");
    return step.fresh;
  }

  async #isSameAgain({ cursor, answer }: Extract<Step<T>, { kind: "page" }>): Promise<boolean> {
    const { rows: again } = await this.#requests.page(cursor, this.#checkLimit);
    // Mostly it is the same, and then no row has to be made a text.
    const isLike = (row: T, i: number) => {
      const held = answer[i];
      return held !== undefined && isSameRecord(row, held);
    };
    if (again.every(isLike)) return true;
    const keysOf = (rows: readonly T[]) => rows.map((row) => this.#known.keyOf(row));
    const [held, shown] = [pageSection(keysOf(answer), false), pageSection(keysOf(again), false)];
    if (held === undefined || shown === undefined) return true;
    const isEqual = shown.rows.every(({ text }, i) => text === (held.rows[i]?.text ?? text));
    if (isEqual) return true;
    const { differsAtMs } = compareSections(held, shown);
    if (differsAtMs === undefined) this.#notes.add("unstable-order");
    return differsAtMs === undefined;
  }

  get #checkLimit(): number {
    return Math.max(1, this.#requests.limit - CHECK_SHORTER_BY);
  }

  /** The cursor to ask for next by a field that has been right, while the answer is still raw text. */
  #cursorAfter(end: (count: number) => readonly Partial<T>[]): bigint | undefined {
    const [last] = end(1);
    if (last === undefined || !this.#gate.goesOnAfter(last, this.#requests.limit)) return undefined;
    const cursor = this.#proposals.leadingAtEnd(end)?.cursor;
    // An answer from above is no page that is gone on from.
    const isBelow = cursor !== undefined && (this.#cursor === undefined || cursor < this.#cursor);
    return isBelow ? cursor : undefined;
  }

  /** Makes requests that will be needed while this page is with its reader. */
  #lookAhead(): void {
    const { rows } = this.#known;
    const leading = this.#proposals.leading(rows);
    if (leading !== undefined) {
      this.#requests.askAhead(leading.cursor);
      if (this.#options.isReadThrough) this.#lookFurther(leading.cursor);
      this.#lookBeside(leading);
      return;
    }
    const [proposal] = this.#proposals.after(rows);
    if (proposal === undefined) return;
    const highest = this.#options.isReadThrough ? MAX_CURSOR : 0n;
    if (proposal.cursor < (this.#cursor ?? highest)) this.#requests.askAhead(proposal.cursor);
  }

  /** Where cursors fall by the same step from page to page, the next pages but one are asked for, too. */
  #lookFurther(cursor: bigint): void {
    const last = this.#ahead;
    const step = last === undefined ? 0n : last.cursor - cursor;
    const isSteady = step > 0n && step === last?.step;
    this.#ahead = { cursor, step };
    if (!isSteady && this.#requests.isAskedFurther) this.#misses++;
    const isSure =
      isSteady &&
      this.#misses < MOST_MISSES &&
      this.#gate.isFarFromEnd(this.#known.rows, this.#length);
    const steps = Array.from({ length: isSure ? PAGES_FURTHER : 0 }, (_, i) => BigInt(i + 1));
    const cursors = steps.map((each) => cursor - step * each);
    this.#requests.askFurther(cursors.filter((each) => each > 0n));
  }

  /** The page at this cursor is on its way: what it will be compared with, or what will prove that it is the end. */
  #lookBeside({ cursor, own }: Proposal): void {
    const { limit, fullLimit } = this.#requests;
    if (isChecked(this.#pages + 1)) this.#requests.askBeside(cursor, this.#checkLimit);
    // A page that is shorter than all others may be the last one.
    if (this.#length >= this.#shortest || own === undefined || limit < fullLimit) return;
    this.#search.askBesideEnd(own, { isLikely: this.#shortest === this.#requests.longest });
  }

  #noteNames(rows: readonly T[]): void {
    const { fields, isAdded = false } = this.#options;
    if (fields.isNamedBy === undefined || isAdded) return;
    for (const row of rows) {
      const isNamed = fields.isNamedBy(row);
      if (isNamed === false) this.#notes.add("other-markets");
      this.#isNamed ||= isNamed === true;
    }
  }

  #complete(reach: Reach, by = FIRST_PAGE, nothingBelow?: NothingBelow): void {
    if (this.#notes.has("other-markets") && !this.#isNamed) {
      this.#endUnproven("never-named");
      return;
    }
    const names = Object.entries(this.#proofs)
      .sort(([, a], [, b]) => b - a)
      .map(([name]) => name);
    const provenBy = names.length > 0 ? names.join(" and ") : by;
    const end = nothingBelow === undefined ? {} : { nothingBelow };
    this.verdict = { isComplete: true, reach, provenBy, ...end };
  }

  #endUnproven(flag: Flag, olderMs?: number): readonly T[] {
    const { tail } = this.#known;
    const nearMs = tail === undefined ? this.asOfMs : this.#options.fields.timeMs(tail);
    this.verdict = unproven(flag, nearMs, this.#requests.longest, olderMs);
    return [];
  }
}

/** Pages that are asked for beyond the next one; never more after so many of them were others. */
const PAGES_FURTHER = 2;
const MOST_MISSES = 2;

/** Pages below the next one, where a time ends a listing: at half of its cursor, a quarter … */
const PAGES_FURTHER_BELOW = 4;

/** Pages of which one is asked for again, and which of them: the tenth, so that most exports see it once. */
const CHECK_EVERY = 100;
const CHECK_AT = 10;
/** Rows by which it is shorter, so that it ends elsewhere in a group of rows. */
const CHECK_SHORTER_BY = 3;

function isChecked(page: number): boolean {
  return page % CHECK_EVERY === CHECK_AT;
}

// The proving pager: reads a listing page by page, newest first, and proves that each page leaves nothing out after the previous
// one, whatever the cursor means.
import { type Clock, pause } from "../../units/clock.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import { type Bounds, BoundsGate, StartSearch } from "./bounds.ts";
import { MAX_CURSOR, probeCursors } from "./cursors.ts";
import { isNewestFirst } from "./judge.ts";
import { KnownRows } from "./known-rows.ts";
import { PageSearch, type Step } from "./page-search.ts";
import { type Proposal, Proposals } from "./proposals.ts";
import { type RequestCounts, Requests } from "./requests.ts";
import { compareSections, pageSection } from "./sections.ts";
import { isSameRecord, type PageRequest, type RecordFields, type Source } from "./source.ts";
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

/** Default number of probes below the end. */
export const DEFAULT_PROBES = 80;
/** Attempts while the first response is empty or too old: a replica may lag behind. */
const FIRST_TRIES = 3;
const FIRST_PAUSE_MS = 1000;
/** The last rows, by which a resumed run recognises its position. */
const STATE_ROWS = 100;

export interface PagerOptions<T extends object> {
  readonly source: Source<T>;
  readonly fields: RecordFields<T>;
  /** 1 to 1000. */
  readonly limit: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly bounds?: Bounds;
  readonly resume?: PagerState<T> | undefined;
  /** Maximum number of requests below the end; with 0 no end is ever proven. */
  readonly probes?: number | undefined;
  /** Use different cursors from those of a pass without this option. */
  readonly usesOtherCursors?: boolean | undefined;
  /** Unix milliseconds of a listed row that the first response should reach. */
  readonly listedMs?: number | undefined;
  /** All pages will be read: request more of them ahead. */
  readonly isReadThrough?: boolean | undefined;
  /** Look for rows of the requested time above and below its bounds: the service's clock may have gone back. */
  readonly looksBeyondTimes?: boolean | undefined;
  /** Continues rows that were proven before: the added rows need not name what is listed. */
  readonly isAdded?: boolean | undefined;
  /** The newest transaction index of the stream: if the listing uses the same index, its second page is found sooner. */
  readonly newestIndex?: bigint | undefined;
}

/** A response that was accepted as a page. */
export interface Accepted<T> extends PageRequest {
  /** Newest first, including known ones. */
  readonly rows: readonly T[];
}

/** The state between two pages: enough to resume. */
export interface PagerState<T> {
  /** The last known rows, newest first; at least one. */
  readonly rows: readonly T[];
  /** All known rows; `taken`: those inside the bounds. */
  readonly known: number;
  readonly taken: number;
  /** Unix milliseconds of the newest row of the first response. */
  readonly asOfMs: number;
  readonly cursor: bigint | undefined;
  /** Of the answer at the cursor. */
  readonly limit?: number | undefined;
  readonly pages: number;
  readonly counts: RequestCounts;
  /** Number of pages proven by each field, or by the search. */
  readonly proofs: Readonly<Record<string, number>>;
  readonly notes: readonly Note[];
  /** Some row has named what is listed. */
  readonly isNamed?: boolean | undefined;
}

/** Reads one listing once, requesting one page ahead of the consumer. */
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
  /** The last one; undefined before the first of this run. */
  accepted: Accepted<T> | undefined;
  /** Length of the shortest response that was continued: a response as short as this may be continued, too. */
  #shortest = MAX_PAGE_LIMIT;
  /** The step between the last two cursors; `#misses` counts failed extrapolations. */
  #ahead: { readonly cursor: bigint; readonly step: bigint } | undefined;
  #misses = 0;
  /** Undefined until `pages` has ended on its own. */
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
      usesOtherCursors: options.usesOtherCursors ?? false,
      newestIndex: options.newestIndex,
      high: resume?.cursor,
      highLimit: resume?.limit,
    });
  }

  get counts(): RequestCounts & { readonly pages: number } {
    return { ...this.#requests.counts, pages: this.#pages };
  }

  /** Rows of the last response. */
  get #length(): number {
    return this.accepted?.rows.length ?? Number.POSITIVE_INFINITY;
  }

  get notes(): readonly Note[] {
    if (this.#requests.longest > this.#options.limit) this.#notes.add("long-page");
    return [...this.#notes];
  }

  /** Undefined until a row is known; valid after each page. */
  get state(): PagerState<T> | undefined {
    if (this.asOfMs === undefined) return undefined;
    return {
      rows: this.#known.last(STATE_ROWS),
      known: this.#known.count,
      taken: this.#gate.taken,
      asOfMs: this.asOfMs,
      cursor: this.#cursor,
      limit: this.accepted?.limit ?? this.#options.resume?.limit,
      pages: this.#pages,
      counts: this.#requests.counts,
      proofs: { ...this.#proofs },
      notes: this.notes,
      ...(this.#isNamed ? { isNamed: true } : {}),
    };
  }

  /** Sends the first request of `pages` now; `drop` aborts it. */
  begin(): void {
    this.#requests.prefetchOther(undefined, this.#requests.limit);
  }

  drop(): void {
    this.#requests.drop();
  }

  /**
   * Rows inside the bounds, newest first, at least one per page, excluding those newer than the first response. Sets `verdict` at
   * the end.
   * @throws {HistoryError} when the service fails; the signal's reason when aborted
   */
  async *pages(): AsyncGenerator<readonly T[], void, void> {
    try {
      let rows = this.asOfMs === undefined ? await this.#open() : this.#rowsBeyond();
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

  /** If an earlier run was stopped beyond its bound, nothing more is needed. */
  #rowsBeyond(): readonly T[] {
    const { tail } = this.#known;
    return tail !== undefined && this.#gate.isPast(tail) ? [tail] : [];
  }

  /** Whether rows of the requested time are listed below older ones, on the next page or far below. */
  async #goesBack(): Promise<boolean> {
    const { bounds, fields, looksBeyondTimes = false } = this.#options;
    const sinceMs = bounds?.sinceMs;
    if (!looksBeyondTimes || sinceMs === undefined || this.#probes === 0) return false;
    const isPast = (row: T) => fields.timeMs(row) < sinceMs;
    const isInside = (row: T) => !isPast(row);
    const { rows } = this.#known;
    const leading = this.#proposals.leading(rows)?.cursor;
    const highest = leading ?? this.#proposals.after(rows)[0]?.cursor ?? 0n;
    if (highest <= 0n) return false;
    const { rows: next } = await this.#requests.full(highest);
    const past = next.findIndex(isPast);
    if (past >= 0 && next.slice(past).some(isInside)) return true;
    // Probe further below only if the meaning of the cursor is known.
    if (leading === undefined) return false;
    const further = Array.from({ length: PAGES_FURTHER_BELOW }, (_, i) => leading >> BigInt(i + 1));
    for (const cursor of further.filter((each) => each > 0n)) {
      const { rows: page } = await this.#requests.full(cursor);
      if (page.some(isInside)) return true;
    }
    return false;
  }

  async #open(): Promise<readonly T[]> {
    const { fields, bounds } = this.#options;
    let page = await this.#firstAnswer();
    if (page.length === 0) {
      const found = await this.#findBelowNothing();
      if (found === undefined) return [];
      // The very first row may have arrived meanwhile.
      page = await this.#requests.newest();
      const text = this.#known.textOf(found);
      const isAvailable = page.some((row) => this.#known.textOf(row) === text);
      if (!isAvailable) return this.#endUnproven("first-page-empty", fields.timeMs(found));
    }
    const [first, last] = [page[0], page.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (!isNewestFirst(fields, page)) return this.#endUnproven("out-of-order");
    this.asOfMs = fields.timeMs(first);
    const untilMs = bounds?.untilMs ?? Number.POSITIVE_INFINITY;
    if (fields.timeMs(last) <= untilMs) return this.#know(page, undefined, this.#requests.limit);
    return this.#openBelow(page, untilMs);
  }

  /** @param newest rows that are all newer than `untilMs` */
  async #openBelow(newest: readonly T[], untilMs: number): Promise<readonly T[]> {
    const { fields, newestIndex, looksBeyondTimes = false } = this.#options;
    const search = new StartSearch(this.#requests, fields, untilMs, looksBeyondTimes);
    const start = await search.find(newest, newestIndex);
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
   * The first page is empty, but a service may limit how far back it looks.
   * @returns a row that is listed nevertheless; undefined once there is a verdict
   */
  async #findBelowNothing(): Promise<T | undefined> {
    if (this.#probes === 0) {
      this.#endUnproven("end-not-probed");
      return undefined;
    }
    const { usesOtherCursors = false } = this.#options;
    const range = { high: MAX_CURSOR, span: 1n, most: this.#probes, isShifted: usesOtherCursors };
    const { found, answered } = await this.#requests.below(probeCursors(range));
    if (found !== undefined) return found.first;
    const isRefused = answered === 0;
    this.#complete("end", EMPTY_PAGE, { index: MAX_CURSOR, probes: answered, isRefused });
    return undefined;
  }

  #know(page: readonly T[], cursor: bigint | undefined, limit: number): readonly T[] {
    this.#known.append(page);
    this.#search.begin(cursor, page.length, limit);
    this.#accept(cursor, { before: cursor, limit, rows: page });
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
    this.#requests.dropOther();
    this.#shortest = Math.min(this.#shortest, this.#length);
    const { cursor, limit, answer } = step;
    // The highest cursor asks for the newest rows, like none.
    this.#accept(cursor, {
      before: cursor === MAX_CURSOR ? undefined : cursor,
      limit,
      rows: answer,
    });
    this.#proofs[step.by] = (this.#proofs[step.by] ?? 0) + 1;
    if (step.isReordered) this.#notes.add("unstable-order");
    return step.fresh;
  }

  #accept(cursor: bigint | undefined, accepted: Accepted<T>): void {
    this.#cursor = cursor;
    this.#pages++;
    this.accepted = accepted;
  }

  async #isSameAgain({ cursor, answer }: Extract<Step<T>, { kind: "page" }>): Promise<boolean> {
    const { rows: again } = await this.#requests.page(cursor, this.#checkLimit);
    // Usually nothing has changed: then no texts are needed.
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

  /** By a field that was right before, from the raw text of a response. */
  #cursorAfter(end: (count: number) => readonly Partial<T>[]): bigint | undefined {
    const [last] = end(1);
    if (last === undefined || !this.#gate.goesOnAfter(last, this.#requests.limit)) return undefined;
    const cursor = this.#proposals.leadingAtEnd(end)?.cursor;
    // A response from above is not continued.
    const isBelow = cursor !== undefined && (this.#cursor === undefined || cursor < this.#cursor);
    return isBelow ? cursor : undefined;
  }

  /** Sends requests while the consumer processes this page. */
  #lookAhead(): void {
    const { rows } = this.#known;
    const leading = this.#proposals.leading(rows);
    if (leading !== undefined) {
      this.#requests.prefetchNext(leading.cursor);
      if (this.#options.isReadThrough) this.#lookFurther(leading.cursor);
      this.#lookBeside(leading);
      return;
    }
    const [proposal] = this.#proposals.after(rows);
    if (proposal === undefined) return;
    const highest = this.#options.isReadThrough ? MAX_CURSOR : 0n;
    if (proposal.cursor < (this.#cursor ?? highest)) this.#requests.prefetchNext(proposal.cursor);
  }

  /** If cursors fall by the same step from page to page, requests further pages, too. */
  #lookFurther(cursor: bigint): void {
    const last = this.#ahead;
    const step = last === undefined ? 0n : last.cursor - cursor;
    const isSteady = step > 0n && step === last?.step;
    this.#ahead = { cursor, step };
    if (!isSteady && this.#requests.isAskedFurther) this.#misses++;
    const isSure =
      isSteady &&
      this.#misses < MAX_MISSES &&
      this.#gate.isFarFromEnd(this.#known.rows, this.#length);
    const steps = Array.from({ length: isSure ? PAGES_FURTHER : 0 }, (_, i) => BigInt(i + 1));
    const cursors = steps.map((each) => cursor - step * each);
    this.#requests.prefetchLater(cursors.filter((each) => each > 0n));
  }

  /** The next page is already requested: also sends the requests for its check, or for proving that it is the last. */
  #lookBeside({ cursor, own }: Proposal): void {
    const { limit, fullLimit } = this.#requests;
    if (isChecked(this.#pages + 1)) this.#requests.prefetchOther(cursor, this.#checkLimit);
    // A page shorter than all others may be the last.
    if (this.#length >= this.#shortest || own === undefined || limit < fullLimit) return;
    this.#search.prefetchEndProof(own, { isLikely: this.#shortest === this.#requests.longest });
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

/** Pages requested beyond the next one; none after MAX_MISSES wrong guesses. */
const PAGES_FURTHER = 2;
const MAX_MISSES = 2;

/** Pages probed below a time that ends a listing: at half of the cursor, a quarter … */
const PAGES_FURTHER_BELOW = 4;

/** Pages that are read again: the tenth of every hundred, so that most exports check one. */
const CHECK_EVERY = 100;
const CHECK_AT = 10;
/** A shorter page ends at another position in a group of rows. */
const CHECK_SHORTER_BY = 3;

function isChecked(page: number): boolean {
  return page % CHECK_EVERY === CHECK_AT;
}

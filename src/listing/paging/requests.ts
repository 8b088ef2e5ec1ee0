// The pager's requests: counted, and some of them made ahead while the answer before them is still being read.

import { setMaxListeners } from "node:events";
import type { Clock } from "../../units/clock.ts";
import { HistoryError } from "../../units/monitor-error.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { Answer, PageRequest, Source } from "./source.ts";

export interface RequestCounts {
  /** Requests that were made, probes and unused ones too; without what the source tried again by itself. */
  readonly requests: number;
  /** Requests for a single row, and those that looked below the end. */
  readonly probes: number;
  /** Rows of the longest page that came. */
  readonly longest: number;
}

/** What came of a request with a cursor. */
export interface Reply<T> {
  /** Newest first if the service keeps to the interface; none where the request was refused. */
  readonly rows: readonly T[];
  readonly limit: number;
  /** The service does not take this cursor, or this limit: that says nothing about the listing. */
  readonly isRefused: boolean;
}

export interface Below<T> {
  /** The first answer that has rows; the others were not looked at. */
  readonly found?: { readonly cursor: bigint; readonly first: T } | undefined;
  /** How many were answered without rows, where none is found. */
  readonly answered: number;
}

interface Ahead<T> {
  readonly request: PageRequest;
  readonly answer: Promise<Answer<T> | undefined>;
  readonly abort: AbortController;
}

interface RequestsOptions<T> {
  readonly source: Source<T>;
  readonly limit: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The cursor that will be asked for after an answer that ends like this; undefined when that is unclear. */
  readonly next: (end: (count: number) => readonly Partial<T>[]) => bigint | undefined;
  /** Counts of an earlier run. */
  readonly before?: RequestCounts | undefined;
}

/** Statuses by which a service can say that a cursor is none for it. */
const REFUSALS = ["http-400", "http-416", "http-422"];
/** Behind a first page that was answered: there is nothing at this cursor (4.5 shows neither statuses nor errors). */
const NOTHING_THERE = ["http-404", "http-410"];
/** Requests that look below the end at the same time. */
const AT_ONCE = 24;

/** Asks the source, and counts what it asks. */
export class Requests<T> {
  readonly #options: RequestsOptions<T>;
  readonly #counts: { -readonly [C in keyof RequestCounts]: number };
  /** Rows that a page is asked for. */
  limit: number;
  /** The most rows that the service takes as a limit, as far as is known. */
  fullLimit = MAX_PAGE_LIMIT;
  /** The service has answered without rows where rows are: it may look only so far back, or filter what it has found. */
  isFiltering = false;
  /** The next page. */
  #ahead: Ahead<T> | undefined;
  /** The pages after it, where it is known well enough which they are. */
  #further: readonly Ahead<T>[] = [];
  #beside: readonly Ahead<T>[] = [];
  /** A page was not found: as empty as one without rows, while the listing itself is found. */
  #isMissing = false;

  constructor(options: RequestsOptions<T>) {
    this.#options = options;
    this.limit = options.limit;
    this.#counts = { requests: 0, probes: 0, longest: 0, ...options.before };
    // Each request that is under way waits for the signal, too: Node takes more than ten for a leak, and says so on the terminal.
    setMaxListeners(0, options.signal);
  }

  get counts(): RequestCounts {
    return { ...this.#counts };
  }

  get longest(): number {
    return this.#counts.longest;
  }

  /**
   * The newest rows.
   * @throws {HistoryError} when the service refuses
   */
  async newest(limit = this.limit): Promise<readonly T[]> {
    return (await this.page(undefined, limit)).rows;
  }

  /** A whole page before a cursor, or the newest one. */
  async page(before: bigint | undefined, limit = this.limit): Promise<Reply<T>> {
    const answer = await this.#take({ before, limit });
    if (answer === undefined) return { rows: [], limit, isRefused: true };
    if (limit === this.limit) {
      const next = this.#options.next((count) => answer.end(count));
      if (next !== undefined && next !== before) {
        this.askAhead(next);
        await this.#yieldTwice();
      }
    }
    const rows = answer.records();
    this.#counts.longest = Math.max(this.#counts.longest, rows.length);
    return { rows, limit, isRefused: false };
  }

  /** As many rows before a cursor as the service gives at once. */
  async full(before: bigint): Promise<Reply<T>> {
    const reply = await this.page(before, this.fullLimit);
    const { limit } = this.#options;
    if (!reply.isRefused || this.fullLimit === limit) return reply;
    // It may be the limit that is refused: that of the other pages was taken.
    const again = await this.page(before, limit);
    if (!again.isRefused) this.fullLimit = limit;
    return again;
  }

  /** The first row before a cursor, alone. */
  single(before: bigint): Promise<Reply<T>> {
    this.#counts.probes++;
    return this.page(before, 1);
  }

  /** The same from a service that may count rows of others in its limit: where one row is none, as many as can be are asked for. */
  async first(before: bigint): Promise<Reply<T>> {
    const one = await this.single(before);
    if (one.isRefused || one.rows.length > 0) return one;
    const full = await this.full(before);
    if (full.rows.length > 0) this.isFiltering = true;
    return { ...full, isRefused: false };
  }

  /**
   * Looks whether anything is listed at these cursors, some at a time.
   * @param high below it, what was asked for as a page that turned out to be another one is looked at, too
   */
  async below(cursors: readonly bigint[], high = 0n): Promise<Below<T>> {
    let answered = 0;
    for (let from = 0; from < cursors.length; from += AT_ONCE) {
      const some = cursors.slice(from, from + AT_ONCE);
      this.#counts.probes += some.length;
      const replies = await Promise.all(some.map((cursor) => this.full(cursor)));
      const at = replies.findIndex(({ rows }) => rows.length > 0);
      const [first, cursor] = [replies[at]?.rows[0], some[at]];
      if (first !== undefined && cursor !== undefined)
        return { found: { cursor, first }, answered };
      answered += replies.filter(({ isRefused }) => !isRefused).length;
    }
    for (const { request } of this.#beside) {
      const { before: cursor, limit } = request;
      if (cursor === undefined || cursor >= high || limit < this.limit) continue;
      const [first] = (await this.page(cursor, limit)).rows;
      if (first !== undefined) return { found: { cursor, first }, answered };
    }
    // It may be the listing that cannot be found any more: then this says so.
    if (this.#isMissing) await this.#ask({ before: undefined, limit: 1 }, this.#options.signal);
    this.#isMissing = false;
    return { answered };
  }

  /** Makes the request for a page before it is needed. One at a time. */
  askAhead(before: bigint): void {
    const request = { before, limit: this.limit };
    if (this.#ahead !== undefined && isSame(this.#ahead.request, request)) return;
    if (find(this.#further, request) !== undefined) return;
    this.#ahead?.abort.abort();
    this.#ahead = this.#make(request);
  }

  get isAskedFurther(): boolean {
    return this.#further.length > 0;
  }

  /** Makes the requests for pages that are likely to be needed after the next one. */
  askFurther(cursors: readonly bigint[]): void {
    const requests = cursors.map((before) => ({ before, limit: this.limit }));
    const ahead = this.#ahead === undefined ? [] : [this.#ahead];
    const held = [...this.#further, ...ahead];
    this.#further = requests.map((each) => find(held, each) ?? this.#make(each));
    // One that is not needed mostly ends by itself: ending it would end its connection.
    const others = held.filter((each) => !ahead.includes(each) && !this.#further.includes(each));
    this.#beside = [...this.#beside, ...others];
  }

  /** Makes a request before it is needed, in addition to that for a page. @param before undefined for the newest rows */
  askBeside(before: bigint | undefined, limit: number): void {
    const request = { before, limit };
    if (find(this.#beside, request) !== undefined) return;
    this.#beside = [...this.#beside, this.#make(request)];
  }

  /** Ends requests that were made beside the one for a page and that nobody needs. */
  dropBeside(): void {
    for (const { abort } of this.#beside) abort.abort();
    this.#beside = [];
  }

  /** Ends all requests that were made before they were needed and that nobody needs. */
  drop(): void {
    this.#ahead?.abort.abort();
    this.#ahead = undefined;
    this.askFurther([]);
    this.dropBeside();
  }

  #make(request: PageRequest): Ahead<T> {
    const abort = new AbortController();
    const answer = this.#ask(request, AbortSignal.any([abort.signal, this.#options.signal]));
    // Whoever takes the answer sees its failure; an unused one fails in silence.
    answer.catch(() => {});
    return { request, answer, abort };
  }

  /** The answer to a request, which may have been made already. */
  #take(request: PageRequest): Promise<Answer<T> | undefined> {
    const beside = find(this.#beside, request);
    if (beside !== undefined) {
      this.#beside = this.#beside.filter((each) => each !== beside);
      return beside.answer;
    }
    const further = find(this.#further, request);
    if (further !== undefined) {
      this.#further = this.#further.filter((each) => each !== further);
      return further.answer;
    }
    const ahead = this.#ahead;
    if (ahead === undefined || !isSame(ahead.request, request)) {
      return this.#ask(request, this.#options.signal);
    }
    this.#ahead = undefined;
    return ahead.answer;
  }

  /** @returns undefined when the service refuses the cursor */
  async #ask(request: PageRequest, signal: AbortSignal): Promise<Answer<T> | undefined> {
    this.#counts.requests++;
    try {
      return await this.#options.source.get(request, signal);
    } catch (error) {
      if (!(error instanceof HistoryError) || request.before === undefined) throw error;
      if (REFUSALS.includes(error.code)) return undefined;
      if (!NOTHING_THERE.includes(error.code)) throw error;
      this.#isMissing = true;
      return { end: () => [], records: () => [] };
    }
  }

  /** Two turns of the event loop: only then is a request on its way while the next thing blocks the loop. */
  async #yieldTwice(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise<void>((resolve) => this.#options.clock.soon(resolve));
    }
  }
}

function find<T>(made: readonly Ahead<T>[], request: PageRequest): Ahead<T> | undefined {
  return made.find((each) => isSame(each.request, request));
}

function isSame(a: PageRequest, b: PageRequest): boolean {
  return a.before === b.before && a.limit === b.limit;
}

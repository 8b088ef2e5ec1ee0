// The requests of a pager: counted, and some made ahead.

import { setMaxListeners } from "node:events";
import type { Clock } from "../../units/clock.ts";
import { HistoryError } from "../../units/monitor-error.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { Answer, PageRequest, Source } from "./source.ts";

export interface RequestCounts {
  /** Including unused ones, without retries of the source. */
  readonly requests: number;
  /** For a single row, or below the end. */
  readonly probes: number;
  readonly longest: number;
}

export interface Reply<T> {
  /** Newest first; none where the request was refused. */
  readonly rows: readonly T[];
  readonly limit: number;
  /** The service does not accept this cursor or limit: that says nothing about the listing. */
  readonly isRefused: boolean;
}

export interface Below<T> {
  readonly found?: { readonly cursor: bigint; readonly first: T } | undefined;
  /** Empty answers, where none is found. */
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
  /** The cursor of the next page, from the end of an answer; undefined when it is unclear. */
  readonly next: (end: (count: number) => readonly Partial<T>[]) => bigint | undefined;
  readonly before?: RequestCounts | undefined;
}

/** A service may refuse a cursor by these. */
const REFUSALS = ["http-400", "http-416", "http-422"];
/** After the first page: nothing at this cursor (4.5 shows neither statuses nor errors). */
const NOTHING_THERE = ["http-404", "http-410"];
/** Parallel requests below the end. */
const AT_ONCE = 24;

/** Asks the source, and counts what it asks. */
export class Requests<T> {
  readonly #options: RequestsOptions<T>;
  readonly #counts: { -readonly [C in keyof RequestCounts]: number };
  limit: number;
  /** The highest limit that the service is known to accept. */
  fullLimit = MAX_PAGE_LIMIT;
  /** The service has answered without rows where there are some: it may look back only so far, or filter its result. */
  isFiltering = false;
  #ahead: Ahead<T> | undefined;
  /** The pages after the next one. */
  #further: readonly Ahead<T>[] = [];
  #beside: readonly Ahead<T>[] = [];
  /** A page was not found: it counts as empty while the listing itself is found. */
  #isMissing = false;

  constructor(options: RequestsOptions<T>) {
    this.#options = options;
    this.limit = options.limit;
    this.#counts = { requests: 0, probes: 0, longest: 0, ...options.before };
    // Each request listens to the signal: Node warns of a leak from eleven listeners on.
    setMaxListeners(0, options.signal);
  }

  get counts(): RequestCounts {
    return { ...this.#counts };
  }

  get longest(): number {
    return this.#counts.longest;
  }

  /** @throws {HistoryError} when the service refuses */
  async newest(limit = this.limit): Promise<readonly T[]> {
    return (await this.page(undefined, limit)).rows;
  }

  /** A page before a cursor, or the newest one. */
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

  /** As many rows as the service gives at once. */
  async full(before: bigint): Promise<Reply<T>> {
    const reply = await this.page(before, this.fullLimit);
    const { limit } = this.#options;
    if (!reply.isRefused || this.fullLimit === limit) return reply;
    // The limit may be refused: that of the other pages was accepted.
    const again = await this.page(before, limit);
    if (!again.isRefused) this.fullLimit = limit;
    return again;
  }

  single(before: bigint): Promise<Reply<T>> {
    this.#counts.probes++;
    return this.page(before, 1);
  }

  /** The first row; a full page where one row is none, because a service may count hidden rows in its limit. */
  async first(before: bigint): Promise<Reply<T>> {
    const one = await this.single(before);
    if (one.isRefused || one.rows.length > 0) return one;
    const full = await this.full(before);
    if (full.rows.length > 0) this.isFiltering = true;
    return { ...full, isRefused: false };
  }

  /** Looks for rows at these cursors. | @param high wrong guesses of the next page below it are used, too */
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
    // Fails if the listing itself cannot be found any more.
    if (this.#isMissing) await this.#ask({ before: undefined, limit: 1 }, this.#options.signal);
    this.#isMissing = false;
    return { answered };
  }

  /** Requests the next page before it is needed. One at a time. */
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

  /** Requests pages that are likely to follow the next one. */
  askFurther(cursors: readonly bigint[]): void {
    const requests = cursors.map((before) => ({ before, limit: this.limit }));
    const ahead = this.#ahead === undefined ? [] : [this.#ahead];
    const held = [...this.#further, ...ahead];
    this.#further = requests.map((each) => find(held, each) ?? this.#make(each));
    // Not aborted: that would close its connection, and it mostly ends by itself.
    const others = held.filter((each) => !ahead.includes(each) && !this.#further.includes(each));
    this.#beside = [...this.#beside, ...others];
  }

  /** Any other request before it is needed. @param before undefined for the newest rows */
  askBeside(before: bigint | undefined, limit: number): void {
    const request = { before, limit };
    if (find(this.#beside, request) !== undefined) return;
    this.#beside = [...this.#beside, this.#make(request)];
  }

  dropBeside(): void {
    for (const { abort } of this.#beside) abort.abort();
    this.#beside = [];
  }

  /** Aborts all requests that were made ahead. */
  drop(): void {
    this.#ahead?.abort.abort();
    this.#ahead = undefined;
    this.askFurther([]);
    this.dropBeside();
  }

  #make(request: PageRequest): Ahead<T> {
    const abort = new AbortController();
    const answer = this.#ask(request, AbortSignal.any([abort.signal, this.#options.signal]));
    // An unused request may fail.
    answer.catch(() => {});
    return { request, answer, abort };
  }

  /** Uses a request that was made ahead. */
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

  /** The request leaves only after two turns of the event loop. */
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

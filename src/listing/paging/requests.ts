// The requests of a pager: counts them, and makes some ahead of time.
import { setMaxListeners } from "node:events";
import type { Clock } from "../../units/clock.ts";
import { HistoryError } from "../../units/monitor-error.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { Answer, PageRequest, Source } from "./source.ts";

export interface RequestCounts {
  /** Including unused requests, but not retries of the source. */
  readonly requests: number;
  /** Requests for a single row, or below the end. */
  readonly probes: number;
  readonly longest: number;
}

export interface Reply<T> {
  /** Newest first; empty if the request was refused. */
  readonly rows: readonly T[];
  readonly limit: number;
  /** The service does not accept this cursor or limit, which shows nothing about the listing. */
  readonly isRefused: boolean;
}

export interface Below<T> {
  readonly found?: { readonly cursor: bigint; readonly first: T } | undefined;
  /** Number of empty responses, if no row was found. */
  readonly answered: number;
}

/** For the next page, for one that may follow it, or for anything else. */
type Purpose = "next" | "later" | "beside";

interface Ahead<T> {
  purpose: Purpose;
  readonly request: PageRequest;
  readonly answer: Promise<Answer<T> | undefined>;
  readonly abort: AbortController;
}

interface RequestsOptions<T> {
  readonly source: Source<T>;
  readonly limit: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The cursor of the next page, derived from the end of a response; undefined if unclear. */
  readonly next: (end: (count: number) => readonly Partial<T>[]) => bigint | undefined;
  readonly before?: RequestCounts | undefined;
}

/** Statuses with which a service may refuse a cursor. */
const REFUSALS = ["http-400", "http-416", "http-422"];
/** After the first page, these mean that nothing is at this cursor (4.5 documents neither statuses nor errors). */
const NOTHING_THERE = ["http-404", "http-410"];

/**
 * What an error says of a cursor: it is not accepted, or nothing is listed below it.
 * @returns undefined where the request had no cursor, or failed otherwise
 */
export function cursorFault(
  error: unknown,
  { before }: PageRequest,
): "refused" | "nothing" | undefined {
  if (!(error instanceof HistoryError) || before === undefined) return undefined;
  if (REFUSALS.includes(error.code)) return "refused";
  return NOTHING_THERE.includes(error.code) ? "nothing" : undefined;
}
/** Parallel requests below the end. */
const AT_ONCE = 24;

/** Requests pages from the source, and counts the requests. */
export class Requests<T> {
  readonly #options: RequestsOptions<T>;
  readonly #counts: { -readonly [C in keyof RequestCounts]: number };
  limit: number;
  /** The highest limit that the service is known to accept. */
  fullLimit = MAX_PAGE_LIMIT;
  /** The service returned no rows where some exist: it may limit how far back it looks, or filter its results. */
  isFiltering = false;
  /** Requests made ahead of time; at most one is for the next page. */
  #ahead: readonly Ahead<T>[] = [];
  /** A page returned "not found": it counts as empty while the listing itself is found. */
  #isMissing = false;

  constructor(options: RequestsOptions<T>) {
    this.#options = options;
    this.limit = options.limit;
    this.#counts = { requests: 0, probes: 0, longest: 0, ...options.before };
    // Each request adds a listener to the signal: from eleven on, Node warns of a leak.
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

  /** The page before a cursor, or the newest page. */
  async page(before: bigint | undefined, limit = this.limit): Promise<Reply<T>> {
    const answer = await this.#take({ before, limit });
    if (answer === undefined) return { rows: [], limit, isRefused: true };
    if (limit === this.limit) {
      const next = this.#options.next((count) => answer.end(count));
      if (next !== undefined && next !== before) {
        this.prefetchNext(next);
        await this.#yieldTwice();
      }
    }
    const rows = answer.records();
    this.#counts.longest = Math.max(this.#counts.longest, rows.length);
    return { rows, limit, isRefused: false };
  }

  /** As many rows as the service returns at once. */
  async full(before: bigint): Promise<Reply<T>> {
    const reply = await this.page(before, this.fullLimit);
    const { limit } = this.#options;
    if (!reply.isRefused || this.fullLimit === limit) return reply;
    // The limit may be what is refused: retry with that of the other pages, which was accepted.
    const again = await this.page(before, limit);
    if (!again.isRefused) this.fullLimit = limit;
    return again;
  }

  single(before: bigint): Promise<Reply<T>> {
    this.#counts.probes++;
    return this.page(before, 1);
  }

  /**
   * The first row. If a page of one row is empty, requests a full page, because a service may count hidden rows towards the
   * limit.
   */
  async first(before: bigint): Promise<Reply<T>> {
    const single = await this.single(before);
    if (single.isRefused || single.rows.length > 0) return single;
    const full = await this.full(before);
    if (full.rows.length > 0) this.isFiltering = true;
    return { ...full, isRefused: false };
  }

  /** Looks for rows at these cursors. @param high pending wrong guesses of the next page below this cursor are used, too */
  async below(cursors: readonly bigint[], high = 0n): Promise<Below<T>> {
    let answered = 0;
    for (let from = 0; from < cursors.length; from += AT_ONCE) {
      const batch = cursors.slice(from, from + AT_ONCE);
      this.#counts.probes += batch.length;
      const replies = await Promise.all(batch.map((cursor) => this.full(cursor)));
      const at = replies.findIndex(({ rows }) => rows.length > 0);
      const [first, cursor] = [replies[at]?.rows[0], batch[at]];
      if (first !== undefined && cursor !== undefined)
        return { found: { cursor, first }, answered };
      answered += replies.filter(({ isRefused }) => !isRefused).length;
    }
    for (const { request } of this.#ahead.filter(isBeside)) {
      const { before: cursor, limit } = request;
      if (cursor === undefined || cursor >= high || limit < this.limit) continue;
      const [first] = (await this.page(cursor, limit)).rows;
      if (first !== undefined) return { found: { cursor, first }, answered };
    }
    // Throws if the listing itself is no longer found.
    if (this.#isMissing) await this.#ask({ before: undefined, limit: 1 }, this.#options.signal);
    this.#isMissing = false;
    return { answered };
  }

  /** Requests the next page ahead of time; only one at a time. */
  prefetchNext(before: bigint): void {
    const request = { before, limit: this.limit };
    if (this.#find(request, ["next", "later"]) !== undefined) return;
    this.#drop(["next"]);
    this.#make("next", request);
  }

  get isAskedFurther(): boolean {
    return this.#ahead.some(({ purpose }) => purpose === "later");
  }

  /** Requests pages that are likely to follow the next one. */
  prefetchLater(cursors: readonly bigint[]): void {
    const { limit } = this;
    for (const ahead of this.#ahead.filter(({ purpose }) => purpose === "later")) {
      const { before, limit: asked } = ahead.request;
      const isWanted = asked === limit && cursors.some((cursor) => cursor === before);
      // Not aborted: that would close its connection, and it usually completes on its own.
      if (!isWanted) ahead.purpose = "beside";
    }
    for (const before of cursors) {
      const request = { before, limit };
      if (this.#find(request, ["next", "later"]) === undefined) this.#make("later", request);
    }
  }

  /** Makes any other request ahead of time. @param before undefined for the newest rows */
  prefetchOther(before: bigint | undefined, limit: number): void {
    const request = { before, limit };
    if (this.#find(request, ["beside"]) === undefined) this.#make("beside", request);
  }

  dropOther(): void {
    this.#drop(["beside"]);
  }

  /** Aborts all requests that were made ahead. */
  drop(): void {
    this.#drop(["next", "later", "beside"]);
  }

  #drop(purposes: readonly Purpose[]): void {
    const dropped = this.#ahead.filter(({ purpose }) => purposes.includes(purpose));
    for (const { abort } of dropped) abort.abort();
    this.#ahead = this.#ahead.filter((each) => !dropped.includes(each));
  }

  #make(purpose: Purpose, request: PageRequest): void {
    const abort = new AbortController();
    const answer = this.#ask(request, AbortSignal.any([abort.signal, this.#options.signal]));
    // An unused request may fail.
    answer.catch(() => {});
    this.#ahead = [...this.#ahead, { purpose, request, answer, abort }];
  }

  #find({ before, limit }: PageRequest, purposes: readonly Purpose[]): Ahead<T> | undefined {
    return this.#ahead.find(
      ({ purpose, request }) =>
        purposes.includes(purpose) && request.before === before && request.limit === limit,
    );
  }

  /** Uses the request that was made ahead, if there is one. */
  #take(request: PageRequest): Promise<Answer<T> | undefined> {
    const existing = this.#find(request, ["beside"]) ?? this.#find(request, ["next", "later"]);
    if (existing === undefined) return this.#ask(request, this.#options.signal);
    this.#ahead = this.#ahead.filter((each) => each !== existing);
    return existing.answer;
  }

  /** @returns undefined when the service refuses the cursor */
  async #ask(request: PageRequest, signal: AbortSignal): Promise<Answer<T> | undefined> {
    this.#counts.requests++;
    try {
      return await this.#options.source.get(request, signal);
    } catch (error) {
      const fault = cursorFault(error, request);
      if (fault === undefined) throw error;
      if (fault === "refused") return undefined;
      this.#isMissing = true;
      return { end: () => [], records: () => [] };
    }
  }

  /** The request just made is only sent after two turns of the event loop. */
  async #yieldTwice(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise<void>((resolve) => this.#options.clock.soon(resolve));
    }
  }
}

function isBeside({ purpose }: Ahead<unknown>): boolean {
  return purpose === "beside";
}

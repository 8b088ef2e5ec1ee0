// The pager's requests: counted, and one of them made ahead while the answer before it is still being read.
import type { Clock } from "../../units/clock.ts";
import type { Answer, Source } from "./source.ts";

/** Requests so far, by what they were for. */
export interface RequestCounts {
  /** Requests that were made, probes and unused ones too; without what the source tried again by itself. */
  readonly requests: number;
  /** Requests for a single row: the search. */
  readonly probes: number;
  /** Rows of the longest page that came. */
  readonly longest: number;
}

interface Ahead<T> {
  readonly cursor: bigint | undefined;
  readonly answer: Promise<Answer<T>>;
  readonly abort: AbortController;
}

interface RequestsOptions<T> {
  readonly source: Source<T>;
  readonly limit: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The cursor that will be asked for after an answer with this last row; undefined when that is unclear. */
  readonly next: (last: Partial<T>) => bigint | undefined;
  /** Counts of an earlier run. */
  readonly before?: RequestCounts | undefined;
}

/** Asks the source, and counts what it asks. */
export class Requests<T> {
  readonly #options: RequestsOptions<T>;
  #ahead: Ahead<T> | undefined;
  #requests: number;
  #probes: number;
  #longest: number;

  constructor(options: RequestsOptions<T>) {
    this.#options = options;
    const { requests = 0, probes = 0, longest = 0 } = options.before ?? {};
    this.#requests = requests;
    this.#probes = probes;
    this.#longest = longest;
  }

  get counts(): RequestCounts {
    return { requests: this.#requests, probes: this.#probes, longest: this.#longest };
  }

  get longest(): number {
    return this.#longest;
  }

  /** A whole page before a cursor, or the newest one. */
  async page(before: bigint | undefined): Promise<readonly T[]> {
    const answer = await this.#take(before);
    const last = answer.last();
    const next = last === undefined ? undefined : this.#options.next(last);
    if (next !== undefined && next !== before) {
      this.askAhead(next);
      await this.#letGo();
    }
    const records = answer.records();
    this.#longest = Math.max(this.#longest, records.length);
    return records;
  }

  /** The first row before a cursor; undefined when there is none. */
  async probe(before: bigint): Promise<T | undefined> {
    this.#probes++;
    return (await this.few(before, 1))[0];
  }

  /** At most so many rows before a cursor, whatever is asked ahead. */
  async few(before: bigint, limit: number): Promise<readonly T[]> {
    const { source, signal } = this.#options;
    this.#requests++;
    return (await source.get({ before, limit }, signal)).records();
  }

  /** Makes the request for a page before it is needed. One at a time. */
  askAhead(cursor: bigint): void {
    if (this.#ahead?.cursor === cursor) return;
    this.drop();
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.#options.signal]);
    const answer = this.#ask(cursor, signal);
    // Whoever takes the answer sees its failure; an unused one fails in silence.
    answer.catch(() => {});
    this.#ahead = { cursor, answer, abort };
  }

  /** Ends a request that was made ahead and that nobody needs. */
  drop(): void {
    this.#ahead?.abort.abort();
    this.#ahead = undefined;
  }

  #take(before: bigint | undefined): Promise<Answer<T>> {
    const ahead = this.#ahead;
    if (ahead !== undefined && ahead.cursor === before) {
      this.#ahead = undefined;
      return ahead.answer;
    }
    this.drop();
    return this.#ask(before, this.#options.signal);
  }

  #ask(before: bigint | undefined, signal: AbortSignal): Promise<Answer<T>> {
    this.#requests++;
    return this.#options.source.get({ before, limit: this.#options.limit }, signal);
  }

  /** Two turns of the event loop: only then is a request on its way while the next thing blocks the loop. */
  async #letGo(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise<void>((resolve) => this.#options.clock.soon(resolve));
    }
  }
}

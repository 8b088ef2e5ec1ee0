// The pager's requests: counted, and some of them made ahead while the answer before them is still being read.
import type { Clock } from "../../units/clock.ts";
import type { Answer, PageRequest, Source } from "./source.ts";

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
  readonly request: PageRequest;
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
  /** The next page. */
  #ahead: Ahead<T> | undefined;
  /** What will be asked for beside it. */
  #beside: readonly Ahead<T>[] = [];
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
    const answer = await this.#takePage(before);
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
    const request = { before, limit };
    const made = this.#beside.find((each) => isSame(each.request, request));
    if (made === undefined) return (await this.#ask(request, this.#options.signal)).records();
    this.#beside = this.#beside.filter((each) => each !== made);
    return (await made.answer).records();
  }

  /** Makes the request for a page before it is needed. One at a time. */
  askAhead(before: bigint): void {
    const request = { before, limit: this.#options.limit };
    if (this.#ahead !== undefined && isSame(this.#ahead.request, request)) return;
    this.#ahead?.abort.abort();
    this.#ahead = this.#make(request);
  }

  /** Makes the request for a few rows before it is needed, in addition to that for a page. */
  askBeside(before: bigint, limit: number): void {
    const request = { before, limit };
    if (this.#beside.some((each) => isSame(each.request, request))) return;
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
    this.dropBeside();
  }

  #make(request: PageRequest): Ahead<T> {
    const abort = new AbortController();
    const answer = this.#ask(request, AbortSignal.any([abort.signal, this.#options.signal]));
    // Whoever takes the answer sees its failure; an unused one fails in silence.
    answer.catch(() => {});
    return { request, answer, abort };
  }

  #takePage(before: bigint | undefined): Promise<Answer<T>> {
    const request = { before, limit: this.#options.limit };
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead !== undefined && isSame(ahead.request, request)) return ahead.answer;
    ahead?.abort.abort();
    return this.#ask(request, this.#options.signal);
  }

  #ask(request: PageRequest, signal: AbortSignal): Promise<Answer<T>> {
    this.#requests++;
    return this.#options.source.get(request, signal);
  }

  /** Two turns of the event loop: only then is a request on its way while the next thing blocks the loop. */
  async #letGo(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise<void>((resolve) => this.#options.clock.soon(resolve));
    }
  }
}

function isSame(a: PageRequest, b: PageRequest): boolean {
  return a.before === b.before && a.limit === b.limit;
}

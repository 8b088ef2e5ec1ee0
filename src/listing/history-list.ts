// A listing as it is scrolled through: the newest rows first, older and newer ones on demand; no row twice or left out, and
// always with the state of the proof.
import type { Clock } from "../units/clock.ts";
import type { Bounds } from "./paging/bounds.ts";
import { Pager, type PagerState } from "./paging/pager.ts";
import { canonicalText, type RecordFields, type Source } from "./paging/source.ts";
import { TextCounts } from "./paging/text-counts.ts";
import { unproven, type Verdict } from "./paging/verdict.ts";

export interface HistoryListOptions<T extends object> {
  readonly source: Source<T>;
  /** For newer rows that nobody has asked for; undefined: none are read then. */
  readonly headSource?: Source<T> | undefined;
  readonly fields: RecordFields<T>;
  readonly limit: number;
  readonly clock: Clock;
  /** Unix milliseconds; undefined: begin at the newest row. */
  readonly untilMs?: number | undefined;
  readonly onChange: () => void;
}

/** `following`: newer rows, without having been asked. */
export type Activity = "older" | "newer" | "following" | "nothing";

/** Whoever wants more needs an export. */
const MAX_HISTORY_ROWS = 50_000;
/** A list with less room does not follow: it would be emptied without having been asked. */
const MIN_LEFT_TO_FOLLOW = 10_000;

export class HistoryList<T extends object> {
  readonly #options: HistoryListOptions<T>;
  readonly #abort = new AbortController();
  /** Newest first; the same array until it changes. */
  rows: readonly T[] = [];
  #pages: AsyncGenerator<readonly T[], void, void> | undefined;
  #pager: Pager<T> | undefined;
  #state: PagerState<T> | undefined;
  activity: Activity = "nothing";
  /** Why the last request failed. */
  error: string | undefined;
  #changed: Verdict | undefined;
  /** Monotonic milliseconds of the last answer. */
  answeredAtMs: number | undefined;
  pages = 0;

  constructor(options: HistoryListOptions<T>) {
    this.#options = options;
  }

  /** Undefined while there may be older rows and nothing is suspect. */
  get verdict(): Verdict | undefined {
    return this.#changed ?? this.#pager?.verdict;
  }

  /** Such as `trade_id`; empty before the second page. */
  get provenBy(): string {
    return Object.keys(this.#state?.proofs ?? {}).join(" and ");
  }

  get isFull(): boolean {
    return this.rows.length >= MAX_HISTORY_ROWS;
  }

  /** Does nothing while busy, or at the end. */
  loadOlder(): void {
    if (this.activity !== "nothing" || this.verdict !== undefined || this.isFull) return;
    void this.#do("older", async () => {
      const page = await this.#nextPage();
      if (page !== undefined) this.rows = [...this.rows, ...page];
    });
  }

  /** Reads rows newer than the first one. */
  refresh(): void {
    if (this.activity !== "nothing") return;
    if (this.rows.length === 0) {
      this.#pager = undefined;
      this.#pages = undefined;
      this.loadOlder();
      return;
    }
    void this.#do("newer", () => this.#merge(this.#options.source));
  }

  /** The same in the background, while no rows have to be dropped for it. */
  follow(): void {
    const { headSource } = this.#options;
    const isFull = this.rows.length > MAX_HISTORY_ROWS - MIN_LEFT_TO_FOLLOW;
    if (headSource === undefined || this.activity !== "nothing" || isFull) return;
    if (this.answeredAtMs === undefined || this.#changed !== undefined) return;
    void this.#do("following", () =>
      this.rows.length === 0 ? this.#begin(headSource) : this.#merge(headSource),
    );
  }

  /** Ends requests under way. */
  close(): void {
    this.#abort.abort();
  }

  async #do(activity: Activity, work: () => Promise<void>): Promise<void> {
    this.activity = activity;
    if (activity !== "following") {
      this.error = undefined;
      this.#options.onChange();
    }
    try {
      await work();
      this.error = undefined;
      this.answeredAtMs = this.#options.clock.now();
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
    this.activity = "nothing";
    if (!this.#abort.signal.aborted) this.#options.onChange();
  }

  async #nextPage(): Promise<readonly T[] | undefined> {
    this.#pages ??= this.#openPages();
    try {
      const { value, done } = await this.#pages.next();
      this.#state = this.#pager?.state ?? this.#state;
      if (done !== true) this.pages++;
      return done === true ? undefined : value;
    } catch (error) {
      // A failed pager is over; the next one resumes after the last proven page.
      this.#pages = undefined;
      throw error;
    }
  }

  #openPages(): AsyncGenerator<readonly T[], void, void> {
    this.#pager = this.#createPager({ untilMs: this.#options.untilMs }, this.#state);
    return this.#pager.pages();
  }

  #createPager(bounds: Bounds, resume?: PagerState<T>, source?: Source<T>): Pager<T> {
    const options = { ...this.#options, source: source ?? this.#options.source };
    return new Pager({ ...options, signal: this.#abort.signal, bounds, resume });
  }

  /** Reads down to the first held row, which must be there. */
  async #merge(source: Source<T>): Promise<void> {
    const { fields, untilMs } = this.#options;
    const [first] = this.rows;
    if (first === undefined) return;
    const firstMs = fields.timeMs(first);
    const pager = this.#createPager({ sinceMs: firstMs, untilMs }, undefined, source);
    const listed: T[] = [];
    for await (const page of pager.pages()) {
      listed.push(...page);
      const last = page.at(-1);
      const isAllNewer = last !== undefined && fields.timeMs(last) > firstMs;
      if (isAllNewer && this.#isTooMuch(listed.length)) return await this.#begin(source);
    }
    if (pager.verdict?.isComplete === false) {
      this.#changed = pager.verdict;
      return;
    }
    const older = this.rows.findIndex((row) => fields.timeMs(row) !== firstMs);
    const top = older < 0 ? this.rows : this.rows.slice(0, older);
    const known = new TextCounts(top.map((row) => canonicalText(row)));
    const isKnown = (row: T) => known.take(canonicalText(row));
    const fresh = listed.filter((row) => fields.timeMs(row) > firstMs || !isKnown(row));
    if (known.size > 0) this.#changed = unproven("history-changed", firstMs, this.#options.limit);
    else if (this.#isTooMuch(fresh.length)) await this.#begin(source);
    else if (fresh.length > 0) this.rows = [...fresh, ...this.rows];
  }

  #isTooMuch(freshRows: number): boolean {
    return freshRows > 0 && this.rows.length + freshRows > MAX_HISTORY_ROWS;
  }

  /** Replaces all rows by those of the first page. */
  async #begin(source: Source<T>): Promise<void> {
    const pager = this.#createPager({ untilMs: this.#options.untilMs }, undefined, source);
    const pages = pager.pages();
    const { value } = await pages.next();
    await this.#pages?.return();
    this.#pager = pager;
    this.#pages = pages;
    this.#state = pager.state;
    this.#changed = undefined;
    this.rows = value ?? [];
    this.pages = this.rows.length === 0 ? 0 : 1;
  }
}

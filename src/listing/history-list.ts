// A scrollable listing: newest rows first; older and newer rows load on demand, none twice and none skipped, and the state of the
// proof is always known.
import type { Clock } from "../units/clock.ts";
import type { Bounds } from "./paging/bounds.ts";
import { Pager, type PagerOptions, type PagerState } from "./paging/pager.ts";
import { canonicalText, type RecordFields, type Source } from "./paging/source.ts";
import { TextCounts } from "./paging/text-counts.ts";
import { unproven, type Verdict } from "./paging/verdict.ts";

export interface HistoryListOptions<T extends object> {
  readonly source: Source<T>;
  /** For newer rows loaded in the background; undefined: nothing is loaded in the background. */
  readonly headSource?: Source<T> | undefined;
  readonly fields: RecordFields<T>;
  readonly limit: number;
  readonly clock: Clock;
  /** Unix milliseconds; undefined: begin at the newest row. */
  readonly untilMs?: number | undefined;
  readonly onChange: () => void;
}

/** `following`: loading newer rows in the background. */
export type Activity = "older" | "newer" | "following" | "nothing";

/** Beyond this, an export is the right tool. */
const MAX_HISTORY_ROWS = 50_000;
/** With less room than this, a list stops following: the background must never clear it. */
const MIN_LEFT_TO_FOLLOW = 10_000;

export class HistoryList<T extends object> {
  readonly #options: HistoryListOptions<T>;
  readonly #abort = new AbortController();
  /** Newest first; replaced, never mutated. */
  rows: readonly T[] = [];
  #pages: AsyncGenerator<readonly T[], void, void> | undefined;
  #pager: Pager<T> | undefined;
  #state: PagerState<T> | undefined;
  activity: Activity = "nothing";
  /** Why the last request failed. */
  error: string | undefined;
  /** Why the newest rows do not follow those that are held; until they do. */
  #changed: Verdict | undefined;
  /** Monotonic milliseconds of the last response. */
  respondedAtMs: number | undefined;
  pages = 0;

  constructor(options: HistoryListOptions<T>) {
    this.#options = options;
  }

  /** Undefined while older rows may exist and nothing is suspect. */
  get verdict(): Verdict | undefined {
    return this.#changed ?? this.#pager?.verdict;
  }

  /** Such as `trade_id`; empty until a second page was read. */
  get provenBy(): string {
    return Object.keys(this.#state?.proofs ?? {}).join(" and ");
  }

  get isFull(): boolean {
    return this.rows.length >= MAX_HISTORY_ROWS;
  }

  /** Does nothing while busy or at the end. */
  loadOlder(): void {
    if (this.activity !== "nothing" || this.verdict !== undefined || this.isFull) return;
    void this.#do("older", async () => {
      const page = await this.#nextPage();
      if (page !== undefined) this.rows = [...this.rows, ...page];
    });
  }

  /** Loads rows newer than the first one. */
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

  /** Like `refresh`, but in the background, and only while no rows have to be dropped for it. */
  follow(): void {
    const { headSource } = this.#options;
    const isFull = this.rows.length > MAX_HISTORY_ROWS - MIN_LEFT_TO_FOLLOW;
    if (headSource === undefined || this.activity !== "nothing" || isFull) return;
    if (this.respondedAtMs === undefined || this.#changed !== undefined) return;
    void this.#do("following", () =>
      this.rows.length === 0 ? this.#begin(headSource) : this.#merge(headSource),
    );
  }

  /** Aborts pending requests. */
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
      this.respondedAtMs = this.#options.clock.now();
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
      // A failed pager cannot continue; a new one resumes after the last proven page.
      this.#pages = undefined;
      throw error;
    }
  }

  #openPages(): AsyncGenerator<readonly T[], void, void> {
    this.#pager = this.#createPager({ untilMs: this.#options.untilMs }, { resume: this.#state });
    return this.#pager.pages();
  }

  #createPager(bounds: Bounds, more: Partial<PagerOptions<T>> = {}): Pager<T> {
    return new Pager({ ...this.#options, ...more, signal: this.#abort.signal, bounds });
  }

  /** Reads down to the first row held, which must still be listed. */
  async #merge(source: Source<T>): Promise<void> {
    const { fields, untilMs } = this.#options;
    const [first] = this.rows;
    if (first === undefined) return;
    const firstMs = fields.timeMs(first);
    // Without `listedMs` a copy that lags behind would look like a history that has changed.
    const pager = this.#createPager({ sinceMs: firstMs, untilMs }, { source, listedMs: firstMs });
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
    this.#changed =
      known.size > 0 ? unproven("history-changed", firstMs, this.#options.limit) : undefined;
    if (this.#changed !== undefined) return;
    if (this.#isTooMuch(fresh.length)) await this.#begin(source);
    else if (fresh.length > 0) this.rows = [...fresh, ...this.rows];
  }

  #isTooMuch(freshRows: number): boolean {
    return freshRows > 0 && this.rows.length + freshRows > MAX_HISTORY_ROWS;
  }

  /** Replaces all rows by the first page. */
  async #begin(source: Source<T>): Promise<void> {
    const pager = this.#createPager({ untilMs: this.#options.untilMs }, { source });
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

// A scrollable listing: newest rows first. Older and newer rows load on demand, none twice and none skipped.
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import { KnownRows } from "./known-rows.ts";
import { unproven, type Verdict } from "./look.ts";
import { type Page, Pager } from "./pager.ts";
import type { Source } from "./source.ts";

export interface HistoryListOptions<T extends ListedRecord> {
  readonly source: Source<T>;
  /** For newer rows loaded in the background; undefined: nothing is loaded in the background. */
  readonly headSource?: Source<T> | undefined;
  /** Rows of a page. */
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

export class HistoryList<T extends ListedRecord> {
  readonly #options: HistoryListOptions<T>;
  readonly #abort = new AbortController();
  /** Newest first; replaced, never mutated. */
  rows: readonly T[] = [];
  #pager: Pager<T> | undefined;
  #pages: AsyncGenerator<Page<T>, void, void> | undefined;
  activity: Activity = "nothing";
  /** Why the last request failed. */
  error: string | undefined;
  /** The newest rows do not follow those that are held. */
  #changed: Verdict | undefined;
  /** Monotonic milliseconds of the last response. */
  respondedAtMs: number | undefined;

  constructor(options: HistoryListOptions<T>) {
    this.#options = options;
  }

  /** Undefined while older rows may exist and nothing is suspect. */
  get verdict(): Verdict | undefined {
    return this.#changed ?? this.#pager?.verdict;
  }

  get pages(): number {
    return this.#pager?.state.pages ?? 0;
  }

  /** What joins the pages, such as `trade_id`. */
  get joinedBy(): string {
    return this.#pager?.cursor ?? "";
  }

  get isFull(): boolean {
    return this.rows.length >= MAX_HISTORY_ROWS;
  }

  /** Does nothing while busy or at the end. */
  loadOlder(): void {
    if (this.activity !== "nothing" || this.verdict !== undefined || this.isFull) return;
    void this.#do("older", () => this.#loadPage());
  }

  /** Loads rows newer than the first one. */
  refresh(): void {
    if (this.activity !== "nothing") return;
    void this.#do("newer", () => this.#loadNewer(this.#options.source));
  }

  /** Like `refresh`, but in the background. */
  follow(): void {
    const { headSource } = this.#options;
    if (headSource === undefined || this.activity !== "nothing" || this.isFull) return;
    if (this.respondedAtMs === undefined || this.#changed !== undefined) return;
    void this.#do("following", () => this.#loadNewer(headSource));
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
      this.error = errorText(error);
    }
    this.activity = "nothing";
    if (!this.#abort.signal.aborted) this.#options.onChange();
  }

  async #loadPage(): Promise<void> {
    this.#pages ??= this.#open();
    try {
      const { value } = await this.#pages.next();
      if (value !== undefined) this.rows = [...this.rows, ...value.rows];
    } catch (error) {
      // A pager that failed cannot go on; another one goes on after its last page.
      this.#pages = undefined;
      throw error;
    }
  }

  #open(): AsyncGenerator<Page<T>, void, void> {
    const { source, limit, untilMs } = this.#options;
    const { signal } = this.#abort;
    const pager = new Pager<T>({ source, limit, bounds: { untilMs }, signal });
    if (this.#pager !== undefined && this.rows.length > 0)
      pager.resume(this.#pager.state, this.#pager.known.kept);
    this.#pager = pager;
    return pager.pages();
  }

  /** The newest page down to the first row that is held. Where it does not reach that far, the list begins anew. */
  async #loadNewer(source: Source<T>): Promise<void> {
    const { untilMs } = this.#options;
    if (this.rows.length === 0 || untilMs !== undefined) return this.#begin();
    const known = new KnownRows<T>(source.listing.fields);
    known.add(this.rows.slice(0, MAX_PAGE_LIMIT));
    const page = (await source.page(undefined, MAX_PAGE_LIMIT, this.#abort.signal)) ?? [];
    const { side, at } = known.place(page, true);
    const oldestMs = page.at(-1)?.timestamp_ms ?? 0;
    if (side === "joined") {
      this.#changed = undefined;
      if (at < 0) this.rows = [...page.slice(0, -at), ...this.rows];
    } else if (oldestMs > (this.rows[0]?.timestamp_ms ?? 0)) await this.#begin();
    else this.#changed = unproven("the listing is not what it was when it was read");
  }

  async #begin(): Promise<void> {
    [this.#pager, this.#pages, this.#changed, this.rows] = [undefined, undefined, undefined, []];
    await this.#loadPage();
  }
}

// A scrollable listing: newest rows first. Older and newer rows load on demand, none twice and none skipped.
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import { KnownRows } from "./known-rows.ts";
import type { Verdict } from "./look.ts";
import { type Page, Pager } from "./pager.ts";
import type { Source } from "./source.ts";

export interface HistoryListOptions<T extends ListedRecord> {
  readonly source: Source<T>;
  /** For newer rows, which are loaded in the background. */
  readonly headSource: Source<T>;
  /** Rows of a page. */
  readonly limit: number;
  /** How cursors were found in an earlier run. */
  readonly cursor?: string | undefined;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** `following`: loading newer rows in the background. */
export type Activity = "older" | "following" | "nothing";

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
  /** The newest rows did not follow those that were held: all were read anew. */
  hasChanged = false;
  /** Monotonic milliseconds of the end of the last request, good or bad. */
  endedAtMs: number | undefined;
  /** Of the last good one. */
  listedAtMs: number | undefined;
  /** Older rows were asked for while newer ones came in the background. */
  #wantsOlder = false;

  constructor(options: HistoryListOptions<T>) {
    this.#options = options;
  }

  /** Undefined while older rows may exist and nothing is suspect. */
  get verdict(): Verdict | undefined {
    return this.#pager?.verdict;
  }

  /** What joins the pages, such as `trade_id`; undefined while there is only one. */
  get cursor(): string | undefined {
    return this.#pager?.state.cursor;
  }

  get isFull(): boolean {
    return this.rows.length >= MAX_HISTORY_ROWS;
  }

  /** Does nothing at the end, or while it is at it. */
  loadOlder(): void {
    this.#wantsOlder = this.activity === "following";
    if (this.verdict === undefined && !this.isFull) void this.#do("older", () => this.#loadPage());
  }

  /** Loads rows newer than the first one, in the background. */
  follow(): void {
    if (!this.isFull) void this.#do("following", () => this.#loadNewer());
  }

  /** Aborts pending requests. */
  close(): void {
    this.#abort.abort();
  }

  async #do(activity: Activity, work: () => Promise<void>): Promise<void> {
    if (this.activity !== "nothing") return;
    this.activity = activity;
    if (activity !== "following") {
      this.error = undefined;
      this.#options.onChange();
    }
    try {
      await work();
      this.error = undefined;
    } catch (error) {
      this.error = errorText(error);
    }
    this.activity = "nothing";
    this.endedAtMs = this.#options.clock.now();
    if (this.error === undefined) this.listedAtMs = this.endedAtMs;
    if (this.#abort.signal.aborted) return;
    if (this.#wantsOlder) this.loadOlder();
    this.#options.onChange();
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
    const { source, limit, cursor, onChange: onEnd } = this.#options;
    const { signal } = this.#abort;
    const pager = new Pager<T>({ source, limit, bounds: {}, signal, cursor, onEnd });
    if (this.#pager !== undefined) pager.resume(this.#pager.state, this.#pager.known.kept);
    this.#pager = pager;
    return pager.pages();
  }

  /** The newest page down to the first row that is held. Where they do not join, the list begins anew. */
  async #loadNewer(): Promise<void> {
    const { headSource } = this.#options;
    const known = new KnownRows<T>(headSource.listing.fields);
    known.add(this.rows.slice(0, MAX_PAGE_LIMIT));
    const page = (await headSource.page(undefined, MAX_PAGE_LIMIT, this.#abort.signal)) ?? [];
    const { side, at } = known.place(page);
    if (side === "joined" || (side === "empty" && known.count === 0)) {
      if (at < 0) this.rows = [...page.slice(0, -at), ...this.rows];
      return;
    }
    const isFarNewer = (page.at(-1)?.timestamp_ms ?? 0) > (known.kept[0]?.timestamp_ms ?? 0);
    this.hasChanged ||= !isFarNewer;
    [this.#pager, this.#pages, this.rows] = [undefined, undefined, []];
    await this.#loadPage();
  }
}

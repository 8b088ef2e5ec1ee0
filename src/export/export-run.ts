// One pass of an export: proven pages in, blocks of lines out, and the result. Independent of files.
import type { Bounds } from "../listing/paging/bounds.ts";
import { Pager, type PagerState } from "../listing/paging/pager.ts";
import type { RequestCounts } from "../listing/paging/requests.ts";
import { type DigestState, RowDigest, readAgain } from "../listing/paging/second-pass.ts";
import type { RecordFields, Source } from "../listing/paging/source.ts";
import type { Note, Verdict } from "../listing/paging/verdict.ts";
import type { Clock } from "../units/clock.ts";
import type { AppendedFile, KnownCursor } from "./appended-file.ts";
import { addLines, Block, type RowFormat } from "./csv.ts";
import type { Written } from "./journal.ts";

export interface ExportPlan<T extends object> {
  /** Identifies the export: the same for the same command. */
  readonly identity: string;
  readonly source: Source<T>;
  readonly fields: RecordFields<T>;
  readonly format: RowFormat<T>;
  readonly limit: number;
  /** Maximum number of requests below the apparent end. */
  readonly probes?: number | undefined;
  readonly bounds: Bounds;
  readonly isOldestFirst: boolean;
  /** Read everything twice and compare. */
  readonly isVerified: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

export interface ExportProgress extends Written {
  readonly pages: number;
  readonly requests: number;
  readonly isSecondPass: boolean;
}

export interface ExportResult extends Written {
  readonly verdict: Verdict;
  readonly pages: number;
  readonly counts: RequestCounts;
  readonly notes: readonly Note[];
  /** Unix milliseconds of the newest row at the start. */
  readonly asOfMs: number | undefined;
  /** Rows of the file that is appended to. */
  readonly rowsBefore?: number | undefined;
  /** What was read again and compared, as text. */
  readonly compared?: string | undefined;
  /** Cursors that returned rows, for later comparisons. */
  readonly cursors?: readonly KnownCursor[] | undefined;
  /** For each stretch of the file that is appended to, whether all of it was compared. */
  readonly stretches?: readonly boolean[] | undefined;
  /** SHA-256 in hex of everything written; undefined for an incomplete file. */
  readonly sha256?: string | undefined;
  /** The file with the rows. */
  readonly path?: string | undefined;
  /** The listing has changed: the part file cannot be resumed. */
  readonly isOutdated?: boolean;
}

export interface RunState<T> {
  readonly written: Written;
  readonly pager: PagerState<T>;
  readonly digest: DigestState | undefined;
}

const NOTHING: Written = { rows: 0, records: 0, newestMs: undefined, oldestMs: undefined };

export class ExportRun<T extends object> {
  readonly #plan: ExportPlan<T>;
  readonly pager: Pager<T>;
  readonly #digest: RowDigest<T> | undefined;
  readonly #appended: AppendedFile<T> | undefined;
  #written: Written;
  #verdict: Verdict | undefined;
  #again: RequestCounts | undefined;

  constructor(plan: ExportPlan<T>, resume?: RunState<T>, appended?: AppendedFile<T>) {
    this.#plan = plan;
    this.pager = new Pager({
      ...plan,
      isAdded: appended !== undefined,
      listedMs: appended?.lastMs,
      isReadThrough: true,
      looksBeyondTimes: appended === undefined,
      resume: resume?.pager,
    });
    this.#digest = plan.isVerified ? new RowDigest(plan.fields, resume?.digest) : undefined;
    this.#appended = appended;
    this.#written = resume?.written ?? NOTHING;
  }

  /** Valid between two blocks; undefined before the first. */
  get state(): RunState<T> | undefined {
    const { state } = this.pager;
    if (state === undefined) return undefined;
    return { written: this.#written, pager: state, digest: this.#digest?.state };
  }

  get progress(): ExportProgress {
    const { pages, requests } = this.pager.counts;
    return { ...this.#written, pages, requests, isSecondPass: false };
  }

  /**
   * One block per page. Pages are newest first, but rows within a page are oldest first with `isOldestFirst`. The bytes of a
   * block are reused for the next one.
   * @throws {HistoryError} when the service fails; the signal's reason when aborted
   */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    const block = new Block();
    for await (const page of this.pager.pages()) {
      this.#digest?.add(page);
      const records = this.#appended?.fresh(page) ?? page;
      const { isOldestFirst, format } = this.#plan;
      let rows = 0;
      for (const record of isOldestFirst ? records.toReversed() : records) {
        rows += addLines(block, format, record);
      }
      this.#count(records, rows);
      yield block.take();
      this.#plan.onProgress?.(this.progress);
    }
    await this.#conclude();
  }

  /** @throws {Error} before `blocks` has ended */
  get result(): ExportResult {
    if (this.#verdict === undefined) throw new Error("the export has not ended");
    const { pages, ...counts } = this.pager.counts;
    return {
      ...this.#written,
      verdict: this.#verdict,
      pages,
      counts: {
        requests: counts.requests + (this.#again?.requests ?? 0),
        probes: counts.probes + (this.#again?.probes ?? 0),
        longest: Math.max(counts.longest, this.#again?.longest ?? 0),
      },
      notes: this.pager.notes,
      asOfMs: this.pager.asOfMs,
    };
  }

  #count(records: readonly T[], rows: number): void {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return;
    const { timeMs } = this.#plan.fields;
    const written = this.#written;
    this.#written = {
      rows: written.rows + rows,
      records: written.records + records.length,
      newestMs: written.newestMs ?? timeMs(first),
      oldestMs: timeMs(last),
    };
  }

  async #conclude(): Promise<void> {
    const { verdict } = this.pager;
    if (verdict === undefined) throw new Error("the pager has not ended");
    this.#verdict = this.#appended?.judge(verdict) ?? verdict;
    if (this.#digest === undefined || !this.#verdict.isComplete) return;
    this.#plan.onProgress?.({ ...this.progress, isSecondPass: true });
    const seen = this.#digest;
    const { asOfMs } = this.pager;
    const again = await readAgain({ ...this.#plan, seen, verdict: this.#verdict, asOfMs });
    this.#verdict = again.verdict;
    this.#again = again.counts;
  }
}

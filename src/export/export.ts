// One export: pages of a listing become lines of a file or of a stream, with the verdict whether they are all.
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unproven, type Verdict } from "../listing/look.ts";
import { type Bounds, type Page, Pager } from "../listing/pager.ts";
import type { Source } from "../listing/source.ts";
import { formatWriteError } from "../system/named-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import { compareWritten, findJoint } from "./compare.ts";
import { type OwnFile, readOwn } from "./existing-export.ts";
import type { Format } from "./format.ts";
import { lock } from "./lock.ts";
import { namesBeside, PartFile } from "./part-file.ts";

export interface ExportPlan<T extends ListedRecord> {
  readonly source: Source<T>;
  readonly format: Format<T>;
  /** Rows of a page. */
  readonly limit: number;
  readonly bounds: Bounds;
  readonly isOldestFirst: boolean;
  /** How cursors were found in an earlier run. */
  readonly cursor?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: ((reached: Reached) => void) | undefined;
}

export interface FileTarget {
  /** With links followed. */
  readonly path: string;
  /** What else than the plan decides about the bytes: where the listing is, and what is left out. */
  readonly identity: string;
  /** Only an oldest-first file of ours is appended to. */
  readonly isAppended: boolean;
  /** Replaces whatever is there. */
  readonly isForced: boolean;
  /** The file is finished as far as it is proven. */
  readonly allowsUnproven: boolean;
}

/** How far an export has come. */
export interface Reached {
  /** Lines written. */
  readonly rows: number;
  /** Unix milliseconds. */
  readonly newestMs: number | undefined;
  readonly oldestMs: number | undefined;
  readonly pages: number;
  readonly requests: number;
}

export interface ExportResult extends Reached {
  readonly verdict: Verdict;
  /** How cursors were found; undefined where one page was all. */
  readonly cursor: string | undefined;
  /** The target was written. */
  readonly isWritten: boolean;
}

/**
 * A stopped run leaves a part file and a journal; the same call goes on, and ends with the bytes of an unbroken run.
 * @throws {ServiceError} when the service fails; {MonitorError} when a file cannot be written, or is somebody else's; the signal's
 *   reason when aborted
 */
export async function exportToFile<T extends ListedRecord>(
  plan: ExportPlan<T>,
  target: FileTarget,
): Promise<ExportResult> {
  try {
    const unlock = await lock(namesBeside(target.path).lock);
    try {
      return await writeFile(plan, target);
    } finally {
      await unlock();
    }
  } catch (error) {
    throw formatWriteError(error, target.path, "mend that: the same command goes on there");
  }
}

async function writeFile<T extends ListedRecord>(
  plan: ExportPlan<T>,
  target: FileTarget,
): Promise<ExportResult> {
  const own = await findOwn(plan, target);
  // A file without rows is no file to append to.
  const base = target.isAppended && own?.lastMs !== undefined ? own : undefined;
  const { source, format, bounds, isOldestFirst } = plan;
  const { name } = source.listing;
  const baseBytes = base?.bytes ?? 0;
  const parts = [name, target.identity, format.name, isOldestFirst, bounds, baseBytes];
  const part = await PartFile.open({
    file: target.path,
    identity: JSON.stringify(parts),
    header: format.header,
    isOldestFirst,
    baseBytes,
  });
  const run = new ExportRun(plan);
  try {
    const verdict = await run.toFile(part, base);
    // What does not join a file must never be added to it, and without new rows it stays as it is.
    const isSame = base !== undefined && (!verdict.isComplete || run.reached.rows === 0);
    const isWritten = !isSame && (verdict.isComplete || target.allowsUnproven);
    if (isSame) await part.discard();
    else if (isWritten) {
      // Somebody may have written the file meanwhile.
      await findOwn(plan, target);
      await part.finish(run.newest);
    } else await part.close();
    return { ...run.reached, verdict, cursor: run.cursor, isWritten: isWritten || isSame };
  } catch (error) {
    await part.close().catch(() => {});
    throw error;
  }
}

async function findOwn<T extends ListedRecord>(
  { source, format }: ExportPlan<T>,
  { path, isForced, isAppended }: FileTarget,
): Promise<OwnFile | undefined> {
  if (isForced && !isAppended) return undefined;
  const own = await readOwn(path, source.listing, format);
  if (isAppended && own !== undefined && (own.firstMs ?? 0) > (own.lastMs ?? 0)) {
    throw new UsageError(
      `${path} begins with the newest row`,
      "only a file that was written with --oldest-first can be appended to",
    );
  }
  return own;
}

/**
 * To standard output, a device or a pipe. Not resumable; all rows are written, proven or not.
 * @param write resolves when more may be written
 * @throws as `exportToFile`, and whatever `write` throws
 */
export async function exportToStream<T extends ListedRecord>(
  plan: ExportPlan<T>,
  write: (text: string | Uint8Array) => Promise<void>,
): Promise<ExportResult> {
  if (plan.isOldestFirst) return exportThroughFile(plan, write);
  const run = new ExportRun(plan);
  // Only after the first response, so that a failed command prints nothing.
  let header = plan.format.header;
  const verdict = await run.toStream(async (text) => {
    await write(header + text);
    header = "";
  });
  if (header !== "") await write(header);
  return { ...run.reached, verdict, cursor: run.cursor, isWritten: true };
}

/** What begins with the oldest row is known at the end only. */
async function exportThroughFile<T extends ListedRecord>(
  plan: ExportPlan<T>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<ExportResult> {
  const folder = await mkdtemp(join(tmpdir(), "monitor-export-"));
  try {
    const path = join(folder, "rows");
    const only = { isAppended: false, isForced: true, allowsUnproven: true };
    const result = await exportToFile(plan, { path, identity: "", ...only });
    for await (const chunk of createReadStream(path)) await write(chunk);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class ExportRun<T extends ListedRecord> {
  readonly #plan: ExportPlan<T>;
  readonly #pager: Pager<T>;
  #rows = 0;
  #newestMs: number | undefined;
  #oldestMs: number | undefined;
  /** Lines that an appended file gets before all pages. */
  newest = "";

  constructor(plan: ExportPlan<T>) {
    this.#plan = plan;
    this.#pager = new Pager(plan);
  }

  get reached(): Reached {
    const { state, requests } = this.#pager;
    const [rows, newestMs, oldestMs] = [this.#rows, this.#newestMs, this.#oldestMs];
    return { rows, newestMs, oldestMs, pages: state.pages, requests };
  }

  get cursor(): string | undefined {
    return this.#pager.state.cursor;
  }

  async toStream(write: (text: string) => Promise<void>): Promise<Verdict> {
    for await (const { rows } of this.#pager.pages()) {
      await write(this.#count(rows));
      this.#plan.onProgress?.(this.reached);
    }
    return this.#verdict;
  }

  /** @param base the file that is appended to */
  async toFile(part: PartFile, base: OwnFile | undefined): Promise<Verdict> {
    const rest = await this.#resume(part);
    /** Not newer than the base: what it is compared with. */
    const older: T[] = base === undefined ? [] : [...rest];
    for await (const page of this.#pager.pages()) {
      const rows = older.length > 0 ? [] : page.rows.slice(0, countNewer(page.rows, base));
      if (rows.length > 0) await this.#write(part, page, rows);
      older.push(...page.rows.slice(rows.length));
      if (older.length >= MAX_PAGE_LIMIT) break;
      this.#plan.onProgress?.(this.reached);
    }
    return base === undefined ? this.#verdict : this.#join(base, older);
  }

  get #verdict(): Verdict {
    return this.#pager.verdict ?? unproven("it was not read to its end");
  }

  /** @returns rows of the last page that were not written */
  async #resume(part: PartFile): Promise<readonly T[]> {
    const { source, signal } = this.#plan;
    const textOf = (rows: readonly T[]) => this.#textOf(rows);
    const rows = await compareWritten({ part, source, signal, textOf });
    const { last } = part;
    if (last === undefined || rows === undefined) {
      await part.clear();
      return [];
    }
    this.#pager.resume(last.state, rows);
    this.#rows = last.lines;
    this.#newestMs = part.pages[0]?.newestMs;
    this.#oldestMs = last.oldestMs;
    return rows.slice(last.skip + last.count);
  }

  async #write(part: PartFile, page: Page<T>, rows: readonly T[]): Promise<void> {
    const text = this.#count(rows);
    await part.write(text, {
      before: page.before?.toString(),
      limit: page.limit,
      skip: page.skip,
      count: rows.length,
      lines: this.#rows,
      newestMs: rows[0]?.timestamp_ms ?? 0,
      oldestMs: rows.at(-1)?.timestamp_ms ?? 0,
      state: page.state,
    });
  }

  /** Which rows of the base's last millisecond are newer than it, only the comparison shows. */
  #join(base: OwnFile, older: readonly T[]): Verdict {
    const joint = findJoint(base, older, (rows) => this.#textOf(rows));
    if (joint === undefined) return unproven("the listing does not have the last rows of the file");
    this.newest = this.#count(older.slice(0, joint.newer));
    return { isComplete: true, why: `joins the file: ${joint.compared} of its rows compared` };
  }

  #textOf(rows: readonly T[]): string {
    const { format, isOldestFirst } = this.#plan;
    let text = "";
    for (const row of isOldestFirst ? rows.toReversed() : rows) text += format.lines(row);
    return text;
  }

  #count(rows: readonly T[]): string {
    const text = this.#textOf(rows);
    if (rows.length === 0) return text;
    this.#newestMs ??= rows[0]?.timestamp_ms;
    this.#oldestMs = rows.at(-1)?.timestamp_ms;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#rows++;
    return text;
  }
}

/** Rows that are newer than the file; all without one. */
function countNewer(rows: readonly ListedRecord[], base: OwnFile | undefined): number {
  const { lastMs = Number.NEGATIVE_INFINITY } = base ?? {};
  const older = rows.findIndex(({ timestamp_ms }) => timestamp_ms <= lastMs);
  return older < 0 ? rows.length : older;
}

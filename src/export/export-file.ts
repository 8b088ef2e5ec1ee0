// An export to a file: written next to its target, and renamed once it is complete and proven. An interrupted export can be
// resumed and ends with the same bytes. Data is synced before the journal that describes it.
import type { Processes } from "../system/processes.ts";
import { MonitorError, UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { AppendedFile, type KnownCursor, type Recheck } from "./appended-file.ts";
import type { RowFormat } from "./csv.ts";
import { type ExportPlan, type ExportResult, ExportRun } from "./export-run.ts";
import { type Files, formatFileError, type Names, namesBeside, refuseIfThere } from "./files.ts";
import {
  type Journal,
  loadJournal,
  type Progress,
  removeUnfinished,
  saveJournal,
  type Written,
} from "./journal.ts";
import { type LineParser, lineParser, splitLines } from "./lines.ts";
import { lock } from "./lock.ts";
import { checkReplaceable, type OwnRows } from "./own-export.ts";
import { PartFile, type Sure } from "./part-file.ts";
import { PositionKeeper, type Revisit, revisit, watched } from "./positions.ts";

export interface FileTarget {
  readonly path: string;
  /** An interrupted export can be resumed; if false, nothing is left behind. */
  readonly isResumable: boolean;
  /** Append newer rows to the existing file; only with `isOldestFirst`. */
  readonly isAppended: boolean;
  /** An existing file may only be replaced if it holds these rows; undefined: any file. */
  readonly replaces?: OwnRows | undefined;
  readonly files: Files;
  readonly processes: Processes;
  /** What to compare of an existing file in addition. */
  readonly recheck?: Recheck | undefined;
  /** Called once before anything is requested, with what an earlier run has proven. */
  readonly onResume?: (proven: Written) => void;
}

/** The most work lost by an interruption; each journal waits for the disk. */
const JOURNAL_EVERY_MS = 500;

/**
 * After an error, the part file holds what was proven, if the export is resumable.
 * @throws {UsageError} when the target cannot be written, or another file is in the way; {MonitorError} when writing fails;
 * {HistoryError} when the service fails; the signal's reason when aborted
 */
export async function exportToFile<T extends object>(
  plan: ExportPlan<T>,
  target: FileTarget,
): Promise<ExportResult> {
  const { files, path, processes } = target;
  try {
    await checkTarget(plan, target);
    const unlock = await lock(files, namesBeside(path).lock, processes);
    try {
      return await new FileExport(plan, target).run();
    } finally {
      await unlock();
    }
  } catch (error) {
    throw formatFileError(error, path);
  }
}

async function checkTarget<T extends object>(
  { format }: ExportPlan<T>,
  { files, path, isAppended, replaces }: FileTarget,
): Promise<void> {
  const facts = await files.stat(path);
  if (facts === undefined) return;
  if (!facts.isFile) {
    throw new UsageError(
      `${path} is ${facts.isFolder ? "a folder" : "no regular file"}`,
      "expected: -o FILE (leave it out to write to standard output)",
    );
  }
  if (!isAppended && replaces !== undefined) await checkReplaceable(files, path, format, replaces);
}

interface Base<T extends object> {
  readonly bytes: number;
  readonly sha256: string;
  /** Undefined without rows. */
  readonly file: AppendedFile<T> | undefined;
}

type Resume<T> = Journal<T> & { readonly progress: Progress<T> };

class FileExport<T extends object> {
  readonly #plan: ExportPlan<T>;
  readonly #target: FileTarget;
  readonly #names: Names;
  #base: Base<T> = { bytes: 0, sha256: "", file: undefined };
  readonly #blocks: number[] = [];
  readonly #cursors: KnownCursor[] = [];
  /** As of the last block in the part file; computed only when saved. */
  #progressNow: (() => Progress<T>) | undefined;
  #journaledAt = Number.NEGATIVE_INFINITY;
  /** Runs while further pages arrive. */
  #saving: Promise<void> | undefined;
  /** What this export has created next to its target, or recognised as its own. */
  #made: "nothing" | "journal" | "all" = "nothing";
  /** The part file has proven rows. */
  #isWorthKeeping = false;

  constructor(plan: ExportPlan<T>, target: FileTarget) {
    this.#plan = plan;
    this.#target = target;
    this.#names = namesBeside(target.path);
  }

  async run(): Promise<ExportResult> {
    try {
      return await this.#run();
    } catch (error) {
      if (!this.#target.isResumable) this.#isWorthKeeping = false;
      throw error;
    } finally {
      // If nothing was proven, nothing is left behind.
      if (!this.#isWorthKeeping) await this.#removeMade().catch(() => {});
    }
  }

  async #run(): Promise<ExportResult> {
    const { files, path, isAppended } = this.#target;
    const facts = isAppended ? await files.stat(path) : undefined;
    if (facts !== undefined && facts.bytes > 0) {
      this.#base = await AppendedFile.read(this.#plan, files, path);
    }
    const journal = await this.#openJournal();
    const resume = await this.#resumable(journal);
    const { run, keeper } = this.#createRun(resume);
    try {
      // The first request is pending while the files are checked.
      if (resume === undefined) run.pager.begin();
      const part = await this.#openPart(journal, resume);
      try {
        const again = resume && (await this.#resume(resume));
        if (resume !== undefined && again?.change !== undefined) {
          return this.#outdated(resume.progress, again);
        }
        await this.#write(run, keeper, part);
        return await this.#conclude(await this.#compared(run, again), part);
      } finally {
        await part.close();
      }
    } finally {
      run.pager.drop();
    }
  }

  /** Keeps what is proven if the file cannot be published. */
  async #conclude(result: ExportResult, part: PartFile): Promise<ExportResult> {
    if (!result.verdict.isComplete) {
      await this.#save(part);
      return { ...result, path: this.#isWorthKeeping ? this.#names.part : undefined };
    }
    try {
      return await this.#publish(result, part);
    } catch (error) {
      await this.#save(part).catch(() => {});
      throw error;
    }
  }

  /** What an earlier run has proven counts in any case. */
  #resume({ blocks, progress }: Resume<T>): Promise<Revisit> {
    this.#blocks.push(...blocks);
    const { written, pager, positions } = progress;
    this.#target.onResume?.(written);
    const { requests } = pager.counts;
    this.#plan.onProgress?.({ ...written, pages: pager.pages, requests, isSecondPass: false });
    return revisit(positions, this.#plan);
  }

  #createRun(resume: Resume<T> | undefined) {
    const { file } = this.#base;
    const keeper = new PositionKeeper(this.#plan.fields, resume?.progress.positions);
    const source = watched(this.#plan.source, (rows, { before }) => {
      file?.see(rows, before);
      this.#noteCursor(rows, before);
    });
    let { bounds } = this.#plan;
    if (file !== undefined) {
      bounds = { ...bounds, sinceMs: Math.max(file.lastMs, bounds.sinceMs ?? file.lastMs) };
    }
    const plan = { ...this.#plan, source, bounds };
    return { run: new ExportRun(plan, resume?.progress, file), keeper };
  }

  /** So that these rows can be compared again later. */
  #noteCursor(rows: readonly T[], before: bigint | undefined): void {
    const [first, second] = rows;
    if (this.#target.recheck === undefined || before === undefined) return;
    if (first === undefined || second === undefined) return;
    this.#cursors.push({ before, ms: this.#plan.fields.timeMs(first) });
  }

  /** A proof that reaches down to the file counts only while the file matches the listing. */
  async #compared(run: ExportRun<T>, again: Revisit | undefined): Promise<ExportResult> {
    const { file } = this.#base;
    const result = { ...run.result, rowsBefore: file?.rows };
    if (again !== undefined) {
      const compared = `${again.compared} found as before the stop`;
      return { ...addRequests(result, again.requests), compared };
    }
    if (file === undefined || !result.verdict.isComplete) return result;
    const comparison = await file.compare(run.state?.pager.proofs ?? {}, this.#target.recheck);
    const { requests, compared, stretches, verdict = result.verdict } = comparison;
    return { ...addRequests(result, requests), compared, stretches, verdict };
  }

  #outdated({ written, pager }: Progress<T>, { requests, change }: Revisit): ExportResult {
    const { pages, asOfMs, counts, notes } = pager;
    const near = change?.nearMs === undefined ? "" : `, near ${formatIsoMs(change.nearMs)}`;
    const detail = `the listing is not what it was when this export was stopped${near}`;
    return {
      ...written,
      pages,
      asOfMs,
      notes,
      counts: { ...counts, requests: counts.requests + requests },
      verdict: { isComplete: false, flag: "history-changed", detail },
      path: this.#names.part,
      isOutdated: true,
    };
  }

  /** Removes the journal last, because it marks the others as ours. */
  async #removeMade(): Promise<void> {
    const { files } = this.#target;
    const { part, whole, journal } = this.#names;
    if (this.#made === "all") {
      for (const path of [part, whole]) await files.remove(path);
      await files.syncFolderOf(part);
    }
    if (this.#made !== "nothing") await files.remove(journal);
  }

  /** @throws {UsageError} when a foreign file is in the way, or another export that has proven rows */
  async #openJournal(): Promise<Journal<T> | undefined> {
    const { files } = this.#target;
    const { part, whole, journal: path } = this.#names;
    const journal = await loadJournal<T>(files, this.#names);
    await removeUnfinished(files, this.#names);
    if (journal === undefined) {
      for (const each of [part, whole]) await refuseIfThere(files, each);
      return undefined;
    }
    if (journal.identity !== this.#plan.identity && journal.progress !== undefined) {
      throw new UsageError(
        `${part} is what another export has begun: ${journal.identity}`,
        `run that command again, choose another file with -o, or remove ${part} and ${path}`,
      );
    }
    // An append starts over: what was seen at the end of the file is not in the journal.
    const { bytes, file } = this.#base;
    const isKept = journal.baseBytes === bytes && file === undefined;
    return isKept ? journal : { ...journal, progress: undefined };
  }

  /**
   * Only from the second proven page on: reading a single page again costs no more than comparing it, and newer rows may have
   * pushed out all of it.
   */
  async #resumable(journal: Journal<T> | undefined): Promise<Resume<T> | undefined> {
    const { files } = this.#target;
    const { progress } = journal ?? {};
    if (journal === undefined || progress === undefined) return undefined;
    const part = await files.stat(this.#names.part);
    if (part === undefined || part.bytes === 0) return undefined;
    if (progress.pager.pages > 1) return { ...journal, progress };
    // Throws if someone else changed the file: then it is not overwritten.
    await (await PartFile.open(files, this.#names.part, "write", journal)).close();
    return undefined;
  }

  /** Creates the journal before the part file: a part file without a journal is not ours. */
  async #openPart(
    journal: Journal<T> | undefined,
    resume: Resume<T> | undefined,
  ): Promise<PartFile> {
    const { files } = this.#target;
    this.#isWorthKeeping = resume !== undefined;
    if (resume === undefined) {
      this.#made = journal === undefined ? "journal" : "nothing";
      await this.#saveJournal({ bytes: 0, sha256: "", blocks: [], progress: undefined });
      await files.syncFolderOf(this.#names.part);
    }
    const mode = journal === undefined ? "new" : "write";
    const part = await PartFile.open(files, this.#names.part, mode, resume).catch((error) => {
      // The file may have been created before the error, unless it already existed or was refused.
      const isOthers = error instanceof UsageError || error.code === "EEXIST";
      if (!isOthers) this.#made = "all";
      throw error;
    });
    this.#made = "all";
    return part;
  }

  #saveJournal(entry: Omit<Journal<T>, "identity" | "baseBytes">): Promise<void> {
    const { identity } = this.#plan;
    const baseBytes = this.#base.bytes;
    return saveJournal(this.#target.files, this.#names, { identity, baseBytes, ...entry });
  }

  async #write(run: ExportRun<T>, keeper: PositionKeeper<T>, part: PartFile): Promise<void> {
    const { isOldestFirst, format, clock } = this.#plan;
    if (!isOldestFirst && part.bytes === 0) await part.append(Buffer.from(format.header));
    try {
      for await (const block of run.blocks()) {
        const before = part.bytes;
        await part.append(block);
        if (isOldestFirst) this.#blocks.push(part.bytes - before);
        const { state, pager } = run;
        if (state !== undefined && pager.accepted !== undefined) {
          keeper.accepted(pager.accepted, state.pager.pages);
          this.#progressNow = () => ({ ...state, positions: keeper.positions });
        }
        this.#isWorthKeeping = true;
        if (clock.now() - this.#journaledAt >= JOURNAL_EVERY_MS) await this.#saveBeside(part);
      }
      await this.#saving;
    } catch (error) {
      // Keeps what is proven as far as the disk allows; the first error counts.
      await this.#saving?.catch(() => {});
      await this.#save(part).catch(() => {});
      throw error;
    }
  }

  /** Starts saving once the previous save is done. */
  async #saveBeside(part: PartFile): Promise<void> {
    await this.#saving;
    this.#journaledAt = this.#plan.clock.now();
    this.#saving = this.#save(part);
    // Its failure is handled where it is awaited.
    this.#saving.catch(() => {});
  }

  async #save(part: PartFile): Promise<void> {
    const progress = this.#progressNow?.();
    if (progress === undefined || !this.#target.isResumable) return;
    const blocks = [...this.#blocks];
    await this.#saveJournal({ ...(await part.sync()), blocks, progress });
  }

  /** Renames the file to its target. */
  async #publish(result: ExportResult, part: PartFile): Promise<ExportResult> {
    const { files, path } = this.#target;
    this.#isWorthKeeping = true;
    const finished = await this.#assemble(result, part);
    await this.#checkStill();
    await files.replace(finished.path, path);
    await files.syncFolderOf(path);
    // What cannot be removed now will be recognised as ours by the next export.
    await this.#removeMade().catch(() => {});
    return { ...result, sha256: finished.sha256, path, cursors: this.#cursors };
  }

  /** The target may have changed since it was checked. @throws {MonitorError} if it has */
  async #checkStill(): Promise<void> {
    const { files, path, isAppended } = this.#target;
    try {
      await checkTarget(this.#plan, this.#target);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, advice = "" } = error;
      throw new MonitorError("file", "failed", `meanwhile ${message}`, { advice });
    }
    const bytes = (await files.stat(path))?.bytes ?? 0;
    if (isAppended && bytes !== this.#base.bytes) throw changedMeanwhile(path);
  }

  async #assemble({ notes }: ExportResult, part: PartFile) {
    const { files, path } = this.#target;
    const { isOldestFirst, format } = this.#plan;
    const isByIds = notes.includes("unstable-order");
    const { sha256 } = await part.sync();
    if (!isOldestFirst && !isByIds) return { path: this.#names.part, sha256 };
    const base = this.#base.bytes > 0 ? { path, ...this.#base } : undefined;
    const rows = { part, blocks: this.#blocks, base, format, isOldestFirst, isByIds };
    const { whole } = this.#names;
    return { path: whole, sha256: await assemble(files, { ...rows, path: whole }) };
  }
}

function addRequests(result: ExportResult, requests: number): ExportResult {
  const { counts } = result;
  return { ...result, counts: { ...counts, requests: counts.requests + requests } };
}

// Makes the finished file from the part file: its blocks in reverse if the oldest rows come first, and rows of one time sorted by
// id if the service lists them in varying order.

interface Assembly {
  readonly part: PartFile;
  /** Bytes of each block, in file order. */
  readonly blocks: readonly number[];
  /** The file that is appended to, as of when it was read. */
  readonly base: (Sure & { readonly path: string }) | undefined;
  readonly format: Pick<RowFormat<never>, "header" | "isOneLine">;
  readonly isOldestFirst: boolean;
  /** Rows of one time are sorted by id. */
  readonly isByIds: boolean;
  readonly path: string;
}

/**
 * Writes the finished file and syncs it.
 * @returns its SHA-256 in hex
 * @throws {MonitorError} when the file that is appended to has changed; file system errors
 */
function assemble(files: Files, assembly: Assembly): Promise<string> {
  const { part, base, format, isOldestFirst, path } = assembly;
  return PartFile.write(files, path, async (file) => {
    if (base === undefined) await file.append(Buffer.from(format.header));
    else await copyBase(files, base, file);
    for await (const bytes of rowsOf(assembly)) await file.append(bytes);
    if (!isOldestFirst && file.bytes !== part.bytes) {
      throw new Error("the part file is shorter than it was");
    }
  });
}

async function* rowsOf({ part, blocks, format, isOldestFirst, isByIds }: Assembly) {
  if (!isByIds) return yield* part.readBack(blocks);
  const ties = new Ties(format, isOldestFirst);
  const header = Buffer.byteLength(format.header);
  const pages = isOldestFirst ? linesBack(part, blocks) : part.lines(header);
  for await (const lines of pages) yield ties.add(lines);
  yield ties.end();
}

async function* linesBack(part: PartFile, blocks: readonly number[]) {
  for await (const block of part.readBack(blocks)) yield splitLines(block.toString()).lines;
}

async function copyBase(
  files: Files,
  { path, bytes, sha256 }: NonNullable<Assembly["base"]>,
  file: PartFile,
): Promise<void> {
  const source = await files.open(path, "read");
  try {
    const isWhole = await file.appendStartOf(source, bytes);
    if (!isWhole || file.sha256 !== sha256) throw changedMeanwhile(path);
  } finally {
    await source.close();
  }
}

/** The other program's changes stay, and so do our rows next to the file. */
function changedMeanwhile(path: string): MonitorError {
  return new MonitorError("file", "failed", `${path} was changed while it was added to`, {
    advice: "run the same command again",
  });
}

/** The lines of one record, which stay together. */
interface Unit {
  readonly id: string;
  text: string;
}

/** Sorts the lines of each time. */
class Ties {
  readonly #format: Assembly["format"];
  readonly #isOldestFirst: boolean;
  readonly #parser: LineParser;
  #ms: number | undefined;
  #units: Unit[] = [];

  constructor(format: Assembly["format"], isOldestFirst: boolean) {
    this.#format = format;
    this.#isOldestFirst = isOldestFirst;
    this.#parser = lineParser(format.header);
  }

  add(lines: readonly string[]): Buffer {
    return Buffer.from(lines.map((line) => this.#addLine(line)).join(""));
  }

  end(): Buffer {
    return Buffer.from(this.#flush());
  }

  #addLine(line: string): string {
    const ms = this.#parser.timeOf(line);
    const before = ms === this.#ms ? "" : this.#flush();
    this.#ms = ms;
    const id = this.#parser.idOf(line);
    const last = this.#units.at(-1);
    if (!this.#format.isOneLine && last?.id === id) last.text += line;
    else this.#units.push({ id, text: line });
    return before;
  }

  #flush(): string {
    const sorted = this.#units.sort(compareUnits);
    if (!this.#isOldestFirst) sorted.reverse();
    this.#units = [];
    return sorted.map(({ text }) => text).join("");
  }
}

/** By id, numerically if both are numbers, then by the whole text. */
function compareUnits(a: Unit, b: Unit): number {
  const isNumber = /^[0-9]+$/.test(a.id) && /^[0-9]+$/.test(b.id);
  const [one, other] = isNumber ? [BigInt(a.id), BigInt(b.id)] : [a.id, b.id];
  if (one !== other) return one < other ? -1 : 1;
  return a.text < b.text ? -1 : Number(a.text > b.text);
}

// An export to a file: written beside its target and renamed when it is whole and proven. What a stop leaves
// behind is enough to go on and to end with the same bytes. Data first, then the journal that vouches for it.
import { MonitorError, UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { assemble, changedMeanwhile, orderTies } from "./assemble.ts";
import { type ExportPlan, type ExportResult, ExportRun } from "./export-run.ts";
import { differenceWords, FileComparison } from "./file-comparison.ts";
import { KnownEnd, readFileEnd } from "./file-end.ts";
import { type Files, wordFileError } from "./files.ts";
import {
  type Journal,
  loadJournal,
  type Progress,
  removeUnfinished,
  saveJournal,
  type Written,
} from "./journal.ts";
import { lock, type Processes } from "./lock.ts";
import { type Names, namesBeside, refuseIfThere } from "./names.ts";
import { checkReplaceable, type OwnRows } from "./own-export.ts";
import { PartFile } from "./part-file.ts";
import { PlaceKeeper, type Revisit, revisit } from "./places.ts";

/** Where the rows go. */
export interface FileTarget {
  /** Where links lead to. */
  readonly path: string;
  /** Something can go on with what a stop leaves behind; otherwise nothing is left. */
  readonly isResumable: boolean;
  /** Add to what is there what is newer; only with `isOldestFirst`. */
  readonly isAppended: boolean;
  /** Of what is there, only such rows are replaced; undefined: whatever is there. */
  readonly replaces?: OwnRows | undefined;
  readonly files: Files;
  readonly processes: Processes;
  /** What an earlier run has proven is there: this one goes on from it. Called once, before anything is asked. */
  readonly onResume?: (proven: Written) => void;
}

/** What has come of it, and where it is. */
export interface FileResult extends ExportResult {
  /** SHA-256 of the whole file in hex; undefined when it is not whole. */
  readonly sha256: string | undefined;
  /** Where the rows are; undefined when there are none and nothing is left. */
  readonly path: string | undefined;
  /** The part file is of a listing that is another one now: no command goes on from it. */
  readonly isOutdated?: boolean;
}

/** A stop costs at most so much work; each journal costs a wait for the disk. */
const JOURNAL_EVERY_MS = 500;

/**
 * Exports to a file.
 * @throws {UsageError} when the target cannot be one, or something is there or beside it that is not of this export;
 * {ExportError} when it cannot be written; {HistoryError} when the service fails; the signal's reason when aborted. In each
 * case the part file holds what was proven, if something can go on with it.
 */
export async function exportToFile<T extends object>(
  plan: ExportPlan<T>,
  target: FileTarget,
): Promise<FileResult> {
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
    throw wordFileError(error, path);
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

/** The end of the file that is added to, and its bytes. */
interface Base<T extends object> {
  readonly bytes: number;
  readonly sha256: string;
  readonly end: KnownEnd<T> | undefined;
  readonly comparison: FileComparison<T> | undefined;
}

const NO_BASE = { bytes: 0, sha256: "", end: undefined, comparison: undefined };

class FileExport<T extends object> {
  readonly #plan: ExportPlan<T>;
  readonly #target: FileTarget;
  readonly #names: Names;
  readonly #blocks: number[] = [];
  /** As of the last block that is in the part file: worked out when it is written down. */
  #progressNow: (() => Progress<T>) | undefined;
  #journaledAt = Number.NEGATIVE_INFINITY;
  /** What this export has made beside its target, or found there as its own. */
  #made: "nothing" | "journal" | "all" = "nothing";
  /** Rows that are proven are in the part file, or it is whole. */
  #isWorthKeeping = false;

  constructor(plan: ExportPlan<T>, target: FileTarget) {
    this.#plan = plan;
    this.#target = target;
    this.#names = namesBeside(target.path);
  }

  async run(): Promise<FileResult> {
    try {
      return await this.#run();
    } catch (error) {
      if (!this.#target.isResumable) this.#isWorthKeeping = false;
      throw error;
    } finally {
      // Nothing has been proven: nothing is left behind.
      if (!this.#isWorthKeeping) await this.#removeMade().catch(() => {});
    }
  }

  async #run(): Promise<FileResult> {
    const base = await this.#readBase();
    const journal = await this.#openJournal(base);
    const resume = await this.#resumable(journal);
    const part = await this.#openPart(journal, resume, base);
    try {
      if (resume !== undefined) {
        this.#blocks.push(...resume.blocks);
        this.#resumed(resume.progress);
      }
      const again = resume && (await revisit(resume.progress.places, this.#plan));
      if (resume !== undefined && again?.change !== undefined) {
        return this.#outdated(resume.progress, again);
      }
      const plan = this.#boundedBy(base);
      const keeper = new PlaceKeeper(plan.source, plan.fields, plan.limit, {
        places: resume?.progress.places,
        onRows: (rows, before) => base.comparison?.see(rows, before),
      });
      const run = new ExportRun({ ...plan, source: keeper }, resume?.progress, base.end);
      await this.#write(run, keeper, part, base);
      const result = await this.#compared(withRevisit(run.result, again), run, base);
      return await this.#finish(result, part, base);
    } finally {
      await part.close();
    }
  }

  /** What an earlier run has proven counts, whatever comes of this one. */
  #resumed({ written, pager: { pages, counts } }: Progress<T>): void {
    this.#target.onResume?.(written);
    const { requests } = counts;
    this.#plan.onProgress?.({ ...written, pages, requests, isSecondPass: false });
  }

  /** A proof that reaches down to the file is worth as much as the file is still of the listing. */
  async #compared(
    result: ExportResult,
    run: ExportRun<T>,
    { comparison }: Base<T>,
  ): Promise<ExportResult> {
    if (comparison === undefined || !result.verdict.isComplete) return result;
    const proofs = run.state?.pager.proofs ?? {};
    const { requests, compared, differsAtMs } = await comparison.compare(proofs);
    const { counts } = result;
    return {
      ...result,
      counts: { ...counts, requests: counts.requests + requests },
      compared,
      ...(differsAtMs !== undefined && {
        verdict: {
          isComplete: false,
          flag: "not-its-continuation",
          detail: differenceWords(differsAtMs),
        },
      }),
    };
  }

  /** What an earlier run has proven stays as it is: nothing can follow it. */
  #outdated({ written, pager }: Progress<T>, { requests, change }: Revisit): FileResult {
    const { pages, asOfMs, counts, notes } = pager;
    const near = change?.nearMs === undefined ? "" : `, near ${formatIsoMs(change.nearMs)}`;
    return {
      ...{ ...written, pages, asOfMs, notes },
      counts: { ...counts, requests: counts.requests + requests },
      verdict: {
        isComplete: false,
        flag: "history-changed",
        detail: `the listing is not what it was when this export was stopped${near}`,
      },
      sha256: undefined,
      path: this.#names.part,
      isOutdated: true,
    };
  }

  /** All that was made beside the target; the journal last, for it says that the others are ours. */
  async #removeMade(): Promise<void> {
    const { files } = this.#target;
    const { part, whole, ordered, journal } = this.#names;
    if (this.#made === "all") {
      for (const path of [part, whole, ordered]) await files.remove(path);
      await files.syncFolderOf(part);
    }
    if (this.#made !== "nothing") await files.remove(journal);
  }

  async #readBase(): Promise<Base<T>> {
    const { files, path, isAppended } = this.#target;
    const facts = isAppended ? await files.stat(path) : undefined;
    if (facts === undefined || facts.bytes === 0) return NO_BASE;
    const found = await readFileEnd(files, path, this.#plan.format.header);
    const { lastMs, lines, bytes, sha256 } = found;
    if (lastMs === undefined) return { ...NO_BASE, bytes, sha256 };
    return {
      bytes,
      sha256,
      end: new KnownEnd(lastMs, lines, this.#plan),
      comparison: new FileComparison(this.#plan, files, path, { ...found, lastMs }),
    };
  }

  #boundedBy({ end }: Base<T>): ExportPlan<T> {
    if (end === undefined) return this.#plan;
    const { bounds } = this.#plan;
    const sinceMs = Math.max(end.lastMs, bounds.sinceMs ?? Number.NEGATIVE_INFINITY);
    return { ...this.#plan, bounds: { ...bounds, sinceMs } };
  }

  /** @throws {UsageError} when what is there is of somebody else, or of another export that has proven something */
  async #openJournal(base: Base<T>): Promise<Journal<T> | undefined> {
    const { files } = this.#target;
    const { part, whole, ordered, journal: path } = this.#names;
    const journal = await loadJournal<T>(files, this.#names);
    await removeUnfinished(files, this.#names);
    if (journal === undefined) {
      for (const each of [part, whole, ordered]) await refuseIfThere(files, each);
      return undefined;
    }
    if (journal.identity !== this.#plan.identity && journal.progress !== undefined) {
      throw new UsageError(
        `${part} is what another export has begun: ${journal.identity}`,
        `run that command again, choose another file with -o, or remove ${part} and ${path}`,
      );
    }
    // An end that was seen in part cannot be told from here: adding begins anew, for there is little to add.
    const isKept = journal.baseBytes === base.bytes && base.end === undefined;
    return isKept ? journal : { ...journal, progress: undefined };
  }

  /** What can be gone on with: something is proven, and its part file is there. */
  async #resumable(
    journal: Journal<T> | undefined,
  ): Promise<(Journal<T> & { readonly progress: Progress<T> }) | undefined> {
    const { progress } = journal ?? {};
    if (journal === undefined || progress === undefined) return undefined;
    const part = await this.#target.files.stat(this.#names.part);
    return part === undefined || part.bytes === 0 ? undefined : { ...journal, progress };
  }

  /** Makes the journal before the part file: one that no journal names is somebody else's. */
  async #openPart(
    journal: Journal<T> | undefined,
    resume: Journal<T> | undefined,
    base: Base<T>,
  ): Promise<PartFile> {
    const { files } = this.#target;
    this.#isWorthKeeping = resume !== undefined;
    if (resume === undefined) {
      this.#made = journal === undefined ? "journal" : "nothing";
      const nothing = { bytes: 0, sha256: "", progress: undefined };
      await this.#saveJournal({ ...nothing, blocks: [], baseBytes: base.bytes });
      await files.syncFolderOf(this.#names.part);
    }
    const mode = journal === undefined ? "new" : "write";
    const part = await PartFile.open(files, this.#names.part, mode, resume).catch((error) => {
      // It may have been made before that; but neither one that was there, nor what was refused.
      const isOthers = error instanceof UsageError || error.code === "EEXIST";
      if (!isOthers) this.#made = "all";
      throw error;
    });
    this.#made = "all";
    return part;
  }

  #saveJournal(entry: Omit<Journal<T>, "identity">): Promise<void> {
    const { identity } = this.#plan;
    return saveJournal(this.#target.files, this.#names, { identity, ...entry });
  }

  async #write(
    run: ExportRun<T>,
    keeper: PlaceKeeper<T>,
    part: PartFile,
    base: Base<T>,
  ): Promise<void> {
    const { isOldestFirst, format, clock } = this.#plan;
    if (!isOldestFirst && part.bytes === 0) await part.append(Buffer.from(format.header));
    try {
      for await (const block of run.blocks()) {
        const before = part.bytes;
        await part.append(block);
        if (isOldestFirst) this.#blocks.push(part.bytes - before);
        const { state } = run;
        if (state !== undefined) {
          keeper.accepted(state.pager);
          this.#progressNow = () => ({ ...state, places: keeper.placesAt(state.pager) });
        }
        this.#isWorthKeeping = true;
        if (clock.now() - this.#journaledAt >= JOURNAL_EVERY_MS) await this.#save(part, base);
      }
      await this.#save(part, base);
    } catch (error) {
      // What is proven is kept, as far as the disk still takes it; the first error is the one that counts.
      await this.#save(part, base).catch(() => {});
      throw error;
    }
  }

  async #save(part: PartFile, base: Base<T>): Promise<void> {
    const progress = this.#progressNow?.();
    if (progress === undefined || !this.#target.isResumable) return;
    const sure = await part.sync();
    const blocks = this.#blocks;
    await this.#saveJournal({ ...sure, blocks, baseBytes: base.bytes, progress });
    this.#journaledAt = this.#plan.clock.now();
  }

  async #finish(result: ExportResult, part: PartFile, base: Base<T>): Promise<FileResult> {
    const { files, path } = this.#target;
    if (!result.verdict.isComplete) {
      const kept = this.#isWorthKeeping ? this.#names.part : undefined;
      return { ...result, sha256: undefined, path: kept };
    }
    this.#isWorthKeeping = true;
    const { path: whole, sha256 } = await this.#assemble(result, part, base);
    await this.#checkStill(base);
    await files.replace(whole, path);
    await files.syncFolderOf(path);
    // The file has its name: what cannot be removed now is found to be ours by the next export.
    await this.#removeMade().catch(() => {});
    return { ...result, sha256, path };
  }

  /**
   * Much may have happened at the target since it was looked at.
   * @throws {MonitorError} when there is something else now
   */
  async #checkStill({ bytes }: Base<T>): Promise<void> {
    const { files, path, isAppended } = this.#target;
    try {
      await checkTarget(this.#plan, this.#target);
    } catch (error) {
      if (error instanceof UsageError) throw becameOther(error.message, error.advice);
      throw error;
    }
    if (isAppended && ((await files.stat(path))?.bytes ?? 0) !== bytes)
      throw changedMeanwhile(path);
  }

  /** Writes the file in its final order, where that is not the one in which rows came. */
  async #assemble(
    { notes }: ExportResult,
    part: PartFile,
    base: Base<T>,
  ): Promise<{ readonly path: string; readonly sha256: string }> {
    const { files, path } = this.#target;
    const { isOldestFirst, format } = this.#plan;
    const { whole, ordered } = this.#names;
    let made = { path: this.#names.part, sha256: (await part.sync()).sha256 };
    if (isOldestFirst) {
      const head = base.bytes > 0 ? { path, ...base } : format.header;
      const assembly = { part, blocks: this.#blocks, head, path: whole };
      made = { path: whole, sha256: await assemble(files, assembly) };
    }
    if (notes.includes("unstable-order")) {
      const ties = { format, isOldestFirst, keptBytes: base.bytes };
      const order = { from: made.path, to: ordered, ...ties };
      made = { path: ordered, sha256: await orderTies(files, order) };
    }
    return made;
  }
}

function withRevisit(result: ExportResult, again: Revisit | undefined): ExportResult {
  if (again === undefined) return result;
  const { counts } = result;
  return {
    ...result,
    counts: { ...counts, requests: counts.requests + again.requests },
    compared: `${again.compared} found as before the stop`,
  };
}

function becameOther(message: string, advice: string | undefined): MonitorError {
  return new MonitorError("file", "failed", `meanwhile ${message}`, { advice: advice ?? "" });
}

// An export to a file: written beside its target and renamed when it is whole and proven. What a stop leaves
// behind is enough to go on and to end with the same bytes. Data first, then the journal that vouches for it.
import { UsageError } from "../units/monitor-error.ts";
import { assemble } from "./assemble.ts";
import { wordFileError } from "./export-error.ts";
import { type ExportPlan, type ExportResult, ExportRun, type RunState } from "./export-run.ts";
import { readFileEnd } from "./file-end.ts";
import type { Files } from "./files.ts";
import { type Journal, loadJournal, saveJournal, type Written } from "./journal.ts";
import { KnownEnd } from "./known-end.ts";
import { lock, type Processes } from "./lock.ts";
import { PartFile } from "./part-file.ts";
import { orderTies } from "./tie-order.ts";

/** Where the rows go. */
export interface FileTarget {
  /** Where links lead to. */
  readonly path: string;
  /** Something can go on with what a stop leaves behind; otherwise nothing is left. */
  readonly isResumable: boolean;
  /** Add to what is there what is newer; only with `isOldestFirst`. */
  readonly isAppended: boolean;
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
}

/** A stop costs at most so much work; each journal costs a wait for the disk. */
const JOURNAL_EVERY_MS = 500;

/**
 * Exports to a file.
 * @throws {UsageError} when the target cannot be one; {ExportError} when it cannot be written; {HistoryError}
 * when the service fails; the signal's reason when aborted. In each case the part file holds what was proven, if
 * something can go on with it.
 */
export async function exportToFile<T extends object>(
  plan: ExportPlan<T>,
  target: FileTarget,
): Promise<FileResult> {
  const { files, path, processes } = target;
  try {
    await checkTarget(files, path);
    const unlock = await lock(files, `${path}.part.lock`, processes);
    try {
      return await new FileExport(plan, target).run();
    } finally {
      await unlock();
    }
  } catch (error) {
    throw wordFileError(error, path);
  }
}

async function checkTarget(files: Files, path: string): Promise<void> {
  const facts = await files.stat(path);
  if (facts === undefined || facts.isFile) return;
  throw new UsageError(
    `${path} is ${facts.isFolder ? "a folder" : "no regular file"}`,
    "expected: -o FILE (leave it out to write to standard output)",
  );
}

/** The end of the file that is added to, and its length. */
interface Base<T> {
  readonly bytes: number;
  readonly end: KnownEnd<T> | undefined;
}

/** A finished file beside its target, and what was needed to make it. */
interface Assembled {
  readonly path: string;
  readonly sha256: string;
  readonly leftovers: readonly string[];
}

class FileExport<T extends object> {
  readonly #plan: ExportPlan<T>;
  readonly #target: FileTarget;
  readonly #partPath: string;
  readonly #journalPath: string;
  readonly #blocks: number[] = [];
  /** As of the last block that is in the part file. */
  #state: RunState<T> | undefined;
  #journaledAt = Number.NEGATIVE_INFINITY;
  /** Rows that are proven are in the part file, or it is whole. */
  #isWorthKeeping = false;

  constructor(plan: ExportPlan<T>, target: FileTarget) {
    this.#plan = plan;
    this.#target = target;
    this.#partPath = `${target.path}.part`;
    this.#journalPath = `${target.path}.part.journal`;
  }

  async run(): Promise<FileResult> {
    const base = await this.#readBase();
    const journal = await this.#openJournal(base);
    const part = await PartFile.open(this.#target.files, this.#partPath, journal);
    // The bytes that the journal vouches for may be gone: then it is worth nothing.
    const resume = part.bytes > 0 ? journal : undefined;
    this.#isWorthKeeping = resume !== undefined;
    try {
      if (resume !== undefined) {
        this.#blocks.push(...resume.blocks);
        this.#target.onResume?.(resume.written);
      }
      const run = new ExportRun(this.#boundedBy(base), resume, base.end);
      await this.#write(run, part, base);
      return await this.#finish(run.result, part, base);
    } catch (error) {
      if (!this.#target.isResumable) this.#isWorthKeeping = false;
      throw error;
    } finally {
      await part.close();
      if (!this.#isWorthKeeping) await this.#removePart();
    }
  }

  /** Nothing has been proven: nothing is left behind. */
  async #removePart(): Promise<void> {
    await this.#target.files.remove(this.#partPath);
    await this.#target.files.remove(this.#journalPath);
  }

  async #readBase(): Promise<Base<T>> {
    const { files, path, isAppended } = this.#target;
    const facts = isAppended ? await files.stat(path) : undefined;
    if (facts === undefined || facts.bytes === 0) return { bytes: 0, end: undefined };
    const { lastMs, lines, bytes } = await readFileEnd(files, path, this.#plan.format.header);
    const end = lastMs === undefined ? undefined : new KnownEnd(lastMs, lines, this.#plan);
    return { bytes, end };
  }

  #boundedBy({ end }: Base<T>): ExportPlan<T> {
    if (end === undefined) return this.#plan;
    const { bounds } = this.#plan;
    const sinceMs = Math.max(end.lastMs, bounds.sinceMs ?? Number.NEGATIVE_INFINITY);
    return { ...this.#plan, bounds: { ...bounds, sinceMs } };
  }

  /** @throws {UsageError} when the part file is of another export */
  async #openJournal(base: Base<T>): Promise<Journal<T> | undefined> {
    const journal = await loadJournal<T>(this.#target.files, this.#journalPath);
    if (journal === undefined) return undefined;
    if (journal.identity !== this.#plan.identity) {
      throw new UsageError(
        `${this.#partPath} is what another export has begun: ${journal.identity}`,
        `run that command again, choose another file with -o, or remove ${this.#partPath} and ${this.#journalPath}`,
      );
    }
    // An end that was seen in part cannot be told from here: adding begins anew, for there is little to add.
    return journal.baseBytes === base.bytes && base.end === undefined ? journal : undefined;
  }

  async #write(run: ExportRun<T>, part: PartFile, base: Base<T>): Promise<void> {
    const { isOldestFirst, format, clock } = this.#plan;
    if (!isOldestFirst && part.bytes === 0) await part.append(Buffer.from(format.header));
    try {
      for await (const block of run.blocks()) {
        const before = part.bytes;
        await part.append(block);
        if (isOldestFirst) this.#blocks.push(part.bytes - before);
        this.#state = run.state;
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
    const state = this.#state;
    if (state === undefined || !this.#target.isResumable) return;
    const sure = await part.sync();
    const { identity } = this.#plan;
    await saveJournal(this.#target.files, this.#journalPath, {
      identity,
      ...sure,
      ...state,
      blocks: this.#blocks,
      baseBytes: base.bytes,
    });
    this.#journaledAt = this.#plan.clock.now();
  }

  async #finish(result: ExportResult, part: PartFile, base: Base<T>): Promise<FileResult> {
    const { files, path } = this.#target;
    if (!result.verdict.isComplete) {
      const kept = this.#isWorthKeeping ? this.#partPath : undefined;
      return { ...result, sha256: undefined, path: kept };
    }
    this.#isWorthKeeping = true;
    const { path: whole, sha256, leftovers } = await this.#assemble(result, part, base);
    await files.rename(whole, path);
    await files.syncFolderOf(path);
    await files.remove(this.#journalPath);
    for (const leftover of leftovers) await files.remove(leftover);
    return { ...result, sha256, path };
  }

  /** Writes the file in its final order, where that is not the one in which rows came. */
  async #assemble({ notes }: ExportResult, part: PartFile, base: Base<T>): Promise<Assembled> {
    const { files, path } = this.#target;
    const { isOldestFirst, format } = this.#plan;
    const steps = [this.#partPath];
    let { sha256 } = await part.sync();
    const next = (name: string) => {
      steps.push(`${this.#partPath}.${name}`);
      return { from: steps.at(-2) ?? "", to: steps.at(-1) ?? "" };
    };
    if (isOldestFirst) {
      const head = base.bytes > 0 ? { path, bytes: base.bytes } : format.header;
      const { to } = next("whole");
      sha256 = await assemble(files, { part, blocks: this.#blocks, head, path: to });
    }
    if (notes.includes("unstable-order")) {
      const ties = { format, isOldestFirst, keptBytes: base.bytes };
      sha256 = await orderTies(files, { ...next("ordered"), ...ties });
    }
    const leftovers = steps.slice(0, -1);
    return { path: steps.at(-1) ?? "", sha256, leftovers };
  }
}

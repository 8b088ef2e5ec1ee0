// The fills of a subaccount, oldest first, with the proof that they are complete. Read from scratch, or from a persisted file,
// which is an ordinary export: only newer fills are requested, exactly as when an export appends to a file.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { dataFolder } from "../config/config-location.ts";
import type { Listings } from "../config/settings.ts";
import { SEGMENT_ROWS } from "../export/appended-file.ts";
import { tradesCsv } from "../export/csv.ts";
import { disk } from "../export/disk.ts";
import { exportToFile } from "../export/export-file.ts";
import { exportIdentity } from "../export/export-options.ts";
import type { ExportPlan, ExportProgress, ExportResult } from "../export/export-run.ts";
import { type Files, namesBeside, readAt, writeNew } from "../export/files.ts";
import { loadJournal } from "../export/journal.ts";
import { lineParser, type RowCells, readLines, splitLines } from "../export/lines.ts";
import { lock } from "../export/lock.ts";
import { fillsListing, type Listing } from "../listing/listing.ts";
import { listingSource } from "../listing/listing-source.ts";
import { DEFAULT_PROBES, Pager } from "../listing/paging/pager.ts";
import type { Source } from "../listing/paging/source.ts";
import {
  formatEvidence,
  formatProof,
  formatVerdict,
  type Verdict,
} from "../listing/paging/verdict.ts";
import type { RestClient } from "../listing/rest/rest-client.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import { makeOwnersFolder } from "../system/own-file.ts";
import { type Processes, processes } from "../system/processes.ts";
import type { Clock } from "../units/clock.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { parseJson } from "../wire/json.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import { TRADE_FIELDS, type TradeRecord } from "../wire/rest/trades.ts";

/** Where fills persist between runs. */
export interface FillsFolder {
  /** An existing folder, used by this program only. */
  readonly path: string;
  readonly files: Files;
  readonly processes: Processes;
}

export interface FillsRequest {
  readonly owner: FillsOwner;
  readonly listings: Listings;
  readonly client: RestClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** As text: why there is none. Text or undefined: all fills are requested and nothing is written. */
  readonly folder: FillsFolder | string | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** A request and its listing. */
interface FillsListing extends FillsRequest {
  readonly name: string;
  readonly listing: Listing<TradeRecord>;
  readonly source: Source<TradeRecord>;
}

export interface FillsRead {
  readonly isComplete: boolean;
  /** What proves completeness, or why there is no proof; stable text for programs. */
  readonly proof: string;
  /** The same for people, in the wording of an export. */
  readonly evidence: string;
  /** Anything noteworthy about the file. */
  readonly notes: readonly string[];
  /** Oldest first. Fills just read are in memory; persisted ones are read from their file each time. */
  readonly pages: () => AsyncGenerator<readonly TradeRecord[], void, void>;
}

/**
 * If the file system fails, that is noted, and all fills are requested.
 * @throws {HistoryError} when the service fails; the signal's reason when aborted
 */
export async function readFills(request: FillsRequest): Promise<FillsRead> {
  const { owner, client, folder } = request;
  const listing = fillsListing(owner.owner, owner.subaccountId);
  const listed = {
    ...request,
    name: `fills ${owner.owner} ${owner.subaccountId}`,
    listing,
    source: listingSource(client, listing, { isTransient: true }),
  };
  if (typeof folder !== "object") return readAnew(listed, folder === undefined ? [] : [folder]);
  try {
    return await new PersistedFills(listed, folder).read();
  } catch (error) {
    const isOfFile = error instanceof MonitorError && ["file", "usage"].includes(error.code);
    if (!isOfFile && !(error instanceof Error && "syscall" in error)) throw error;
    return readAnew(listed, [`fills are not persisted: ${error.message}`]);
  }
}

async function readAnew(listed: FillsListing, notes: readonly string[]): Promise<FillsRead> {
  const { source, listing, clock, signal, onProgress } = listed;
  const pager = new Pager({
    source,
    clock,
    signal,
    limit: MAX_PAGE_LIMIT,
    fields: listing.fields,
    isReadThrough: true,
  });
  const pages: (readonly TradeRecord[])[] = [];
  let rows = 0;
  for await (const page of pager.pages()) {
    pages.push(page);
    rows += page.length;
    const { pages: proven, requests } = pager.counts;
    const newestMs = pages[0]?.[0]?.timestamp_ms;
    const oldestMs = page.at(-1)?.timestamp_ms;
    const progress = { rows, records: rows, newestMs, oldestMs, pages: proven, requests };
    onProgress?.({ ...progress, isSecondPass: false });
  }
  const { verdict } = pager;
  if (verdict === undefined) throw new Error("the pager has not ended");
  return { ...proofOf(verdict), notes, pages: () => backwards(pages) };
}

async function* backwards(
  pages: readonly (readonly TradeRecord[])[],
): AsyncGenerator<readonly TradeRecord[], void, void> {
  for (const page of pages.toReversed()) yield page.toReversed();
}

function proofOf(verdict: Verdict, more: readonly string[] = [], before?: Facts) {
  const { isComplete } = verdict;
  const text = isComplete ? formatProof(verdict) : formatVerdict(verdict);
  const join = (first: string, earlier: string | undefined) =>
    [first, ...more, ...(earlier === undefined ? [] : [earlier])].join("; ");
  return {
    isComplete,
    proof: join(text, before?.proof),
    evidence: join(formatEvidence(verdict), before?.evidence ?? before?.proof),
  };
}

const MARK = '{"monitor":"fills of a statement","version":';
const VERSION = 1;
/** Enough to keep different listings apart. */
const NAME_DIGITS = 32;
/** Facts stored next to the file: that it is ours and complete, and the proof from when it was created. */
interface Facts {
  readonly identity: string;
  readonly sha256: string;
  readonly proof: string;
  /** The same for people; older files lack it. */
  readonly evidence?: string | undefined;
  /** For each stretch of its rows, when it was last read or compared: Unix milliseconds. */
  readonly comparedAtMs?: readonly number[] | undefined;
  /** The stretch to compare next. */
  readonly next?: number | undefined;
  /**
   * Cursors that returned rows, and the time of the first of them in Unix milliseconds; needed because possibly no field is the
   * cursor.
   */
  readonly cursors?: readonly (readonly [before: string, ms: number])[] | undefined;
}

/** How many more stretches of the file each run compares, in rotation. */
const RECHECKED = 4;
/** One page each of a hundred million fills; the oldest are dropped. */
const MAX_CURSORS = 100_000;

/** Cells stay as received: the file is not meant for spreadsheets. */
const RAW = { isRaw: true, visible: (text: string) => text };

class PersistedFills {
  readonly #request: FillsListing;
  readonly #folder: FillsFolder;
  readonly #identity: string;
  readonly #base: string;
  readonly #notes: string[] = [];

  constructor(request: FillsListing, folder: FillsFolder) {
    this.#request = request;
    this.#folder = folder;
    const { name, listings } = request;
    this.#identity = exportIdentity({ name, ...listings, format: "csv", order: "added" });
    const digest = createHash("sha256").update(this.#identity).digest("hex");
    this.#base = `${folder.path}/${digest.slice(0, NAME_DIGITS)}`;
  }

  get #path(): string {
    return `${this.#base}.csv`;
  }

  async read(): Promise<FillsRead> {
    const { files, processes } = this.#folder;
    // The lock of the export does not suffice: the facts are written after it is released.
    const unlock = await lock(files, `${this.#base}.lock`, processes);
    try {
      return await this.#read();
    } finally {
      await unlock();
    }
  }

  async #read(): Promise<FillsRead> {
    const facts = await this.#check();
    const result = await this.#export(facts);
    if (isOfAnotherListing(result)) {
      const why = result.verdict.isComplete ? "" : result.verdict.detail;
      this.#notes.push(
        `the listing is not what it was when fills were persisted: ${why}; all of them are asked for again`,
      );
      await this.#remove();
      return this.#finish(await this.#export(undefined), undefined);
    }
    return this.#finish(result, facts);
  }

  /** Facts of the persisted fills. If the file was modified, it is removed. */
  async #check(): Promise<Facts | undefined> {
    const { files } = this.#folder;
    const stats = await files.stat(this.#path);
    if (stats === undefined) return undefined;
    const facts = parseFacts(await files.readText(`${this.#base}.json`));
    // Only regular files are opened: opening a pipe would block.
    const isOwn = stats.isFile && facts?.identity === this.#identity;
    if (isOwn && facts.sha256 === (await this.#digest())) return facts;
    this.#notes.push(
      "the persisted fills are not as they were written: all of them are asked for again",
    );
    await this.#remove();
    return undefined;
  }

  async #digest(): Promise<string> {
    const hash = createHash("sha256");
    const file = await this.#folder.files.open(this.#path, "read");
    try {
      const chunk = Buffer.alloc(1 << 20);
      for (let at = 0, read = -1; read !== 0; at += read) {
        read = await file.read(chunk, at);
        hash.update(chunk.subarray(0, read));
      }
    } finally {
      await file.close();
    }
    return hash.digest("hex");
  }

  #export({ next = 0, cursors = [] }: Partial<Facts> = {}): Promise<ExportResult> {
    const { source, listing, clock, signal, onProgress } = this.#request;
    const { files, processes } = this.#folder;
    const plan: ExportPlan<TradeRecord> = {
      source,
      clock,
      signal,
      onProgress,
      bounds: {},
      identity: this.#identity,
      fields: listing.fields,
      format: tradesCsv(RAW),
      limit: MAX_PAGE_LIMIT,
      probes: DEFAULT_PROBES,
      isOldestFirst: true,
      isVerified: false,
    };
    const recheck = {
      choose: (count: number) =>
        Array.from({ length: Math.min(RECHECKED, count) }, (_, i) => (next + i) % count),
      cursors: cursors.map(([before, ms]) => ({ before: BigInt(before), ms })),
    };
    const target = { path: this.#path, isResumable: true, isAppended: true, files, processes };
    return exportToFile(plan, { ...target, recheck });
  }

  async #finish(result: ExportResult, before: Facts | undefined): Promise<FillsRead> {
    const { verdict, compared, sha256, stretches, cursors = [] } = result;
    const nowMs = this.#request.clock.wall();
    const times = comparedTimes(before, stretches, result.rows, nowMs);
    const since = before === undefined ? [] : formatOldest(times, nowMs);
    const more = [...(compared === undefined ? [] : [compared]), ...since];
    const found = proofOf(verdict, more, before);
    if (!verdict.isComplete) return { ...found, notes: this.#notes, pages: () => this.#proven() };
    // The first proof reaches to the end, later ones only down to the file.
    const on = (words: string) => `older fills on ${formatIsoMs(nowMs)}: ${words}`;
    const { proof, evidence } = before ?? { proof: on(found.proof), evidence: on(found.evidence) };
    const next = stretches === undefined ? 0 : (before?.next ?? 0) + RECHECKED;
    await this.#saveFacts({
      identity: this.#identity,
      sha256: sha256 ?? "",
      proof,
      evidence,
      comparedAtMs: times,
      next: next % Math.max(1, times.length),
      cursors: [
        ...new Map([
          ...(before?.cursors ?? []),
          ...cursors.map(({ before: cursor, ms }) => [`${cursor}`, ms] as const),
        ]),
      ].slice(-MAX_CURSORS),
    });
    return { ...found, notes: this.#notes, pages: () => this.#file() };
  }

  async #saveFacts(facts: Facts): Promise<void> {
    const { files } = this.#folder;
    const [path, temporary] = [`${this.#base}.json`, `${this.#base}.json.tmp`];
    const text = JSON.stringify({ monitor: "fills of a statement", version: VERSION, ...facts });
    await files.remove(temporary);
    await writeNew(files, temporary, text);
    await files.rename(temporary, path);
  }

  async #remove(): Promise<void> {
    const { files } = this.#folder;
    const { part, journal, journalTemporary, whole } = namesBeside(this.#path);
    const made = [`${this.#base}.json`, this.#path, part, whole, journalTemporary, journal];
    for (const path of made) await files.remove(path);
  }

  async *#file(): AsyncGenerator<readonly TradeRecord[], void, void> {
    const { files } = this.#folder;
    const read = recordParser();
    const file = await files.open(this.#path, "read");
    try {
      for await (const lines of readLines(file, 0)) yield lines.flatMap(read);
    } finally {
      await file.close();
    }
  }

  /** The rows proven by an incomplete run: the persisted ones, then its pages, which arrived newest first. */
  async *#proven(): AsyncGenerator<readonly TradeRecord[], void, void> {
    const { files } = this.#folder;
    if ((await files.stat(this.#path)) !== undefined) yield* this.#file();
    const names = namesBeside(this.#path);
    const journal = await loadJournal(files, names);
    if (journal === undefined || (await files.stat(names.part)) === undefined) return;
    const read = recordParser();
    const part = await files.open(names.part, "read");
    try {
      let end = journal.bytes;
      for (const bytes of journal.blocks.toReversed()) {
        end -= bytes;
        yield splitLines((await readAt(part, end, bytes)).toString()).lines.flatMap(read);
      }
    } finally {
      await part.close();
    }
  }
}

/**
 * When each stretch of the file was last read or compared.
 * @param stretches whether each existing stretch was compared now; undefined if there was no file
 * @param added number of rows added
 */
function comparedTimes(
  before: Facts | undefined,
  stretches: readonly boolean[] | undefined,
  added: number,
  nowMs: number,
): readonly number[] {
  const known = before?.comparedAtMs ?? [];
  const old = stretches?.map((isCompared, i) => (isCompared ? nowMs : (known[i] ?? 0))) ?? known;
  // The last existing stretch may take some of the added rows; then the result has one entry too many, with the current time.
  return [...old, ...Array.from({ length: Math.ceil(added / SEGMENT_ROWS) }, () => nowMs)];
}

/** When the stretches not compared now were last compared; empty if all were compared. */
function formatOldest(times: readonly number[], nowMs: number): readonly string[] {
  const oldestMs = Math.min(nowMs, ...times);
  if (oldestMs === nowMs) return [];
  const when =
    oldestMs === 0 ? "not since they were persisted" : `on ${formatIsoMs(oldestMs)} or later`;
  return [`the others were compared last ${when}, ${RECHECKED * SEGMENT_ROWS} more each time`];
}

function isOfAnotherListing({ verdict, isOutdated }: ExportResult): boolean {
  if (verdict.isComplete) return false;
  return isOutdated === true || verdict.flag === "not-its-continuation";
}

function parseFacts(text = ""): Facts | undefined {
  if (!text.startsWith(`${MARK}${VERSION},`)) return undefined;
  const facts = (parseJson(text) ?? {}) as Partial<Facts>;
  const { identity, sha256, proof, evidence, comparedAtMs, next, cursors } = facts;
  const isWhole = [identity, sha256, proof].every((each) => typeof each === "string");
  const isNumbers = (list: unknown) => Array.isArray(list) && list.every(Number.isSafeInteger);
  const hasTimes = isNumbers(comparedAtMs) && isNumbers([next]) && (next ?? 0) >= 0;
  const isCursor = (each: unknown) =>
    Array.isArray(each) && /^[0-9]{1,39}$/.test(String(each[0])) && isNumbers([each[1]]);
  const hasCursors = Array.isArray(cursors) && cursors.every(isCursor);
  if (!isWhole) return undefined;
  const found = { ...(hasTimes && { comparedAtMs, next }), ...(hasCursors && { cursors }) };
  return {
    identity,
    sha256,
    proof,
    ...(typeof evidence === "string" && { evidence }),
    ...found,
  } as Facts;
}

/** Parses a line back into its record; empty for the header. */
function recordParser(): (line: string) => readonly TradeRecord[] {
  const { cellsOf } = lineParser(tradesCsv(RAW).header);
  return (line) => {
    const cells = cellsOf(line);
    return cells === undefined ? [] : [recordOf(cells)];
  };
}

function recordOf(cells: RowCells): TradeRecord {
  const record: Record<string, string | number | boolean> = {};
  for (const [name, form] of TRADE_FIELDS) {
    const cell = cells[name] ?? "";
    record[name] = form === "integer" ? Number(cell) : form === "flag" ? cell === "true" : cell;
  }
  return record as unknown as TradeRecord;
}

// Where fills of statements persist: a folder of their own in the data folder, readable only by its owner.

const NAME = "fills";

async function fillsPath(): Promise<string> {
  return join(await dataFolder(), NAME);
}

/** Creates the folder. @returns it, or why it is unavailable */
export async function openFillsFolder(): Promise<FillsFolder | string> {
  const path = await fillsPath();
  try {
    makeOwnersFolder(path);
    return { path, files: disk, processes };
  } catch (error) {
    return `fills are not persisted: ${(error as Error).message}`;
  }
}

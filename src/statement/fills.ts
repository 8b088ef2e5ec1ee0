// The fills of a subaccount, oldest first, with the proof that they are complete. They are stored as an ordinary export, to which
// each run appends what is newer; a stored file that is not as it was written, or does not join the listing, is read anew.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type ExportPlan, exportToFile, type Reached } from "../export/export.ts";
import { tradeFormat } from "../export/format.ts";
import { namesBeside } from "../export/part-file.ts";
import { fillsListing } from "../listing/listing.ts";
import { unproven } from "../listing/look.ts";
import { Pager } from "../listing/pager.ts";
import type { RestClient } from "../listing/rest-client.ts";
import { createSource } from "../listing/source.ts";
import { makeOwnersFolder } from "../system/own-file.ts";
import { errorText, MonitorError } from "../units/monitor-error.ts";
import { getMembers, parseJson } from "../wire/json.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

export interface FillsRequest {
  readonly owner: FillsOwner;
  readonly baseUrl: string;
  readonly client: RestClient;
  /** How cursors were found in an earlier run. */
  readonly cursor?: string | undefined;
  readonly signal: AbortSignal;
  /** Where fills are stored between runs; undefined: nowhere. */
  readonly folder: string | undefined;
  readonly onProgress: (reached: Reached) => void;
}

export interface FillsRead {
  readonly isComplete: boolean;
  /** What proves completeness, or why there is no proof. */
  readonly proof: string;
  /** Anything noteworthy about the stored fills. */
  readonly notes: readonly string[];
  /** Oldest first; may be read more than once. */
  pages(): AsyncGenerator<readonly TradeRecord[], void, void>;
}

/**
 * If the file system fails, that is noted, and all fills are requested.
 * @throws {ServiceError} when the service fails; the signal's reason when aborted
 */
export async function readFills(request: FillsRequest): Promise<FillsRead> {
  const { folder } = request;
  if (folder === undefined) return readAnew(request, []);
  try {
    makeOwnersFolder(folder);
    return await readStored(request, folder);
  } catch (error) {
    const isOfFile = error instanceof MonitorError && ["file", "usage"].includes(error.code);
    if (!isOfFile && !(error instanceof Error && "syscall" in error)) throw error;
    return readAnew(request, [`fills are not stored: ${errorText(error)}`]);
  }
}

function planOf({ owner, client, cursor, signal, onProgress }: FillsRequest) {
  const listing = fillsListing(owner.owner, owner.subaccountId);
  const texts = new WeakMap<object, string>();
  return {
    source: createSource(client, listing, texts),
    format: tradeFormat("ndjson", listing, texts),
    limit: MAX_PAGE_LIMIT,
    bounds: {},
    isOldestFirst: true,
    cursor,
    signal,
    onProgress,
  } satisfies ExportPlan<TradeRecord>;
}

async function readAnew(request: FillsRequest, notes: readonly string[]): Promise<FillsRead> {
  const pager = new Pager(planOf(request));
  const pages: (readonly TradeRecord[])[] = [];
  for await (const { rows, state } of pager.pages()) {
    pages.push(rows);
    request.onProgress({
      rows: state.taken,
      newestMs: state.newestMs,
      oldestMs: rows.at(-1)?.timestamp_ms,
      pages: state.pages,
      requests: pager.requests,
    });
  }
  const { isComplete, why } = pager.verdict ?? unproven("they were not read to their end");
  return {
    isComplete,
    proof: why,
    notes,
    async *pages() {
      for (const page of pages.toReversed()) yield page.toReversed();
    },
  };
}

async function readStored(request: FillsRequest, folder: string): Promise<FillsRead> {
  const plan = planOf(request);
  const { baseUrl } = request;
  const name = createHash("sha256").update(`${plan.source.listing.name} of ${baseUrl}`);
  const path = join(folder, `${name.digest("hex").slice(0, 32)}.ndjson`);
  const notes: string[] = [];
  const only = { isAppended: true, isForced: false, allowsUnproven: true };
  const readAll = () => exportToFile(plan, { path, identity: baseUrl, ...only });
  const before = await checkStored(path, notes);
  let result = await readAll();
  if (before !== undefined && !result.verdict.isComplete) {
    notes.push(`${result.verdict.why}: all fills are asked for again`);
    await removeStored(path);
    result = await readAll();
  }
  const { isComplete, why } = result.verdict;
  const first = before !== undefined && isComplete ? before.proof : why;
  if (isComplete) await writeFacts(path, first);
  return {
    isComplete,
    proof: first === why ? why : `${why}; older fills: ${first}`,
    notes,
    pages: () => readLines(path),
  };
}

/** Beside the file: that it is as it was written, and how it was proven. */
interface Facts {
  readonly bytes: number;
  readonly crc: number;
  readonly proof: string;
}

const factsOf = (path: string) => `${path}.facts`;

/** A file that was changed, or was never proven, is removed. */
async function checkStored(path: string, notes: string[]): Promise<Facts | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const text = await readFile(factsOf(path), "utf8").catch(() => "");
  const { bytes, crc, proof } = getMembers(parseJson(text)) as Partial<Facts>;
  const isSame = found.isFile() && found.size === bytes && (await checksum(path)) === crc;
  if (isSame && typeof proof === "string") return { bytes, crc, proof };
  if (text !== "") notes.push("stored fills are not as they were written: all are asked for again");
  await removeStored(path);
  return undefined;
}

async function writeFacts(path: string, proof: string): Promise<void> {
  const { size } = await lstat(path);
  const facts: Facts = { bytes: size, crc: await checksum(path), proof };
  await writeFile(factsOf(path), JSON.stringify(facts), { mode: 0o600 });
}

async function removeStored(path: string): Promise<void> {
  const { part, journal, whole } = namesBeside(path);
  for (const each of [factsOf(path), path, whole, part, journal])
    await rm(each, { force: true, recursive: true });
}

async function checksum(path: string): Promise<number> {
  let crc = 0;
  for await (const chunk of createReadStream(path)) crc = crc32(chunk as Buffer, crc);
  return crc;
}

async function* readLines(path: string): AsyncGenerator<readonly TradeRecord[], void, void> {
  let rest = "";
  const chunks = createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 20 });
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield lines.map((line) => JSON.parse(line) as TradeRecord);
  }
}

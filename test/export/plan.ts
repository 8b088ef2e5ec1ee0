// An export of a short listing to a disk in memory.
import { tradesCsv } from "../../src/export/csv.ts";
import { exportToFile } from "../../src/export/export-file.ts";
import type { ExportPlan } from "../../src/export/export-run.ts";
import { tradesListing } from "../../src/listing/listing.ts";
import type { PageRequest } from "../../src/listing/paging/source.ts";
import type { Processes } from "../../src/system/processes.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { answered } from "../support/answered.ts";
import { instantClock } from "../support/instant-clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

export type Changes = Partial<ExportPlan<TradeRecord>>;

export const model = trades.good[0]?.message?.[0] as TradeRecord;
export const ROWS = 120;

/** Newest first. The cursor is a hidden number, shared by three rows each. */
export const listing = Array.from({ length: ROWS }, (_, i) => {
  const number = ROWS - i;
  const record = {
    ...model,
    trade_id: `${number * 7}`,
    timestamp_ms: 1_700_000_000_000 + (number >> 2),
  };
  return { index: BigInt(5000 + Math.floor(number / 3) * 10), record };
});

export const pageOf = (rows: typeof listing, { before, limit }: PageRequest): TradeRecord[] =>
  rows
    .filter(({ index }) => before === undefined || index < before)
    .slice(0, limit)
    .map(({ record }) => record);

/** A source whose answers are a function of their requests. */
export const sourceOf = (
  rowsOf: (request: PageRequest) => readonly TradeRecord[],
): ExportPlan<TradeRecord>["source"] => ({
  get: async (request) => answered(rowsOf(request)),
});

export const format = tradesCsv({ isRaw: false, visible: (text) => text });

export const alone: Processes = {
  self: { host: "here", pid: 1, started: "1" },
  isAlive: () => false,
};

/** Exports the listing to t.csv. */
export function exportTo(
  files: MemoryDisk,
  changes: Changes = {},
  { isAppended = false, processes = alone } = {},
) {
  const plan: ExportPlan<TradeRecord> = {
    identity: "trades perp/1",
    source: sourceOf((request) => pageOf(listing, request)),
    fields: tradesListing({ type: "perp", id: "1" }).fields,
    format,
    limit: 20,
    bounds: {},
    isOldestFirst: false,
    isVerified: false,
    clock: instantClock,
    signal: new AbortController().signal,
    ...changes,
  };
  return exportToFile(plan, { path: "t.csv", isAppended, isResumable: true, files, processes });
}

/** What an export comes to that nothing disturbs. */
export async function unbroken(changes: Changes = {}) {
  const files = new MemoryDisk();
  await exportTo(files, changes);
  return { text: files.text("t.csv") ?? "", calls: files.calls };
}

/** The ways in which a file is written: `old` is what is there before. */
export const WAYS: readonly (readonly [name: string, isOldestFirst: boolean, oldRows: number])[] = [
  ["newest first", false, 0],
  ["oldest first", true, 0],
  ["added", true, 60],
];

/** Disks for one of these ways, and the export to them. */
export async function wayOf(isOldestFirst: boolean, oldRows: number) {
  const { text } = await unbroken({ isOldestFirst });
  const old = oldRows > 0 ? `${text.split("\r\n").slice(0, oldRows).join("\r\n")}\r\n` : undefined;
  const write = (files: MemoryDisk) =>
    exportTo(files, { isOldestFirst }, { isAppended: old !== undefined });
  const newDisk = () => {
    const files = new MemoryDisk();
    if (old !== undefined) files.put("t.csv", old);
    return files;
  };
  const files = newDisk();
  await write(files);
  return { text, old, write, newDisk, calls: files.calls };
}

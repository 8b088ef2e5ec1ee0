// An export of a market's trades for the benches: to a file as `monitor export` writes it, with part file, hash and journal, or with
// its lines discarded.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tradesCsv } from "../../src/export/csv.ts";
import { disk } from "../../src/export/disk.ts";
import { exportToFile } from "../../src/export/export-file.ts";
import { type ExportPlan, type ExportResult, ExportRun } from "../../src/export/export-run.ts";
import { tradesListing } from "../../src/listing/listing.ts";
import { listingSource } from "../../src/listing/listing-source.ts";
import { RestClient } from "../../src/listing/rest/rest-client.ts";
import { processes } from "../../src/system/processes.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import { createRandom } from "../../src/units/random.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";

export const PAGE = 1000;
export const listing = tradesListing({ type: "perp", id: "1" });

export function createClient(port: number): RestClient {
  const baseUrl = `http://127.0.0.1:${port}`;
  return new RestClient({ baseUrl, clock: systemClock, random: createRandom(1) });
}

/**
 * Exports everything.
 * @param onPage called after the lines of a page have been written
 * @throws {Error} unless it is proven complete and has the expected number of rows
 */
export type Export = (client: RestClient, rows: number, onPage?: () => void) => Promise<void>;

/** To a new file in the temporary folder, removed afterwards. */
export const exportToDisk: Export = async (client, rows, onPage) => {
  const folder = await mkdtemp(join(tmpdir(), "monitor-bench-"));
  try {
    const path = join(folder, "trades.csv");
    const target = { path, isAppended: false, isResumable: true, files: disk, processes };
    check(await exportToFile(planOf(client, onPage), target), rows);
    const facts = await disk.stat(path);
    if ((facts?.bytes ?? 0) < rows) throw new Error("the file is too short");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Formats all lines and discards them. */
export const exportToNowhere: Export = async (client, rows, onPage) => {
  const run = new ExportRun(planOf(client, onPage));
  let bytes = 0;
  for await (const block of run.blocks()) bytes += block.length;
  check(run.result, rows);
  if (bytes < rows) throw new Error("there are too few lines");
};

function planOf(client: RestClient, onPage: () => void = () => {}): ExportPlan<TradeRecord> {
  return {
    identity: "",
    source: listingSource(client, listing, { isTransient: true }),
    fields: listing.fields,
    format: tradesCsv({ isRaw: false, visible: (text) => text }),
    limit: PAGE,
    bounds: {},
    isOldestFirst: false,
    isVerified: false,
    clock: systemClock,
    signal: new AbortController().signal,
    onProgress: onPage,
  };
}

function check({ rows: found, verdict }: ExportResult, rows: number): void {
  if (found !== rows || !verdict.isComplete) throw new Error(`${found} of ${rows} rows`);
}

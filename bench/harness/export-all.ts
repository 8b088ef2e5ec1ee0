// An export of a market's trades for the benches: to a file as `monitor export` writes it, with part file and journal, or with its
// lines discarded.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ExportPlan,
  type ExportResult,
  exportToFile,
  exportToStream,
} from "../../src/export/export.ts";
import { tradeFormat } from "../../src/export/format.ts";
import { tradesListing } from "../../src/listing/listing.ts";
import { RestClient } from "../../src/listing/rest-client.ts";
import { createSource } from "../../src/listing/source.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import { createRandom } from "../../src/units/random.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";

export const PAGE = 1000;
export const listing = tradesListing({ type: "perp", id: "1" });

export function createClient(port: number): RestClient {
  const baseUrl = `http://127.0.0.1:${port}`;
  return new RestClient({ baseUrl, headers: {}, clock: systemClock, random: createRandom(1) });
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
    const only = { isAppended: false, isForced: false, allowsUnproven: false };
    check(await exportToFile(planOf(client, onPage), { path, identity: "", ...only }), rows);
    if ((await stat(path)).size < rows) throw new Error("the file is too short");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Formats all lines and discards them. */
export const exportToNowhere: Export = async (client, rows, onPage) => {
  let bytes = 0;
  const result = await exportToStream(planOf(client, onPage), async (text) => {
    bytes += text.length;
  });
  check(result, rows);
  if (bytes < rows) throw new Error("there are too few lines");
};

function planOf(client: RestClient, onPage: () => void = () => {}): ExportPlan<TradeRecord> {
  return {
    source: createSource(client, listing),
    format: tradeFormat("csv", listing, new WeakMap()),
    limit: PAGE,
    bounds: {},
    isOldestFirst: false,
    signal: new AbortController().signal,
    onProgress: onPage,
  };
}

function check({ rows: found, verdict }: ExportResult, rows: number): void {
  if (found !== rows || !verdict.isComplete) throw new Error(`${found} of ${rows} rows`);
}

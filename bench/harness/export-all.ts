// One export of a market's trades, whose lines are dropped, as the benches measure it.
import { systemClock } from "../../src/cli/system-clock.ts";
import { ExportRun } from "../../src/export/export-run.ts";
import { tradesCsv } from "../../src/export/row-format.ts";
import { listingSource, tradesListing } from "../../src/history/listing.ts";
import { RestClient } from "../../src/history/rest/rest-client.ts";
import { createRandom } from "../../src/units/random.ts";

export const PAGE = 1000;
export const listing = tradesListing({ type: "perp", id: "1" });

export function createClient(port: number): RestClient {
  const baseUrl = `http://127.0.0.1:${port}`;
  return new RestClient({ baseUrl, clock: systemClock, random: createRandom(1) });
}

/**
 * Exports everything as `monitor export` does, but to nowhere.
 * @param onBlock a page's lines have been made
 * @throws {Error} when it is not proven to be whole, or has another number of rows
 */
export async function exportAll(
  client: RestClient,
  rows: number,
  onBlock: () => void = () => {},
): Promise<void> {
  const run = new ExportRun({
    identity: "",
    source: listingSource(client, listing, { isPassing: true }),
    reading: listing.reading,
    format: tradesCsv({ isRaw: false, visible: (text) => text }),
    limit: PAGE,
    bounds: {},
    isOldestFirst: false,
    isVerified: false,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  let bytes = 0;
  for await (const block of run.blocks()) {
    bytes += block.length;
    onBlock();
  }
  const { rows: found, verdict } = run.result;
  if (found !== rows || !verdict.isComplete || bytes === 0) {
    throw new Error(`${found} of ${rows} rows`);
  }
}

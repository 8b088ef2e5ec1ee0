// T9: rows of an export, proven and written as CSV, over the same pages parsed with JSON.parse and dropped.
import { fork } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "../src/cli/system-clock.ts";
import { ExportRun } from "../src/export/export-run.ts";
import { tradesCsv } from "../src/export/row-format.ts";
import { listingSource, tradesListing } from "../src/history/listing.ts";
import { RestClient } from "../src/history/rest/rest-client.ts";
import { createRandom } from "../src/units/random.ts";
import { runBench } from "./harness/bench.ts";
import { atLeast, type Effort } from "./harness/figure.ts";
import { LISTER } from "./harness/places.ts";
import { median, medianRatio, takeTurns } from "./harness/statistics.ts";

const PAGE = 1000;
const listing = tradesListing({ type: "perp", id: "1" });

/** Milliseconds in which an export has made all of its lines. */
async function exportAll(client: RestClient, rows: number): Promise<number> {
  const start = performance.now();
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
  for await (const block of run.blocks()) bytes += Buffer.byteLength(block);
  const taken = performance.now() - start;
  const { rows: found, verdict } = run.result;
  if (found !== rows || !verdict.isComplete || bytes === 0)
    throw new Error(`${found} of ${rows} rows`);
  return taken;
}

/** Milliseconds in which the same pages are asked for one after the other, parsed and dropped. */
async function parseAll(client: RestClient, rows: number): Promise<number> {
  const start = performance.now();
  const { signal } = new AbortController();
  let found = 0;
  for (let before: string | undefined; ; ) {
    const query = { ...listing.query, limit: PAGE, before };
    const page = JSON.parse(await client.get(listing.path, query, signal)) as {
      trade_id: string;
    }[];
    found += page.length;
    before = page.at(-1)?.trade_id;
    if (before === undefined) break;
  }
  if (found !== rows) throw new Error(`${found} of ${rows} rows`);
  return performance.now() - start;
}

await runBench(async (effort: Effort) => {
  const rows = effort.pick(50_000, 3000);
  const lister = fork(LISTER, [String(rows)]);
  const [port] = (await once(lister, "message")) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = new RestClient({ baseUrl, clock: systemClock, random: createRandom(1) });
  const [ours = [], least = []] = await takeTurns(
    [() => exportAll(client, rows), () => parseAll(client, rows)],
    effort.pick(15, 1),
    effort.pick(2, 0),
  );
  await client.close();
  lister.disconnect();
  const perSecond = (taken: readonly number[]) => (rows * 1000) / median(taken);
  return [
    {
      id: "T9",
      what: "rows of an export a second, without latency",
      unit: "rows/s",
      ours: perSecond(ours),
      other: { name: "JSON.parse", value: perSecond(least) },
      ratio: medianRatio(least, ours),
      goal: atLeast("ratio", 0.75),
    },
  ];
});

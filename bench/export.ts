// T9 to T11: a proven export to a CSV file with hash and journal: compared with parsing and dropping the same pages, with
// downloading their bare bytes from a slow service, and its memory with many rows.
import { fork } from "node:child_process";
import { once } from "node:events";
import type { RestClient } from "../src/listing/rest-client.ts";
import { runBench } from "./harness/bench.ts";
import {
  createClient,
  type Export,
  exportToDisk,
  exportToNowhere,
  listing,
  PAGE,
} from "./harness/export-all.ts";
import { atLeast, atMost, type Effort, type Figure } from "./harness/figure.ts";
import { EXPORTER, LISTER } from "./harness/places.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";

const MEGABYTE = 1024 * 1024;

/** The trade id of the last record, the cursor of the next page. */
type LastId = (body: string) => string | undefined;

const parsedId: LastId = (body) =>
  (JSON.parse(body) as readonly { readonly trade_id: string }[]).at(-1)?.trade_id;

const bareId: LastId = (body) =>
  /"trade_id":"([0-9]+)"/.exec(body.slice(body.lastIndexOf("{")))?.[1];

/** Requests the same pages one after the other and drops them. */
async function dropAll(client: RestClient, rows: number, lastId: LastId): Promise<void> {
  const { signal } = new AbortController();
  let pages = 0;
  for (let before: string | undefined; ; pages++) {
    const query = { ...listing.query, limit: PAGE, before };
    before = lastId((await client.get(listing.path, query, signal)).text);
    if (before === undefined) break;
  }
  if (pages !== Math.ceil(rows / PAGE)) throw new Error(`${pages} pages of ${rows} rows`);
}

async function taking(work: Promise<void>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

/** Runs with a listing of this many rows, whose service takes `delayMs` for each request. */
async function withListing<T>(
  rows: number,
  delayMs: number,
  use: (port: number) => Promise<T>,
): Promise<T> {
  const lister = fork(LISTER, [String(rows), String(delayMs)]);
  const [port] = (await once(lister, "message")) as [number];
  try {
    return await use(port);
  } finally {
    lister.disconnect();
  }
}

interface Comparison {
  readonly exportAll: Export;
  readonly rows: number;
  readonly delayMs: number;
  readonly turns: number;
  readonly lastId: LastId;
}

/** Rows a second of an export and of dropping its pages, and their ratio. */
function compare({ exportAll, rows, delayMs, turns, lastId }: Comparison) {
  return withListing(rows, delayMs, async (port) => {
    const client = createClient(port);
    const ways = [
      () => taking(exportAll(client, rows)),
      () => taking(dropAll(client, rows, lastId)),
    ];
    const [ours = [], least = []] = await measureInTurns(ways, turns);
    await client.close();
    const perSecond = (taken: readonly number[]) => (rows * 1000) / median(taken);
    return { ours: perSecond(ours), other: perSecond(least), ratio: medianRatio(least, ours) };
  });
}

async function withoutLatency(effort: Effort, exportAll: Export): Promise<Figure> {
  const { ours, other, ratio } = await compare({
    exportAll,
    rows: effort.pick(50_000, 1200),
    delayMs: 0,
    turns: effort.pick(15, 1),
    lastId: parsedId,
  });
  const figure = {
    unit: "rows/s",
    ours,
    other: { name: "JSON.parse", value: other },
    ratio,
  };
  return exportAll === exportToDisk
    ? {
        ...figure,
        id: "T9",
        what: "rows of an export a second, without latency",
        goal: atLeast("ratio", 1.2),
      }
    : { ...figure, id: "", what: "the same, its lines to nowhere" };
}

async function withLatency(effort: Effort, delayMs: number, goal: number): Promise<Figure> {
  const { ours, other, ratio } = await compare({
    exportAll: exportToDisk,
    rows: effort.pick(30_000, 1200),
    delayMs,
    turns: effort.pick(7, 1),
    lastId: bareId,
  });
  return {
    id: "T10",
    what: `the same, a request takes ${delayMs} ms`,
    unit: "rows/s",
    ours,
    other: { name: "bare bytes", value: other },
    ratio,
    goal: atLeast("ratio", goal),
  };
}

/** Megabytes, in a process of its own. */
function memoryOf(rows: number): Promise<number> {
  return withListing(rows, 0, async (port) => {
    const exporter = fork(EXPORTER, [String(port), String(rows)], { execArgv: [] });
    const ended = once(exporter, "exit").then(() => [Number.NaN]);
    const [peak] = (await Promise.race([once(exporter, "message"), ended])) as [number];
    return peak / MEGABYTE;
  });
}

async function memory(effort: Effort): Promise<readonly Figure[]> {
  const few = effort.pick(100_000, 120);
  const many = few * 10;
  const other = await memoryOf(few);
  const ours = await memoryOf(many);
  const figure = { id: "T11", unit: "MB", ours };
  return [
    {
      ...figure,
      what: `largest RSS of an export of ${many} rows`,
      other: { name: `${few} rows`, value: other },
      ratio: ours / other,
      goal: atMost("ratio", 1.15),
    },
    { ...figure, what: "the same, as such", goal: atMost("ours", 180) },
  ];
}

await runBench(async (effort) => [
  await withoutLatency(effort, exportToDisk),
  await withoutLatency(effort, exportToNowhere),
  await withLatency(effort, 5, 0.8),
  await withLatency(effort, 30, 0.95),
  ...(await memory(effort)),
]);

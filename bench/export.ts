// 9: a proven export to a file: rows a second from a service on the same machine; its share of a bare transfer of the same pages when a
// request takes 30 ms; what it holds at a million rows; and how often it asks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurns, median, medianRatio, type Row } from "./measure.ts";
import { PROGRAM, programFile, startProgram } from "./processes.ts";

const TURNS = 3;
const REQUEST_MS = 30;
const POLL_MS = 20;

/** Milliseconds of a process until its end, and its largest RSS. @throws {Error} unless it ends well */
async function taken(args: readonly string[]): Promise<{ ms: number; peakMb: number }> {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let [peakMb, said] = [0, ""];
  child.stderr.on("data", (data) => {
    said += data;
  });
  const poll = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peakMb * 1000) / 1000;
  }, POLL_MS);
  const [code] = await once(child, "exit");
  clearInterval(poll);
  if (code !== 0) throw new Error(said);
  return { ms: performance.now() - startMs, peakMb };
}

async function withListing<T>(
  rows: number,
  delayMs: number,
  use: (base: string, requests: () => Promise<number>) => Promise<T>,
): Promise<T> {
  const listing = startProgram("listing", String(rows), String(delayMs));
  const [port] = await once(listing, "message");
  try {
    return await use(`http://127.0.0.1:${port}`, async () => {
      listing.send("requests");
      return (await once(listing, "message"))[0];
    });
  } finally {
    listing.kill();
  }
}

/** `monitor export` of all of it to a new file. @throws {Error} unless that is proven complete */
export async function exportAll(base: string): ReturnType<typeof taken> {
  const folder = mkdtempSync(join(tmpdir(), "monitor-bench-"));
  const file = join(folder, "trades.csv");
  try {
    return await taken([PROGRAM, "export", "trades", "perp/1", "--base-url", base, "-o", file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const exportOf = (rows: number) => withListing(rows, 0, exportAll);

async function measureSpeed(rows: number): Promise<Row> {
  const ms = await withListing(rows, 0, (base) =>
    inTurns(TURNS, [async () => (await exportAll(base)).ms], 1),
  );
  const ours = (rows * 1000) / median(ms[0] ?? []);
  const what = "rows/s of an export to a file, service on the same machine";
  return { what, unit: "rows/s", ours, goal: ["ours", "≥", 140_000] };
}

function measureShare(rows: number): Promise<Row> {
  return withListing(rows, REQUEST_MS, async (base) => {
    const bare = [programFile("bare-transfer"), `${base}/markets/1/trades`];
    const [ours = [], least = []] = await inTurns(
      TURNS,
      [async () => (await exportAll(base)).ms, async () => (await taken(bare)).ms],
      0,
    );
    return {
      what: `share of a bare transfer, a request takes ${REQUEST_MS} ms`,
      ...{ unit: "ms", ours: median(ours), ratio: medianRatio(least, ours) },
      ...{ other: { name: "bare transfer", value: median(least) }, goal: ["ratio", "≥", 0.95] },
    };
  });
}

export async function measure(): Promise<readonly Row[]> {
  const { peakMb } = await exportOf(1_000_000);
  const requests = await withListing(20_000, 0, async (base, count) => {
    await exportAll(base);
    return count();
  });
  return [
    await measureSpeed(200_000),
    await measureShare(100_000),
    {
      ...{ what: "largest RSS of an export of a million rows", unit: "MB", ours: peakMb },
      goal: ["ours", "≤", 160],
    },
    {
      ...{ what: "requests for 20,000 rows", unit: "", ours: requests },
      goal: ["ours", "≤", 40],
    },
  ];
}

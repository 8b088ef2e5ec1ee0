// 9: a proven export to a file: rows a second from a service on the same machine; its share of a bare transfer of the same pages when a
// request takes 30 ms; what it holds at a million rows; and how often it asks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, inTurns, median, type Row } from "./measure.ts";
import { PROGRAM, programFile, startProgram } from "./processes.ts";

const TURNS = 3;
const REQUEST_MS = 30;
const POLL_MS = 20;

/** A process until its end, and its largest RSS. @throws {Error} unless it ends well */
async function run(args: readonly string[]): Promise<{ ms: number; peakMb: number }> {
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

/** A service that lists so many rows. */
async function openListing(rows: number, delayMs = 0) {
  const listing = startProgram("listing", String(rows), String(delayMs));
  const [port] = await once(listing, "message");
  const base = `http://127.0.0.1:${port}`;
  return {
    /** `monitor export` of all of it to a new file. @throws {Error} unless that is proven complete */
    async export() {
      const folder = mkdtempSync(join(tmpdir(), "monitor-bench-"));
      const where = ["--base-url", base, "-o", join(folder, "trades.csv")];
      const done = await run([PROGRAM, "export", "trades", "perp/1", ...where]);
      rmSync(folder, { recursive: true });
      return done;
    },
    transfer: () => run([programFile("bare-transfer"), `${base}/markets/1/trades`]),
    async countRequests(): Promise<number> {
      listing.send("count");
      return (await once(listing, "message"))[0];
    },
  };
}

/** Seconds of an export of so many rows, the program's start included. */
export async function secondsOf(rows: number): Promise<number> {
  const listing = await openListing(rows);
  const [taken = []] = await inTurns(TURNS, [async () => (await listing.export()).ms], 1);
  return median(taken) / 1000;
}

export async function measure(): Promise<readonly Row[]> {
  const few = await openListing(20_000);
  await few.export();
  const requests = await few.countRequests();
  const { peakMb } = await (await openListing(1_000_000)).export();
  const speed = 200_000 / (await secondsOf(200_000));
  const slow = await openListing(100_000, REQUEST_MS);
  const sides = [async () => (await slow.export()).ms, async () => (await slow.transfer()).ms];
  const what = `an export of 100,000 rows, a request takes ${REQUEST_MS} ms; its share`;
  return [
    { what: "rows/s of an export", unit: "rows/s", ours: speed, goal: ["ours", "≥", 140_000] },
    compare(what, "ms", await inTurns(TURNS, sides, 0), ["bare transfer", "≥", 0.95]),
    { what: "RSS at a million rows", unit: "MB", ours: peakMb, goal: ["ours", "≤", 160] },
    { what: "requests for 20,000 rows", unit: "", ours: requests, goal: ["ours", "≤", 40] },
  ];
}

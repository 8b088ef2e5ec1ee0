// The built program and what it talks to, as processes of their own, which end with the bench. CPU is read from /proc.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn as spawnPty } from "@lydell/node-pty";
import type { Announcement } from "../src/simulator/simulator.ts";
import { sleep } from "./measure.ts";

/** Bundles stand in `dist/bench-…`. */
export const PROGRAM = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));
/** End of a synchronised update (DEC 2026), and so of a frame. */
export const FRAME_END = /\[\?2026l/;
export const BUSY = ["--scenario", "busy"];

const GIVEN_UP_MS = 30_000;
/** Nothing that is waited for is longer. */
const LONGEST = 100;
/** What the market's view subscribes. */
const CHANNELS = [
  ...["bbo/perp/1", "orderbook/perp/1", "trades/perp/1", "candles/perp/1/1m"],
  ...["market-stats/perp/1", "markets"],
];

const running = new Set<{ kill(signal: "SIGKILL"): unknown }>();
process.on("exit", () => {
  for (const each of running) each.kill("SIGKILL");
});

/** Milliseconds on a CPU so far, of all threads that still run. */
export function cpuMsOf(pid: number): number {
  const files = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}/schedstat`);
  const ns = files.map((file) => Number(readFileSync(file, "utf8").split(" ")[0]));
  return ns.reduce((sum, each) => sum + each, 0) / 1e6;
}

export function rssMbOf(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096) / 1e6;
}

/** `monitor simulate` with these options. */
export async function simulate(...options: readonly string[]) {
  const args = [PROGRAM, "simulate", "--seed", "7", ...options];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const [line] = await once(child.stdout, "data");
  return { ...(JSON.parse(String(line)) as Announcement), end: () => child.kill() };
}

/** A scenario whose perp/1 trades so many times as much as on a calm day. @returns its options */
export function activityOf(activity: number): readonly string[] {
  const file = join(tmpdir(), `monitor-bench-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ markets: ["perp/1"], activity }));
  return ["--scenario", file];
}

export const programFile = (name: string) =>
  fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url));

/** A program of `bench/programs`. */
export function startProgram(name: string, ...args: readonly string[]): ChildProcess {
  const child = fork(programFile(name), args);
  running.add(child);
  return child;
}

interface Size {
  readonly columns?: number;
  readonly rows?: number;
}

/** A Node process on a real terminal of which everything is read. */
export class TerminalProcess {
  readonly pid: number;
  bytes = 0;
  readonly #pty;
  readonly #exit: Promise<void>;
  #onData: (data: string) => void = () => {};

  constructor(args: readonly string[], { columns = 120, rows = 40 }: Size = {}) {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: "/dev/null", TERM: "xterm-256color", COLORTERM: "truecolor" };
    this.#pty = spawnPty(process.execPath, [...args], { cols: columns, rows, env });
    running.add(this.#pty);
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => {
      this.bytes += Buffer.byteLength(data);
      this.#onData(data);
    });
    this.#exit = new Promise((resolve) => this.#pty.onExit(() => resolve()));
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits until what it writes from now on has this in it. */
  shows(what: RegExp): Promise<void> {
    let seen = "";
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`never shown: ${what}`)), GIVEN_UP_MS);
      this.#onData = (data) => {
        seen = seen.slice(-LONGEST) + data;
        if (!what.test(seen)) return;
        clearTimeout(timer);
        this.#onData = () => {};
        resolve();
      };
    });
  }

  async end(): Promise<void> {
    running.delete(this.#pty);
    this.#pty.kill("SIGKILL");
    await this.#exit;
  }
}

/** A bare client on a terminal, where it answers keys. */
export const openBareClient = (url: string) =>
  new TerminalProcess([programFile("bare-client"), url, ...CHANNELS]);

/** The program on the market of a service, once it shows live data. */
export async function watchMarket(url: string, args: readonly string[] = [], size?: Size) {
  const terminal = new TerminalProcess([PROGRAM, "perp/1", "--ws-url", url, ...args], size);
  await terminal.shows(/live/);
  return terminal;
}

interface SharesOptions extends Size {
  /** Options of the simulated exchange, and of the program. */
  readonly service: readonly string[];
  readonly args?: readonly string[];
  /** V8 compiles hot code for some seconds. */
  readonly warmMs?: number;
}

const SLICES = 7;
const SLICE_MS = 1000;

/** Per second, slice by slice, of the program and of a bare client that hears the same at the same time; CPU in percent of a core. */
export async function measureShares({ service, args, warmMs = 8000, ...size }: SharesOptions) {
  const exchange = await simulate(...service);
  const bare = startProgram("bare-client", exchange.ws_url, ...CHANNELS);
  const terminal = await watchMarket(exchange.ws_url, args, size);
  await sleep(warmMs);
  const slices = { ours: [], bare: [], updates: [], bytes: [] } as Record<string, number[]>;
  let before: Record<string, number> = {};
  for (let slice = -1; slice < SLICES; slice++) {
    await sleep(SLICE_MS);
    bare.send("count");
    const [updates] = (await once(bare, "message")) as [number];
    const [atMs, ours] = [performance.now(), cpuMsOf(terminal.pid) / 10];
    const now = { ours, bare: cpuMsOf(bare.pid ?? 0) / 10, updates, bytes: terminal.bytes };
    for (const [name, value] of Object.entries(now))
      if (slice >= 0)
        slices[name]?.push(((value - (before[name] ?? 0)) * 1000) / (atMs - (before.atMs ?? 0)));
    before = { ...now, atMs };
  }
  await terminal.end();
  bare.kill();
  exchange.end();
  const { ours = [], bare: least = [], updates = [], bytes = [] } = slices;
  return { ours, bare: least, updates, bytes };
}

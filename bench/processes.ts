// The built program and what it talks to, as processes of their own: only what is measured is in the figure. CPU is read from /proc.
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
export const FRAME_END = "\u001b[?2026l";
const GIVEN_UP_MS = 30_000;

/** Milliseconds on a CPU so far, of all its threads that still run. */
export function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return ns.reduce((sum, each) => sum + each, 0) / 1e6;
}

export function rssMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return (pages * 4096) / 1e6;
}

/** `monitor simulate` with these options. */
export async function simulate(...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, "simulate", "--seed", "7", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return { ...(JSON.parse(String(line)) as Announcement), close: () => child.kill() };
}

/** A scenario whose perp/1 trades so many times as much as on a calm day. @returns its file */
export function scenarioOf(activity: number): string {
  const market = { type: "perp", id: 1, symbol: "BTC-PERP", base_asset: "BTC", volatility_ppm: 18 };
  const scale = { tick_size: "0.01", lot_size: "0.0001", start_price: "97000" };
  const file = join(tmpdir(), `monitor-bench-${process.pid}.json`);
  const scenario = {
    turn_ms: 4,
    mark_interval_ms: 100,
    markets: [{ ...market, ...scale, activity }],
  };
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

/** What the market's view subscribes. */
const CHANNELS = [
  ...["bbo/perp/1", "orderbook/perp/1", "trades/perp/1", "candles/perp/1/1m"],
  ...["market-stats/perp/1", "markets"],
];

/** A program of `bench/programs`. */
export const programFile = (name: string) =>
  fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url));

export function startProgram(name: string, ...args: readonly string[]): ChildProcess {
  return fork(programFile(name), args);
}

/** A client that only reads and parses, of the same channels. */
export function startBareClient(url: string) {
  const child = startProgram("bare-client", url, ...CHANNELS);
  return {
    pid: child.pid ?? 0,
    /** Messages so far. */
    async count(): Promise<number> {
      child.send("count");
      return (await once(child, "message"))[0];
    },
    close: () => child.kill(),
  };
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
}

/** A Node process on a real terminal of which everything is read. */
export class TerminalProcess {
  readonly pid: number;
  bytes = 0;
  frames = 0;
  readonly #pty;
  readonly #exit: Promise<void>;
  #onData: (data: string) => void = () => {};

  constructor(args: readonly string[], { columns = 120, rows = 40 }: TerminalOptions = {}) {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: "/dev/null", TERM: "xterm-256color", COLORTERM: "truecolor" };
    this.#pty = spawnPty(process.execPath, [...args], { cols: columns, rows, env });
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => {
      this.bytes += Buffer.byteLength(data);
      this.frames += data.split(FRAME_END).length - 1;
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
      const fail = () => reject(new Error(`never shown: ${what}\n${JSON.stringify(seen)}`));
      const timer = setTimeout(fail, GIVEN_UP_MS);
      this.#onData = (data) => {
        seen = seen.slice(-1_000_000) + data;
        if (!what.test(seen)) return;
        clearTimeout(timer);
        this.#onData = () => {};
        resolve();
      };
    });
  }

  async end(): Promise<void> {
    this.#pty.kill("SIGKILL");
    await this.#exit;
  }
}

/** The program on the market of a service, once it shows live data. */
export async function watchMarket(url: string, args: readonly string[], size?: TerminalOptions) {
  const terminal = new TerminalProcess([PROGRAM, "perp/1", "--ws-url", url, ...args], size);
  await terminal.shows(/live/);
  return terminal;
}

/** A bare client on a terminal, where it answers keys. */
export function openBareClient(url: string): TerminalProcess {
  return new TerminalProcess([programFile("bare-client"), url, ...CHANNELS]);
}

export interface Share {
  /** Of a core, in percent. */
  readonly program: number;
  readonly bare: number;
  readonly updatesPerSecond: number;
  readonly bytesPerSecond: number;
}

interface ShareOptions extends TerminalOptions {
  /** Of the simulated exchange. */
  readonly service: readonly string[];
  readonly args?: readonly string[];
  /** V8 compiles hot code for some seconds. */
  readonly warmMs?: number;
  readonly slices?: number;
  readonly sliceMs?: number;
}

/** What the program costs beside a bare client that hears the same at the same time, slice by slice. */
export async function measureShares(options: ShareOptions): Promise<readonly Share[]> {
  const { service, args = [], warmMs = 8000, slices = 7, sliceMs = 1000 } = options;
  const exchange = await simulate(...service);
  const bare = startBareClient(exchange.ws_url);
  const terminal = await watchMarket(exchange.ws_url, args, options);
  try {
    await sleep(warmMs);
    const state = async () => ({
      atMs: performance.now(),
      ...{ program: cpuMsOf(terminal.pid), bare: cpuMsOf(bare.pid) },
      ...{ updates: await bare.count(), bytes: terminal.bytes },
    });
    const shares: Share[] = [];
    for (let before = await state(); shares.length < slices; ) {
      await sleep(sliceMs);
      const after = await state();
      const perMs = (name: keyof typeof after) =>
        (after[name] - before[name]) / (after.atMs - before.atMs);
      shares.push({
        ...{ program: perMs("program") * 100, bare: perMs("bare") * 100 },
        ...{ updatesPerSecond: perMs("updates") * 1000, bytesPerSecond: perMs("bytes") * 1000 },
      });
      before = after;
    }
    return shares;
  } finally {
    await terminal.end();
    bare.close();
    exchange.close();
  }
}

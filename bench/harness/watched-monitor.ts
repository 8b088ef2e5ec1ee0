// The built program on a real terminal, fed with 10,000 updates a second by another process, and probed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFeeder } from "./feeder-process.ts";
import { PROBE, PROGRAM } from "./places.ts";
import type { Probed } from "./probe.ts";
import { FRAME_END, type TerminalOptions, TerminalProcess } from "./terminal-process.ts";

const UPDATES_PER_SECOND = 10_000;
const POLL_MS = 20;

export interface WatchedMonitor {
  readonly terminal: TerminalProcess;
  /** The address of its feed. */
  readonly url: string;
  /** Measurements of its event loop and memory since the last call. */
  probe(): Promise<Probed>;
  end(): Promise<void>;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export interface WatchOptions extends TerminalOptions {
  /** Options of the program. */
  readonly args?: readonly string[];
  /** Measure event loop lag, which costs some CPU itself. Default false. */
  readonly measuresLag?: boolean;
}

/** Starts it, and waits until it shows live data. */
export async function startWatchedMonitor({
  measuresLag = false,
  args = [],
  ...options
}: WatchOptions = {}): Promise<WatchedMonitor> {
  const folder = mkdtempSync(join(tmpdir(), "monitor-bench-"));
  const file = join(folder, "probe.json");
  const feeder = await startFeeder();
  const url = `${feeder.url}/v1/ws?feed=busy&rate=${UPDATES_PER_SECOND}`;
  const terminal = new TerminalProcess(
    ["--expose-gc", "--import", PROBE, PROGRAM, "perp/1", "--ws-url", url, ...args],
    { ...options, env: { MONITOR_PROBE_FILE: file, MONITOR_PROBE_LAG: measuresLag ? "1" : "0" } },
  );
  await terminal.shows("live");
  await terminal.shows(FRAME_END);
  return {
    terminal,
    url,
    async probe() {
      rmSync(file, { force: true });
      process.kill(terminal.pid, "SIGUSR2");
      while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(POLL_MS);
      return JSON.parse(readFileSync(file, "utf8")) as Probed;
    },
    async end() {
      await terminal.end();
      feeder.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

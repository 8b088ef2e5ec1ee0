// Loaded into the program before its own code (node --import): measures its event loop from inside. On SIGUSR2
// it writes what it has seen since the last time to the file that it was told of.
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** What a probe writes. Delays in milliseconds, 0 where they are not measured; memory in bytes. */
export interface Probed {
  readonly lagP50: number;
  readonly lagP99: number;
  readonly lagMax: number;
  /** After a collection, where the program was started with --expose-gc. */
  readonly heapUsed: number;
  readonly rss: number;
  readonly cpuMs: number;
}

const RESOLUTION_MS = 2;
const NS_PER_MS = 1e6;
const file = process.env.MONITOR_PROBE_FILE;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
// It wakes the process up 500 times a second, which would be a large part of what a quiet one costs.
if (process.env.MONITOR_PROBE_LAG === "1") delay.enable();

/** The histogram counts the whole wait of its own timer. */
function lagMs(ns: number): number {
  return Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
}

process.on("SIGUSR2", () => {
  if (file === undefined) return;
  const lag = {
    lagP50: lagMs(delay.percentile(50)),
    lagP99: lagMs(delay.percentile(99)),
    lagMax: lagMs(delay.max),
  };
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const probed: Probed = { ...lag, heapUsed, rss, cpuMs: (user + system) / 1000 };
  writeFileSync(file, JSON.stringify(probed));
  delay.reset();
});

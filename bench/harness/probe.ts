// Loaded into the program before its own code (node --import): measures its event loop from inside. On SIGUSR2 it writes the
// measurements since the last time to the file named by MONITOR_PROBE_FILE.
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Output of a probe. Delays in milliseconds, 0 if not measured; memory in bytes. */
export interface Probed {
  readonly lagP50: number;
  readonly lagP99: number;
  readonly lagMax: number;
  /** After a collection, if the program was started with --expose-gc. */
  readonly heapUsed: number;
  readonly rss: number;
  readonly cpuMs: number;
}

const RESOLUTION_MS = 2;
const NS_PER_MS = 1e6;
const file = process.env.MONITOR_PROBE_FILE;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
// Measuring lag wakes up the process 500 times a second, a large part of the cost of an idle one.
if (process.env.MONITOR_PROBE_LAG === "1") delay.enable();

/** The histogram includes the interval of its own timer. */
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

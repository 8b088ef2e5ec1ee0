// P3, S8, S4: ten minutes under 10,000 updates a second: growth of the heap, size of the process, frames and CPU.
import { runBench } from "./harness/bench.ts";
import { atLeast, atMost, figure } from "./harness/figure.ts";
import { median } from "./harness/statistics.ts";
import { sleep, startWatchedMonitor } from "./harness/watched-monitor.ts";

const KILOBYTE = 1024;
const MEGABYTE = KILOBYTE * KILOBYTE;

/** Heap growth per frame in bytes, by the medians of the second and the last quarter. */
function growth(heap: readonly number[], frames: readonly number[]): number {
  const quarter = Math.floor(heap.length / 4);
  const early = [quarter, quarter * 2] as const;
  const late = [-quarter] as const;
  const grown = median(heap.slice(...late)) - median(heap.slice(...early));
  return grown / (median(frames.slice(...late)) - median(frames.slice(...early)));
}

await runBench(async (effort) => {
  const monitor = await startWatchedMonitor();
  const heap: number[] = [];
  const rss: number[] = [];
  const frames: number[] = [];
  const cpu: number[] = [];
  const at: number[] = [];
  const samples = effort.pick(20, 8);
  for (let sample = 0; sample < samples; sample++) {
    await sleep(effort.pick(600_000, 80) / samples);
    const probed = await monitor.probe();
    heap.push(probed.heapUsed);
    rss.push(probed.rss);
    frames.push(monitor.terminal.frames);
    cpu.push(probed.cpuMs);
    at.push(performance.now());
  }
  await monitor.end();
  const grown = (values: readonly number[]) => (values.at(-1) ?? 0) - (values[0] ?? 0);
  return [
    figure(
      "S8",
      "heap growth of a frame",
      "KB",
      growth(heap, frames) / KILOBYTE,
      atMost("ours", 0.1),
    ),
    figure("", "heap at the end", "MB", median(heap.slice(-3)) / MEGABYTE),
    figure("P3", "RSS at the end", "MB", median(rss.slice(-3)) / MEGABYTE, atMost("ours", 95)),
    figure(
      "S4",
      "frames a second all the time",
      "",
      (grown(frames) * 1000) / grown(at),
      atLeast("ours", 58),
    ),
    figure(
      "S4",
      "share of a core all the time, with its collections",
      "%",
      (grown(cpu) * 100) / grown(at),
      atMost("ours", 12),
    ),
  ];
});

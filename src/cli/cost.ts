// What the program costs, for --stats.

import type { Clock } from "../units/clock.ts";

const MB = 1_048_576;
/** Shorter times say little. */
const LEAST_MS = 1000;

const rounded = (value: number) => Math.round(value * 10) / 10;

/** Of the time since it was last asked; of the time before that, if it was asked a moment ago. */
export function measureCost(clock: Clock) {
  let start = { ms: clock.now(), cpu: process.cpuUsage() };
  let updates = 0;
  let last = { cpu_percent: 0, memory_mb: 0, updates_per_second: 0 };
  return {
    noteUpdate: () => void updates++,
    cost() {
      const ms = clock.now() - start.ms;
      if (last.memory_mb > 0 && ms < LEAST_MS) return last;
      const { user, system } = process.cpuUsage(start.cpu);
      last = {
        cpu_percent: rounded((user + system) / 10 / Math.max(1, ms)),
        memory_mb: rounded(process.memoryUsage.rss() / MB),
        updates_per_second: rounded((updates * 1000) / Math.max(1, ms)),
      };
      start = { ms: clock.now(), cpu: process.cpuUsage() };
      updates = 0;
      return last;
    },
  };
}

// What the program costs, for --stats.

import type { Clock } from "../units/clock.ts";

export interface Cost {
  readonly cpu_percent: number;
  readonly memory_mb: number;
  readonly updates_per_second: number;
}

const MB = 1_048_576;
/** Shorter times say little. */
const LEAST_MS = 1000;

/** Of the time since it was last asked; of the time before that, if it was asked a moment ago. */
export function measureCost(clock: Clock): { noteUpdate(): void; cost(): Cost } {
  let startMs = clock.now();
  let startCpu = process.cpuUsage();
  let updates = 0;
  let last: Cost | undefined;
  return {
    noteUpdate: () => {
      updates++;
    },
    cost() {
      const ms = clock.now() - startMs;
      if (last !== undefined && ms < LEAST_MS) return last;
      const { user, system } = process.cpuUsage(startCpu);
      const rounded = (value: number) => Math.round(value * 10) / 10;
      last = {
        cpu_percent: rounded((user + system) / 10 / Math.max(1, ms)),
        memory_mb: rounded(process.memoryUsage.rss() / MB),
        updates_per_second: rounded((updates * 1000) / Math.max(1, ms)),
      };
      startMs = clock.now();
      startCpu = process.cpuUsage();
      updates = 0;
      return last;
    },
  };
}

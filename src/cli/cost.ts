// What the program costs, for --stats.

import type { Clock } from "../units/clock.ts";

export interface Cost {
  readonly cpu_percent: number;
  readonly memory_mb: number;
  readonly updates_per_second: number;
}

const MB = 1_048_576;

/** Measures from now on. */
export function measureCost(clock: Clock): { noteUpdate(): void; cost(): Cost } {
  const startMs = clock.now();
  const startCpu = process.cpuUsage();
  let updates = 0;
  return {
    noteUpdate: () => {
      updates++;
    },
    cost() {
      const ms = Math.max(1, clock.now() - startMs);
      const { user, system } = process.cpuUsage(startCpu);
      const rounded = (value: number) => Math.round(value * 10) / 10;
      return {
        cpu_percent: rounded((user + system) / 10 / ms),
        memory_mb: rounded(process.memoryUsage.rss() / MB),
        updates_per_second: rounded((updates * 1000) / ms),
      };
    },
  };
}

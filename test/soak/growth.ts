// What a screen costs while it is left open: whether its last minutes cost what the first ones did.
import { expect } from "vitest";
import { report } from "../support/soak.ts";

export const SIZE = { columns: 160, rows: 50 };
export const MIB = 2 ** 20;
export const LIMIT_MS = 180 * 60_000;
/** The goal is a tenth; the rest is what other work on the machine may change. */
const MAX_CPU = 1.25;
const MAX_MEMORY = 1.1;

const SAMPLE = JSON.stringify(
  Array.from({ length: 300 }, (_, i) => ({ id: i, text: `${i * 7919}` })),
);
/** What the same work takes: a busy machine makes all work dearer. */
export function createYardstick() {
  let takenMs = 0;
  let firstMs: number | undefined;
  return {
    take() {
      const before = process.cpuUsage();
      for (let i = 0; i < 20; i++) JSON.stringify(JSON.parse(SAMPLE));
      const { user, system } = process.cpuUsage(before);
      takenMs += (user + system) / 1000;
    },
    /** What was taken since the last call, over what was taken before the first. */
    read(): number {
      firstMs ??= takenMs;
      const ratio = takenMs / firstMs;
      takenMs = 0;
      return ratio;
    },
  };
}

/** What minutes cost each, in CPU of a machine as busy as at first, and what was held behind them, MiB. */
export interface Stretch {
  readonly cpuMs: number;
  readonly memory: number;
}

/** The last third over the second quarter of all stretches, by the median of each. */
function growth(stretches: readonly Stretch[], of: (stretch: Stretch) => number): number {
  const { length } = stretches;
  const early = stretches.slice(Math.floor(length / 4), Math.floor(length / 2));
  const late = stretches.slice(-Math.ceil(length / 3));
  const median = (part: readonly Stretch[]) =>
    part.map(of).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
  return median(late) / median(early);
}

export function expectFlat(name: string, stretches: readonly Stretch[]): void {
  const cpu = growth(stretches, ({ cpuMs }) => cpuMs);
  const memory = growth(stretches, ({ memory: held }) => held);
  report(`${name}: ${cpu.toFixed(2)} × the CPU, ${memory.toFixed(2)} × the memory`);
  expect(cpu, `${name}: CPU of the last minutes over that of the first`).toBeLessThan(MAX_CPU);
  expect(memory, `${name}: memory likewise`).toBeLessThan(MAX_MEMORY);
}

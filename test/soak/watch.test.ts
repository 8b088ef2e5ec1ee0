// A watch of a simulated day, in which everything goes wrong for a minute of every two.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { report, runs, SEED } from "../support/soak.ts";
import { watchForADay } from "./watch-day.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MINUTE_MS = 60_000;
/** A day of the long form takes a quarter of an hour on a quiet machine, and longer where others work. */
const LIMIT_MS = 180 * MINUTE_MS;

test(
  "in a day of storms each crossing of the ledger fires once or is said not to have been evaluated, and none fires from old data",
  async () => {
    const forMs = runs(2, 24 * 60) * MINUTE_MS;
    const heap: number[] = [];
    const day = await watchForADay({
      scenario: "storm",
      seed: SEED,
      forMs,
      stepMs: 500,
      onHour(hour) {
        collect();
        heap.push(process.memoryUsage().heapUsed / 2 ** 20);
        report(`hour ${hour}: ${heap.at(-1)?.toFixed(1)} MiB\n`);
      },
    });
    report(`${JSON.stringify({ ...day, wrong: day.wrong.length })}\n`);
    expect(day.wrong).toEqual([]);
    expect(day.code).toBe(0);
    expect(day.fired).toBeGreaterThan(0);
    // From the second hour on what is held is what the first one has filled.
    expect(Math.max(...heap.slice(1), 0)).toBeLessThan((heap[1] ?? 0) * 1.25 + 1);
    expect(day.fired + day.missed).toBeLessThanOrEqual(day.crossings);
  },
  LIMIT_MS,
);

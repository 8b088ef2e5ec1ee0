// A watch of a simulated day, in which everything goes wrong for a minute of every two.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { report, runs, SEED } from "../support/soak.ts";
import { watchForADay } from "./watch-day.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MINUTE_MS = 60_000;

test("in a day of storms each crossing of the ledger fires once or is said not to have been evaluated, and none fires from old data", async () => {
  const forMs = runs(4, 24 * 60) * MINUTE_MS;
  const heap: number[] = [];
  const day = await watchForADay({
    ...{ scenario: "storm", seed: SEED, forMs, stepMs: 200 },
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
  expect(day.fired + day.missed).toBeLessThanOrEqual(day.crossings);
});

// Accounts of composed services, watched for sixteen minutes: no row that a pane shows as live or quiet is wrong, missing or
// doubled unless it is marked. Each run has new seeds; MONITOR_SEED chooses the first, MONITOR_RUNS how many;
// MONITOR_SOAK=long makes it 500.
import { describe, expect, test } from "vitest";
import { FRESH_SEED, isSoak, MANY, runs } from "../support/soak.ts";
import { hasAccount, watchAccount } from "./watch-accounts.ts";
import { sumsOf, type WatchedMany, watchMany } from "./watch-service.ts";

const RUNS = runs(10, 500);
const PARTS = Math.min(10, RUNS);
const firstSeeds = Array.from({ length: PARTS }, (_, part) => FRESH_SEED + part * 1_000_000);
const MIN_AUDITS = isSoak ? RUNS : 0;
/** Of all looks, in the long form; the short one is too small for it. */
const MAX_MARKED = isSoak ? 0.5 : 0.8;
const MAX_DIMMED = isSoak ? 0.25 : 0.5;

describe(`${RUNS} composed accounts`, () => {
  const all: WatchedMany[] = [];

  test.each(firstSeeds)(
    "show as live or quiet only what is there, or mark it, from seed %i",
    (firstSeed) => {
      const watched = watchMany(firstSeed, RUNS / PARTS, hasAccount, watchAccount);
      all.push(watched);
      expect(watched.untrue, watched.words).toEqual([]);
    },
  );

  test.runIf(RUNS >= MANY)("are not all marked", () => {
    const { looks, marked, dimmed, audits } = sumsOf(all);
    // A mark on everything would be true, and of no use.
    expect(marked / looks).toBeLessThan(MAX_MARKED);
    expect(dimmed / looks).toBeLessThan(MAX_DIMMED);
    expect(audits).toBeGreaterThan(MIN_AUDITS);
  });
});

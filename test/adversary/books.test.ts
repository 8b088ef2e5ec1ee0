// Books and lists of markets of composed services, watched for sixteen minutes: what a pane that says live or quiet
// shows is there, once and whole. Each run has new seeds; MONITOR_SEED chooses the first, MONITOR_RUNS how many;
// MONITOR_SOAK=long makes it 3,000.
import { describe, expect, test } from "vitest";
import { FRESH_SEED, isSoak, MANY, runs } from "../support/soak.ts";
import { hasBooks, watchBooks } from "./watch-books.ts";
import { sumsOf, type WatchedMany, watchMany } from "./watch-service.ts";

const RUNS = runs(30, 3_000);
const PARTS = Math.min(10, RUNS);
const firstSeeds = Array.from({ length: PARTS }, (_, part) => FRESH_SEED + part * 1_000_000);
const MIN_AUDITS = isSoak ? RUNS : 0;

describe(`${RUNS} composed books and lists of markets`, () => {
  const all: WatchedMany[] = [];

  test.each(firstSeeds)("show as live or quiet only what is there, from seed %i", (firstSeed) => {
    const watched = watchMany(firstSeed, RUNS / PARTS, hasBooks, watchBooks);
    all.push(watched);
    expect(watched.untrue, watched.words).toEqual([]);
  });

  test.runIf(RUNS >= MANY)("are seldom marked or not live", () => {
    const { looks, marked, dimmed, audits } = sumsOf(all);
    // A word of doubt on everything would be true, and of no use.
    expect((marked + dimmed) / looks).toBeLessThan(0.25);
    expect(audits).toBeGreaterThan(MIN_AUDITS);
  });
});

// Books and lists of markets of composed services, watched for sixteen minutes: what a pane that says live or quiet
// shows is there, once and whole. MONITOR_SEED chooses the first seed, MONITOR_RUNS how many; MONITOR_SOAK=long makes it 14,000.
import { expect, test } from "vitest";
import { runs, SEED } from "../support/soak.ts";
import { hasBooks, watchBooks } from "./watch-books.ts";
import { watchMany } from "./watch-service.ts";

const RUNS = runs(8, 14_000);
const FIRST_SEED = SEED * 1_000_000;

test(`what ${RUNS} composed books and lists of markets show as live or quiet is there (from seed ${FIRST_SEED})`, () => {
  const { untrue, audits, looks, marked, dimmed, words } = watchMany(
    FIRST_SEED,
    RUNS,
    hasBooks,
    watchBooks,
  );
  expect(untrue, words).toEqual([]);
  // A word of doubt on everything would be true, and of no use.
  expect((marked + dimmed) / looks, words).toBeLessThan(0.25);
  expect(audits).toBeGreaterThan(RUNS);
});

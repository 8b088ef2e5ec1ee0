// Accounts of composed services, watched for sixteen minutes: no row that a pane shows as live or quiet is wrong, missing or
// doubled unless it is marked. MONITOR_SEED chooses the first seed, MONITOR_RUNS how many; MONITOR_SOAK=long makes it 6,000.
import { expect, test } from "vitest";
import { runs, SEED } from "../support/soak.ts";
import { hasAccount, watchAccount } from "./watch-accounts.ts";
import { watchMany } from "./watch-service.ts";

const RUNS = runs(4, 6_000);
const FIRST_SEED = SEED * 1_000_000;

test(`what ${RUNS} composed accounts show as live or quiet is there, or marked (from seed ${FIRST_SEED})`, () => {
  const { untrue, audits, looks, marked, dimmed, words } = watchMany(
    FIRST_SEED,
    RUNS,
    hasAccount,
    watchAccount,
  );
  expect(untrue, words).toEqual([]);
  // A mark on everything would be true, and of no use.
  expect(marked / looks, words).toBeLessThan(0.5);
  expect(dimmed / looks, words).toBeLessThan(0.25);
  expect(audits).toBeGreaterThan(RUNS);
});

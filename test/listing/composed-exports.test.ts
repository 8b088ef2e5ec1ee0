// Exports of listings composed at random: an export that is said to be complete is the listing. Each run has new seeds;
// MONITOR_SEED chooses the first, MONITOR_RUNS how many.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { composeOptions, type ListingOptions, serveListing } from "../support/composed-listing.ts";
import { monitor, recordsOf } from "../support/export-run.ts";
import { FRESH_SEED, runs } from "../support/soak.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

async function exportAll(options: Partial<ListingOptions>, words = "") {
  const listing = await serveListing(options);
  const file = join(folderOfTest(), "t.ndjson");
  const command = `export ${listing.words} -o ${file} --allow-unproven${words}`;
  const { code, stderr } = await monitor(command, listing);
  const rows = existsSync(file) ? recordsOf(file) : [];
  const isComplete = code === 0;
  const fault = listing.findFault(rows, isComplete);
  return { code, stderr, rows, fault, listing };
}

const RUNS = runs(60, 4000);
const PARTS = Math.min(10, RUNS);

describe(`exports of ${RUNS} composed listings, seeds from ${FRESH_SEED}`, () => {
  let proven = 0;
  const parts = Array.from({ length: PARTS }, (_, part) => part);

  test.each(parts)("are the listing, or are said not to be proven, part %i", async (part) => {
    for (let seed = FRESH_SEED + part; seed < FRESH_SEED + RUNS; seed += PARTS) {
      const { code, stderr, fault, listing } = await exportAll(composeOptions(seed));
      const where = `MONITOR_SEED=${seed} MONITOR_RUNS=1: ${listing.describe}: ${stderr}`;
      expect([0, 3], where).toContain(code);
      expect(fault, where).toBeUndefined();
      if (code === 0) proven++;
    }
  });

  test.runIf(RUNS > 10)("are proven but for few", () => {
    expect(proven / RUNS).toBeGreaterThan(0.6);
  });
});

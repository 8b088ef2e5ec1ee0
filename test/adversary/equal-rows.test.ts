// Rows that are equal in every field, where a service hides more of them behind a page that it cuts at whole transactions.
import { expect, test } from "vitest";
import { runs } from "../support/soak.ts";
import { listingOf } from "./compose-listing.ts";
import { exportListing } from "./export-listing.ts";
import { compareWithTruth } from "./listing-oracle.ts";

test("an oldest transaction whose rows look like known ones is not passed over", async () => {
  for (let seed = 0; seed < runs(15, 600); seed++) {
    const composed = listingOf({
      seed,
      kind: "fills",
      isBland: true,
      cursor: "none",
      ids: "zero",
      pace: "burst",
      transactions: 60 + seed,
      oldestSize: 251 + (seed % 20),
      firstIndex: 1n,
      cap: 250,
      twinShare: 0.1,
      shortensPages: true,
      keepsTransactionsWhole: true,
    });
    const exported = await exportListing(composed, { limit: 37 });
    const { missing, extra } = compareWithTruth(composed, exported);
    if (exported.verdict.isComplete) expect([missing, extra], `seed ${seed}`).toEqual([0, 0]);
  }
});

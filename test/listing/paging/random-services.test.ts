// The pager against services of random kinds: whatever the cursor means, it never says that a listing is whole
// when it is not, and it hardly ever doubts one that could have been proven.
import { describe, expect, test } from "vitest";
import { Pager } from "../../../src/listing/paging/pager.ts";
import { RowDigest, readAgain } from "../../../src/listing/paging/second-pass.ts";
import type { RecordFields, Source } from "../../../src/listing/paging/source.ts";
import { instantClock } from "../../support/instant-clock.ts";
import { compareWithLedger } from "../../support/listing-oracle.ts";
import {
  type ListedRow,
  type ListingOptions,
  RandomListing,
  randomListing,
} from "../../support/random-listing.ts";
import { report, runs, SEED } from "../../support/soak.ts";

const RUNS = runs(160, 30_000);
const PARTS = 4;
/** A run takes about 10 ms; on a busy machine much more. */

const withFields: RecordFields<ListedRow> = {
  timeMs: ({ timestamp_ms }) => timestamp_ms,
  transaction: ({ tx_hash = "" }) => tx_hash,
  cursorFields: [
    { name: "trade_id", value: ({ trade_id }) => BigInt(trade_id) },
    { name: "timestamp_ms", value: ({ timestamp_ms }) => BigInt(timestamp_ms) },
  ],
};
const withoutFields = { ...withFields, cursorFields: [] };

/** Requests that fail are repeated here, as the REST client does. */
function sourceOf(listing: RandomListing): Source<ListedRow> {
  return {
    async get({ before, limit }) {
      for (;;) {
        const rows = listing.answer(before, limit);
        if (rows !== undefined)
          return { records: () => rows, end: (count: number) => rows.slice(-count) };
      }
    },
  };
}

/** Reads everything; where copies of the listing may lag, a second time. */
async function readAll(listing: RandomListing, limit: number, fields: RecordFields<ListedRow>) {
  const options = {
    source: sourceOf(listing),
    fields,
    limit,
    clock: instantClock,
    signal: new AbortController().signal,
  };
  const pager = new Pager(options);
  const isReadTwice = listing.options.lagPercent > 0;
  const seen = new RowDigest(fields);
  const rows: ListedRow[] = [];
  for await (const page of pager.pages()) {
    rows.push(...page);
    if (isReadTwice) seen.add(page);
  }
  const { verdict } = pager;
  if (verdict === undefined) throw new Error("no verdict");
  if (!isReadTwice || !verdict.isComplete) return { rows, verdict };
  return { rows, ...(await readAgain({ ...options, seen, verdict })) };
}

/** `lagging`: a needless doubt too, of a service whose copies lag behind each other. */
type Outcome = "exact" | "uncrossable" | "avoidable" | "lagging" | "silent" | "hidden";

async function runOne(seed: number): Promise<Outcome> {
  const { options, limit } = randomListing(seed);
  const listing = new RandomListing(seed, options);
  const fields = seed % 4 === 0 ? withoutFields : withFields;
  const { rows, verdict } = await readAll(listing, limit, fields);
  // Answers without rows, thrice, from copies that lag: there is nothing to notice it by.
  if (rows.length === 0 && options.lagPercent > 0) return "hidden";
  const { wrong, isUncrossable } = compareWithLedger(listing, rows, limit);
  if (verdict.isComplete) return wrong === 0 ? "exact" : "silent";
  if (isUncrossable) return "uncrossable";
  return options.lagPercent > 0 ? "lagging" : "avoidable";
}

describe("against services of random kinds", () => {
  const all = new Map<Outcome, number[]>();
  const seedsOf = (outcome: Outcome) => all.get(outcome) ?? [];
  const parts = Array.from({ length: PARTS }, (_, part) => part);

  test.each(parts)("no error is silent, part %i", async (part) => {
    for (let seed = SEED + part; seed < SEED + RUNS; seed += PARTS) {
      const outcome = await runOne(seed);
      all.set(outcome, [...seedsOf(outcome), seed]);
    }
    expect(seedsOf("silent"), "seeds of silent errors").toEqual([]);
  });

  test("few doubts are needless", () => {
    const counts = [...all].map(([outcome, seeds]) => `${outcome} ${seeds.length}`).join(", ");
    report(counts);
    const needless = [...seedsOf("avoidable"), ...seedsOf("lagging")];
    expect(needless.length, `seeds: ${needless}`).toBeLessThanOrEqual(RUNS * 0.02);
    expect(seedsOf("exact").length, counts).toBeGreaterThan(RUNS * 0.75);
  });
});

/** Requests that look below the last row and make sure that it is the last one. */
const AT_THE_END = 80 + 12;

describe("requests for 20,000 rows in pages of 1000", () => {
  const usual: ListingOptions = {
    transactions: 8000,
    indexGap: 500,
    timeGap: 400,
    idGap: 3,
    groupPercent: 30,
    groupMost: 12,
    giantEvery: 0,
    giantRows: 0,
    cursor: "hidden",
    cap: 1000,
    hasHash: true,
    isIdShared: false,
    hasEqualRows: false,
    isUnstable: false,
    insertPercent: 0,
    failPercent: 0,
    lagPercent: 0,
  };
  test.each<
    [what: string, cursor: ListingOptions["cursor"], fields: typeof withFields, most: number]
  >([
    ["the id is the cursor", "trade_id", withFields, 2.2],
    ["the time is the cursor", "timestamp_ms", withFields, 2.2],
    ["no field is the cursor", "hidden", withFields, 6],
    ["no field is proposed", "hidden", withoutFields, 6],
  ])("are few when %s", async (_, cursor, fields, most) => {
    const listing = new RandomListing(7, { ...usual, cursor });
    const { rows, verdict } = await readAll(listing, 1000, fields);
    expect(verdict.isComplete).toBe(true);
    expect(rows).toEqual(listing.rows);
    const ideal = Math.ceil(rows.length / 1000);
    expect(listing.requests).toBeLessThanOrEqual(most * ideal + AT_THE_END);
  });
});

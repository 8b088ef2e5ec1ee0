// Exports of listings composed at random from what the interface document allows: an export equals the ledger, or it is
// said not to be proven. What a service that looks only so far back can hide below the last row is counted. Each run has
// new seeds; MONITOR_SEED chooses the first, MONITOR_RUNS how many; MONITOR_SOAK=long makes it 4,000.
import { describe, expect, test } from "vitest";
import { FRESH_SEED, isSoak, MANY, report, runs } from "../support/soak.ts";
import { composeListing, composeLyingListing, listingOf } from "./compose-listing.ts";
import { exportListing, limitOf } from "./export-listing.ts";
import { compareWithTruth, isInSight } from "./listing-oracle.ts";

const RUNS = runs(100, 4000);
const LYING = runs(40, 4000);
const PARTS = Math.min(10, RUNS);
/** Shares of all, in the long form; the short one is too small for them. */
const MIN_PROVEN = isSoak ? 0.95 : 0.8;
const MAX_BEYOND = isSoak ? 0.03 : 0.1;

/** Ends the turn of the event loop: no wait of these services does, and what weak references name lives until then. */
const endTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * `beyond`: rows were left out below the last one, where no row is listed at any of the places that were looked at;
 * `silent`: all other rows that are missing or too many in an export that is said to be complete.
 */
type Outcome = "exact" | "unproven" | "beyond" | "silent";

interface Counted {
  readonly seed: number;
  readonly outcome: Outcome;
  /** More than one transaction; pages that hold two rows; no page filter, byte limit or oversized transaction. */
  readonly isProvable: boolean;
  readonly isPlain: boolean;
}

async function runOne(seed: number): Promise<Counted> {
  const composed = composeListing(seed);
  const { facts } = composed;
  const isSearch = seed % 8 === 0;
  const exported = await exportListing(composed, { limit: limitOf(seed), isSearch });
  const isPlain =
    !facts.hasPageFilter && facts.byteBudget === 0 && facts.oversizedTransactions === 0;
  const isProvable = isPlain && facts.transactions !== 1 && facts.capacity > 1;
  return { seed, outcome: outcomeOf(), isProvable, isPlain };

  function outcomeOf(): Outcome {
    const { missing, extra, isOrdered } = compareWithTruth(composed, exported);
    // Rows that never were would be wrong in any export.
    if (extra > 0) return "silent";
    if (!exported.verdict.isComplete) return "unproven";
    if (missing === 0 && isOrdered) return "exact";
    return facts.hasPageFilter && !isInSight(composed, exported) ? "beyond" : "silent";
  }
}

describe(`exports of ${RUNS} composed listings, seeds from ${FRESH_SEED}`, () => {
  const all: Counted[] = [];
  const parts = Array.from({ length: PARTS }, (_, part) => part);

  test.each(parts)("equal the ledger, or are said not to be proven, part %i", async (part) => {
    const counted: Counted[] = [];
    for (let seed = FRESH_SEED + part; seed < FRESH_SEED + RUNS; seed += PARTS) {
      counted.push(await runOne(seed));
      await endTurn();
    }
    all.push(...counted);
    const silent = counted.filter(({ outcome }) => outcome === "silent");
    const seeds = silent.map(({ seed }) => `MONITOR_SEED=${seed} MONITOR_RUNS=1`);
    expect(seeds, "untrue exports").toEqual([]);
  });

  test.runIf(RUNS >= MANY)("are complete in nearly all cases that can be told from others", () => {
    const count = (chosen: (one: Counted) => boolean) => all.filter(chosen).length;
    const provable = count(({ isProvable }) => isProvable);
    const proven = count(({ isProvable, outcome }) => isProvable && outcome === "exact");
    const plain = count(({ isPlain }) => isPlain);
    const exact = count(({ isPlain, outcome }) => isPlain && outcome === "exact");
    const beyond = all.filter(({ outcome }) => outcome === "beyond");
    const words = [
      `${all.length} listings: ${count(({ outcome }) => outcome === "exact")} exact`,
      `${count(({ outcome }) => outcome === "unproven")} not proven`,
      `${beyond.length} complete in sight, with rows beyond the probes`,
      `without filter, byte limit and oversized transaction ${exact} of ${plain} exact`,
      `${proven} of ${provable} where there are two transactions and two rows to a page`,
    ].join("; ");
    report(words);
    expect(proven / provable, words).toBeGreaterThan(MIN_PROVEN);
    expect(beyond.length / all.length, words).toBeLessThan(MAX_BEYOND);
  });
});

test("no row of something else than was asked for is exported", async () => {
  for (let seed = FRESH_SEED; seed < FRESH_SEED + LYING; seed++) {
    const composed = composeLyingListing(seed);
    const { lie = "" } = composed.facts;
    if (!lie.startsWith("other-") && lie !== "malformed-row") continue;
    await endTurn();
    const ended = await exportListing(composed, { limit: limitOf(seed) }).catch(
      (error: unknown) => (error as { readonly code?: string }).code,
    );
    const where = `seed ${seed}: ${composed.describe}`;
    if (typeof ended !== "object") expect(["foreign-row", "bad-page"], where).toContain(ended);
    else expect(compareWithTruth(composed, ended).extra, where).toBe(0);
  }
});

test("a page that is cut by its bytes is not whole because a short row above it finds room", async () => {
  const composed = listingOf({
    seed: 3008405,
    kind: "liquidations",
    cursor: "trade-id-of-transaction",
    hasBigIds: true,
    transactions: 42,
    oldestSize: 932,
    byteBudget: 54_967,
    firstIndex: 9_200_000_000_000_000_000n,
    gaps: "mixed",
    pace: "slow",
    ids: "falling",
    addressCase: "mixed",
    subaccountId: 1,
  });
  const exported = await exportListing(composed, { limit: 37 });
  expect(exported.rows.length).toBeLessThan(composed.truth().length);
  expect(exported.verdict).toMatchObject({ isComplete: false, flag: "last-group-fills-page" });
});

test("a listing has no end where an answer holds more equal rows than are known", async () => {
  const composed = listingOf({
    seed: 3201992,
    kind: "fills",
    isBland: true,
    hasManyMarkets: true,
    cursor: "none",
    transactions: 631,
    arriving: 192,
    arrivalsPerRequest: 5,
    sizes: "few",
    pace: "burst",
    gaps: "nanoseconds",
    firstIndex: 1_700_000_000_000_000_000n,
    ids: "zero",
    twinShare: 0.9,
    largestLimit: 500,
    rejectsLargeLimit: false,
    shortensPages: true,
    hasShuffledKeys: true,
    owner: "0xde3ad91284b5dcfc214c7d3f68c02b1f29292210",
    addressCase: "mixed",
  });
  const exported = await exportListing(composed, { limit: 1000, isSearch: true });
  expect(compareWithTruth(composed, exported)).toMatchObject({ missing: 0, extra: 0 });
  expect(exported.verdict.isComplete).toBe(false);
});

test.each([
  [0.2, 200, 100],
  [1, 200, 100],
  [0.2, 150, 1000],
])(
  "a listing that loses %s of its oldest rows with each request, of %i transactions, is complete in pages of %i",
  async (expiringPerRequest, transactions, limit) => {
    for (const cursor of ["trade-id-of-transaction", "timestamp-ms"] as const) {
      const composed = listingOf({
        seed: 7,
        transactions,
        sizes: "few",
        cursor,
        arriving: 600,
        expiringPerRequest,
        arrivalsPerRequest: expiringPerRequest,
      });
      const exported = await exportListing(composed, { limit });
      expect(exported.verdict).toMatchObject({ isComplete: true, reach: "end" });
      expect(compareWithTruth(composed, exported)).toMatchObject({ missing: 0, extra: 0 });
    }
  },
);

test("a listing whose oldest rows are cut from a page is not taken for one that loses them", async () => {
  for (let seed = 0; seed < runs(15, 600); seed++) {
    const composed = listingOf({
      seed,
      transactions: 80,
      oldestSize: 60,
      cap: 50,
      cursor: "trade-id-of-transaction",
      sizes: "few",
      arriving: 100,
      arrivalsPerRequest: 0.3,
      lagShare: 0.3,
      lag: 3,
    });
    const exported = await exportListing(composed, { limit: 37 });
    const { missing } = compareWithTruth(composed, exported);
    if (exported.verdict.isComplete) expect(missing, `seed ${seed}`).toBe(0);
  }
});

/** Requests that look below the last row and make sure that it is the last one. */
const AT_THE_END = 80 + 12;

test.each([
  ["the id is the cursor", "trade-id", false, 2.2],
  ["the time is the cursor", "timestamp-ms", false, 2.2],
  ["no field is the cursor", "none", false, 6],
  ["no field is proposed", "none", true, 6],
] as const)(
  "requests for 10,000 rows in pages of 500 are few when %s",
  async (_, cursor, isSearch, most) => {
    const composed = listingOf({ seed: 7, transactions: 4000, sizes: "few", cursor });
    const exported = await exportListing(composed, { limit: 500, isSearch });
    expect(exported.verdict.isComplete).toBe(true);
    expect(compareWithTruth(composed, exported)).toMatchObject({ missing: 0, extra: 0 });
    const ideal = Math.ceil(exported.rows.length / 500);
    expect(exported.requests).toBeLessThanOrEqual(most * ideal + AT_THE_END);
  },
);

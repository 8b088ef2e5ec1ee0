// The program itself against listings that are odd in every way that is legal, killed three times at pages that a seed chooses:
// what the same command ends with is the ledger, or it says with 3 why it cannot know. `npm run soak` kills more, each time a
// process; here most runs are in the process of the test, which is the same code, and the kill leaves what it would have left.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exportRig } from "../support/export-rig.ts";
import { runKilledInside } from "../support/killed-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { isSoak, report, runs, SEED } from "../support/soak.ts";
import {
  type ComposedListing,
  composeListing,
  composeTangledListing,
  listingOf,
} from "./compose-listing.ts";
import { compareWithTruth, isInSight } from "./listing-oracle.ts";
import { type ListingOptions, startListing } from "./listing-service.ts";
import { createRandom } from "./random.ts";

const COMPOSED = runs(3, 60);
const KILLS = 3;
/** A service with faults may refuse each of the tries at a page: the same command goes on. */
const MAX_FAILURES = 5;

const rig = exportRig();

function textOf({ kind, marketType, marketId, owner, subaccountId }: ComposedListing): string[] {
  if (kind === "trades") return ["trades", `${marketType}/${marketId}`];
  if (kind === "fills") return ["fills", owner, `${subaccountId}`];
  return ["liquidations", `${marketId}`];
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** @returns undefined when the run was killed */
async function runProcess(
  args: readonly string[],
  onStart: (kill: () => void) => void,
): Promise<Ended | undefined> {
  const ended = await runMonitor(args, { onStart: (kill) => onStart(() => kill("SIGKILL")) });
  return ended.signal === null ? ended : undefined;
}

const runInside = (args: readonly string[], onStart: (kill: () => void) => void) =>
  runKilledInside(args, { folder: rig.folder, onStart });

async function killAndGoOn(
  listing: ComposedListing,
  seed: number,
  order: string,
  run = isSoak ? runProcess : runInside,
) {
  const random = createRandom(seed);
  let onRequest: (count: number) => void = () => {};
  const server = await startListing(listing.service, (count) => onRequest(count));
  const file = rig.fileOf("t.ndjson");
  const page = random.pick([25, 60, 100, 1000]);
  const args = [
    "export",
    ...textOf(listing),
    "-o",
    file,
    "--page-size",
    `${page}`,
    ...order.split(" "),
    "--base-url",
    server.baseUrl,
  ].filter((word) => word !== "");
  let ended: Ended | undefined;
  let kills = 0;
  for (let failures = 0; ended === undefined && failures < MAX_FAILURES; ) {
    const at = server.requests() + random.int(1, 40);
    const isToKill = kills < KILLS;
    ended = await run(args, (kill) => {
      onRequest = (count) => {
        if (isToKill && count === at) kill();
      };
    });
    if (ended === undefined) kills++;
    else if (ended.code === 1 && listing.facts.hasFaults) {
      failures++;
      ended = undefined;
    }
  }
  server.close();
  return { code: ended?.code, stderr: ended?.stderr ?? "", requests: server.requests() };
}

type Outcome = "exact" | "not proven" | "beyond sight";

/** Fields that the file has besides those of the record. */
const DERIVED = ["time", "role", "side", "fee_quote"];

function checkEnd(
  listing: ComposedListing,
  { code, stderr, requests }: { code: number | null | undefined; stderr: string; requests: number },
  order: string,
  place: string,
): Outcome {
  expect([0, 3], `${place}: ${stderr}`).toContain(code);
  if (code === 3) {
    expect(stderr, place).toMatch(/complete: no \(not proven: .+\)/);
    expect(existsSync(rig.fileOf("t.ndjson")), place).toBe(false);
    return "not proven";
  }
  const rows = rig
    .read("t.ndjson")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  for (const row of rows) for (const name of DERIVED) delete row[name];
  if (order !== "") rows.reverse();
  const times = rows.map(({ timestamp_ms }) => timestamp_ms);
  expect(times, place).toEqual(times.toSorted((a, b) => b - a));
  // All that was listed at first, and nothing that never was.
  const { missing, extra } = compareWithTruth(listing, { rows, requests });
  expect(extra, `${place}: rows that never were`).toBe(0);
  expect(readdirSync(rig.folder), place).toEqual(["t.ndjson"]);
  if (missing === 0) return "exact";
  const { hasPageFilter } = listing.facts;
  const isBeyond = hasPageFilter && !isInSight(listing, { rows, requests });
  expect(isBeyond, `${place}: ${missing} rows left out; ${stderr}`).toBe(true);
  return "beyond sight";
}

const ODD: Readonly<Record<string, Partial<ListingOptions>>> = {
  "silent caps and a hidden index": { cap: 40, cursor: "none", transactions: 500 },
  "ties, twins and a cap": {
    cap: 99,
    cursor: "none",
    transactions: 260,
    pace: "coarse",
    sizes: "few",
    isBland: true,
    ids: "zero",
    twinShare: 0.5,
  },
  "400 above the newest index, pages of any length": {
    rejectsAboveNewest: true,
    shortensPages: true,
    cursor: "row-number",
    transactions: 400,
  },
  "an order of its own in each answer": {
    orderInTransaction: "by-request",
    sizes: "few",
    cursor: "trade-id-of-transaction",
    transactions: 200,
  },
  "filtered pages, a byte limit, equal rows and a transaction that fills a page": {
    scans: true,
    foreign: 10,
    quietStretch: 120,
    byteBudget: 20_000,
    hugeSize: 90,
    isBland: true,
    ids: "zero",
    twinShare: 0.5,
    pace: "coarse",
    cursor: "none",
  },
};

describe.each(Object.entries(ODD))("a listing with %s", (_, chosen) => {
  test.each(["", "--oldest-first"])("killed three times %s", async (order) => {
    const listing = listingOf({ seed: SEED, ...chosen });
    const place = `MONITOR_SEED=${SEED} ${listing.describe}`;
    checkEnd(listing, await killAndGoOn(listing, SEED, order), order, place);
  });
});

test("a process that is killed three times", async () => {
  const listing = listingOf({ seed: SEED, ...ODD["silent caps and a hidden index"] });
  const ended = await killAndGoOn(listing, SEED, "", runProcess);
  expect(checkEnd(listing, ended, "", `MONITOR_SEED=${SEED}`)).toBe("exact");
});

/** Waits of seconds between tries are not what a kill is about. */
const withoutWaits = ({ service: { options } }: ComposedListing) =>
  listingOf({ ...options, retryAfter: "0" });

test.each([
  ["composed", composeListing],
  ["tangled", composeTangledListing],
])(
  "%s listings, killed three times each",
  async (name, compose) => {
    const counts = new Map<Outcome, number>();
    for (let seed = SEED * 1000; seed < SEED * 1000 + COMPOSED; seed++) {
      const listing = withoutWaits(compose(seed));
      const order = seed % 2 === 0 ? "" : "--oldest-first";
      const place = `seed ${seed}: ${listing.describe}`;
      const outcome = checkEnd(listing, await killAndGoOn(listing, seed, order), order, place);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      for (const left of readdirSync(rig.folder)) rmSync(rig.fileOf(left));
    }
    report(`${name}: ${JSON.stringify(Object.fromEntries(counts))}`);
  },
  60_000 + COMPOSED * 20_000,
);

// What the composed listings themselves promise. That a walk along their pages finds their truth is what `listings` holds: each
// export of the client is compared with it there.
import { expect, test } from "vitest";
import { runs } from "../support/soak.ts";
import {
  type ComposedListing,
  composeDisputedListing,
  composeListing,
  composeLyingListing,
  listingOf,
  PLAIN_LISTING,
} from "./compose-listing.ts";
import { startListing } from "./listing-service.ts";
import { createRandom, type Random } from "./random.ts";
import { checkKeys } from "./truth-check.ts";

const SEEDS = runs(30, 1200);

type Row = { timestamp_ms: number } & Record<string, unknown>;

function ask(listing: ComposedListing, query: string, requestNumber: number): Row[] | undefined {
  const { service } = listing;
  const type = `market_type=${listing.marketType}&${query}`;
  const answer = service.answer({ path: service.path, query: type, headers: {} }, requestNumber);
  if (answer.status !== 200) return undefined;
  return JSON.parse(answer.body) as Row[];
}

interface Question {
  limit: number;
  before: bigint | undefined;
  requestNumber: number;
}

function drawQuestion(listing: ComposedListing, random: Random, requestNumber: number): Question {
  const { index } = listing.service.ledger;
  const at = index[random.int(0, index.length - 1)] ?? 0n;
  return {
    limit: random.pick([1, 2, 40, 100, 999, 1000]),
    before: random.chance(0.1) ? undefined : at + BigInt(random.int(-1, 1)),
    requestNumber,
  };
}

function expectLegalPage(listing: ComposedListing, question: Question, where: string): void {
  const { limit, before, requestNumber } = question;
  const cursor = before === undefined ? "" : `&before=${before}`;
  const rows = ask(listing, `limit=${limit}${cursor}`, requestNumber);
  if (rows === undefined) return;
  expect(rows.length, where).toBeLessThanOrEqual(limit);
  const times = rows.map((row) => row.timestamp_ms);
  const isFalling = times.every((time, i) => i === 0 || time <= (times[i - 1] ?? 0));
  expect(isFalling, where).toBe(true);
  const truth = listing.service.truthAt(requestNumber);
  const below = truth.filter((row) => before === undefined || row.index < before);
  const keys = rows.map((row) => JSON.stringify(row));
  const shown = { list: "page", keys, state: "live" };
  expect(
    checkKeys(
      shown,
      [],
      below.map((row) => row.text),
    ),
    where,
  ).toEqual([]);
}

test("every page of a legal listing is newest first, within its limit and below its cursor", () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const listing = composeListing(seed);
    const random = createRandom(seed);
    for (let request = 1; request <= 12; request++) {
      expectLegalPage(listing, drawQuestion(listing, random, request), `seed ${seed}`);
    }
  }
});

/** Every row of the market in order of index, own rows by number and those of others as -1. */
function marketOf({ service }: ComposedListing): { index: bigint; row: number }[] {
  const { index, start, foreign } = service.ledger;
  const list: { index: bigint; row: number }[] = [];
  for (let t = 0; t + 1 < index.length; t++) {
    const from = index[t] ?? 0n;
    const gap = (index[t + 1] ?? 0n) - from;
    for (let row = start[t] ?? 0; row < (start[t + 1] ?? 0); row++) list.push({ index: from, row });
    // Above the newest own row nothing has happened yet.
    const count = t + 2 < index.length ? (foreign[t] ?? 0) : 0;
    for (let j = 1; j <= count; j++) {
      list.push({ index: from + (gap * BigInt(j)) / BigInt(count + 1), row: -1 });
    }
  }
  return list;
}

test("a service that scans shows what a scan of every row of the market shows", () => {
  let emptyPages = 0;
  for (let seed = 0; seed < 60; seed++) {
    const foreign = [0, 3, 60][seed % 3] ?? 0;
    const listing = listingOf({
      seed,
      kind: "fills",
      cursor: seed % 2 ? "none" : "timestamp-ms",
      sizes: seed % 4 ? "few" : "one",
      gaps: "small",
      transactions: 40,
      scans: true,
      foreign,
      quietStretch: 400,
    });
    const market = marketOf(listing);
    const random = createRandom(seed);
    for (let i = 0; i < 40; i++) {
      const before = random.pick(market).index + BigInt(random.int(0, 1));
      const limit = random.pick([1, 7, 100, 300]);
      const below = market.filter((one) => one.index < before);
      const own = below.slice(-limit).filter((one) => one.row >= 0).length;
      if (own === 0 && below.some((one) => one.row >= 0)) emptyPages++;
      expect(listing.facts.countOfPage(before, limit), `seed ${seed}`).toBe(own);
    }
  }
  expect(emptyPages).toBeGreaterThan(20);
});

test("a listing is disputed by one oddity that it names", () => {
  for (let seed = 0; seed < 100; seed++) {
    const { facts } = composeDisputedListing(seed);
    expect(facts.disputed.length).toBe(1);
    expect(composeListing(seed).facts.disputed).toEqual([]);
  }
});

test("a listing may need a header, or show less without it", () => {
  const strict = listingOf({ header: "x-key" });
  expect(ask(strict, "", 1)).toBeUndefined();
  const { service, truth } = listingOf({ header: "x-key", withoutHeader: "newer-half" });
  const count = (headers: Record<string, string>): number => {
    const answer = service.answer({ path: service.path, query: "limit=1000", headers }, 1);
    return (JSON.parse(answer.body) as Row[]).length;
  };
  expect(count({ "x-key": "1" })).toBe(truth().length);
  expect(count({})).toBe(truth().length / 2);
});

test("every oddity of a listing is composed by some seed", () => {
  const onlyChosen = ["header", "withoutHeader", "lie"];
  const onlyDisputed = ["timeJitterMs", "expiringPerRequest", "hasOddNumbers"];
  const rest = new Set(Object.keys(PLAIN_LISTING));
  for (let seed = 0; seed < 2_000 && rest.size > onlyChosen.length + onlyDisputed.length; seed++) {
    for (const pair of composeListing(seed).describe.split(" "))
      rest.delete(pair.split("=")[0] ?? "");
  }
  expect([...rest].sort()).toEqual([...onlyChosen, ...onlyDisputed].sort());
});

test("the same seed makes the same service", () => {
  for (let seed = 0; seed < 60; seed++) {
    const [one, two] = [composeListing(seed), composeListing(seed)];
    expect(one.describe).toBe(two.describe);
    for (let request = 1; request < 5; request++) {
      const query = { path: one.service.path, query: "limit=50", headers: {} };
      expect(one.service.answer(query, request)).toEqual(two.service.answer(query, request));
    }
  }
});

test("a lying listing differs from a legal one by a row, an order or a second answer", () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const { facts } = composeLyingListing(seed);
    expect(facts.isLegal).toBe(false);
    seen.add(facts.lie ?? "none");
  }
  expect(seen.size).toBe(7);
});

test("a listing behind HTTP answers as the pure service does", async () => {
  const listing = listingOf({ prefix: "/v1", seed: 5 });
  const { baseUrl, requests, close } = await startListing(listing.service);
  try {
    const response = await fetch(`${baseUrl}/markets/1/trades?limit=3`);
    const rows = (await response.json()) as Row[];
    expect(rows).toEqual(
      listing
        .truth()
        .slice(0, 3)
        .map((row) => row.record),
    );
    expect(requests()).toBe(1);
  } finally {
    await close();
  }
});

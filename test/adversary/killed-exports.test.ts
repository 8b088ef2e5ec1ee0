// The program itself against listings that are odd in every way that is legal, killed three times at pages that a seed chooses:
// what the same command ends with is the ledger, or it says with 3 why it cannot know. `npm run soak` kills more.
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { exportRig } from "../support/export-rig.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { type ComposedListing, composeListing, listingOf } from "./compose-listing.ts";
import type { ListingOptions } from "./listing-service.ts";
import { createRandom } from "./random.ts";

const SEED = Number(process.env.MONITOR_SEED ?? 1);
const IS_LONG = process.env.MONITOR_SOAK === "long";
const COMPOSED = IS_LONG ? 60 : 2;
const KILLS = 3;

const rig = exportRig();

/** The service behind HTTP, and who is told of each request. */
async function serve({ service }: ComposedListing) {
  let requests = 0;
  let onRequest: (count: number) => void = () => {};
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://any");
    onRequest(++requests);
    const answer = service.answer(
      { path: pathname, query: search.slice(1), headers: request.headers },
      requests,
    );
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${service.options.prefix}`,
    get requests() {
      return requests;
    },
    set onRequest(listener: (count: number) => void) {
      onRequest = listener;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function wordsOf({ kind, marketType, marketId, owner, subaccountId }: ComposedListing): string[] {
  if (kind === "trades") return ["trades", `${marketType}/${marketId}`];
  if (kind === "fills") return ["fills", owner, `${subaccountId}`];
  return ["liquidations", `${marketId}`];
}

/** Rows of a file, and records of the ledger, as what can be compared: how often each is there. */
function countOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const FIELDS = [
  "trade_id",
  "liquidation_id",
  "tx_hash",
  "price",
  "quantity",
  "liquidator",
  "timestamp_ms",
];
const textOf = (row: Readonly<Record<string, unknown>>) =>
  FIELDS.map((field) => String(row[field] ?? "")).join("|");

async function killAndGoOn(listing: ComposedListing, seed: number, order: string) {
  const random = createRandom(seed);
  const server = await serve(listing);
  const file = rig.fileOf("t.ndjson");
  const page = random.pick([25, 60, 100, 1000]);
  const args = [
    ...["export", ...wordsOf(listing), "-o", file, "--page-size", `${page}`, ...order.split(" ")],
    ...["--base-url", server.baseUrl],
  ].filter((word) => word !== "");
  let last = await runMonitor(["--version"]);
  for (let kills = 0; kills <= KILLS; kills++) {
    const at = server.requests + random.int(1, 40);
    last = await runMonitor(args, {
      onStart: (kill) => {
        server.onRequest = (count) => {
          if (kills < KILLS && count === at) kill("SIGKILL");
        };
      },
    });
    if (last.signal === null) break;
  }
  const { requests } = server;
  server.close();
  return { ...last, requests };
}

function checkEnd(
  listing: ComposedListing,
  { code, stderr, requests }: { code: number | null; stderr: string; requests: number },
  order: string,
  place: string,
): void {
  expect([0, 3], `${place}: ${stderr}`).toContain(code);
  if (code === 3) {
    expect(stderr, place).toMatch(/complete: no \(not proven: .+\)/);
    expect(existsSync(rig.fileOf("t.ndjson")), place).toBe(false);
    return;
  }
  const rows = rig
    .read("t.ndjson")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  if (order !== "") rows.reverse();
  const times = rows.map(({ timestamp_ms }) => timestamp_ms);
  expect(times, place).toEqual(times.toSorted((a, b) => b - a));
  const found = countOf(rows.map(textOf));
  const [first, whole] = [1, requests].map((at) =>
    countOf(listing.service.truthAt(at).map(({ record }) => textOf({ ...record }))),
  );
  // All that was listed at first, and nothing that never was.
  for (const [text, count] of first ?? [])
    expect(found.get(text) ?? 0, place).toBeGreaterThanOrEqual(count);
  for (const [text, count] of found)
    expect(whole?.get(text) ?? 0, place).toBeGreaterThanOrEqual(count);
  expect(readdirSync(rig.folder), place).toEqual(["t.ndjson"]);
}

const ODD: Readonly<Record<string, Partial<ListingOptions>>> = {
  "silent caps and a hidden index": { cap: 40, cursor: "none", transactions: 500 },
  "ties, twins and a cap": {
    ...{ cap: 99, cursor: "none", transactions: 260, pace: "coarse", sizes: "few" },
    ...{ isBland: true, ids: "zero", twinShare: 0.5 },
  },
  "400 above the newest index, pages of any length": {
    ...{ rejectsAboveNewest: true, shortensPages: true, cursor: "row-number", transactions: 400 },
  },
  "an order of its own in each answer": {
    ...{ orderInTransaction: "by-request", sizes: "few", cursor: "trade-id-of-transaction" },
    transactions: 200,
  },
};

describe.each(Object.entries(ODD))("a listing with %s", (_, chosen) => {
  test.each(["", "--oldest-first"])("killed three times %s", async (order) => {
    const listing = listingOf({ seed: SEED, ...chosen });
    const place = `MONITOR_SEED=${SEED} ${listing.describe}`;
    checkEnd(listing, await killAndGoOn(listing, SEED, order), order, place);
  });
});

/** What a listing of many rows cannot show, or shows later or no more, is not what a kill is about. */
const isSuited = ({ facts, service: { options } }: ComposedListing) =>
  !facts.hasPageFilter && facts.lag === 0 && !facts.hasFaults && options.expiringPerRequest === 0;

test(
  "composed listings, killed three times each",
  async () => {
    for (let seed = SEED * 1000, runs = 0; runs < COMPOSED; seed++) {
      const listing = composeListing(seed);
      if (!isSuited(listing)) continue;
      const order = runs++ % 2 === 0 ? "" : "--oldest-first";
      const place = `seed ${seed}: ${listing.describe}`;
      checkEnd(listing, await killAndGoOn(listing, seed, order), order, place);
      for (const name of readdirSync(rig.folder)) rmSync(rig.fileOf(name));
    }
  },
  60_000 + COMPOSED * 20_000,
);

// The doctor's look at the listings: what it says of each way of reading them, and that it ends in time.
import { expect, test } from "vitest";
import { restFindings } from "../../src/doctor/findings.ts";
import { examineRest } from "../../src/doctor/rest.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { createContext } from "../support/create-context.ts";
import { ForeignListings, type ForeignListingsOptions } from "../support/foreign-listings.ts";
import { httpAnswer, serveScript } from "../support/scripted-http.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const model = trades.good[0]?.message?.[0];
const page = [5, 4, 3, 2].map((id) => ({
  ...model,
  trade_id: `${id}`,
  tx_hash: `0x${id}`,
  timestamp_ms: id * 1000,
}));

const market = { type: "perp", id: "1" } as const;

/** However slow the machine is, nothing is given up. */
const patientClock: Clock = { ...systemClock, after: () => () => {} };

/** Of somebody else's listings: each check as `verdict fact`, by its id. */
async function findingsOf(options: Partial<ForeignListingsOptions>) {
  const service = await ForeignListings.start(options);
  try {
    const { baseUrl } = service;
    const exam = await examineRest(
      createContext({ clock: patientClock }),
      { baseUrl, headers: {} },
      market,
    );
    const found = restFindings(exam).map(({ id, verdict, fact }) => [id, `${verdict} ${fact}`]);
    return { requests: exam.requests, found: Object.fromEntries(found) };
  } finally {
    service.close();
  }
}

/** Of every check that a service like this has no part in the same is said. */
const USUAL: Readonly<Record<string, RegExp>> = {
  "rest.prefix": /^ok the listings are where --base-url says$/,
  "rest.trades": /^ok 100 records .* all as described$/,
  "rest.order": /^ok newest first/,
  "rest.liquidations": /^ok [0-9]+ records/,
  "rest.fills": /^(?:ok|fail)/,
  "rest.missing": /^ok .* status 404$/,
  "rest.limit": /^ok .* status 200, [0-9]+ records$/,
};

test.each<[string, Partial<ForeignListingsOptions>, Readonly<Record<string, RegExp>>]>([
  [
    "before is compared with the id",
    { cursor: "trade_id", seed: 3 },
    { "rest.cursor": /^ok before goes by trade_id$/ },
  ],
  [
    "before is compared with the time",
    { cursor: "timestamp_ms", seed: 3 },
    { "rest.cursor": /^ok before goes by timestamp_ms$/ },
  ],
  [
    "before is compared with what stands in no field",
    { cursor: "transaction", seed: 3 },
    { "rest.cursor": /^warn no field .*export searches$/ },
  ],
  [
    "nothing was traded",
    { transactions: 0 },
    {
      "rest.trades": /^ok 0 records/,
      "rest.order": /^unknown 0 records: too few to tell$/,
      "rest.cursor": /^unknown no record stands alone/,
      "rest.fills": /^unknown not looked at/,
      "rest.liquidations": /^ok 0 records/,
      "rest.limit": /^ok .* status 200, 0 records$/,
    },
  ],
])("somebody else's listings, where %s", async (_, options, expected) => {
  const { found, requests } = await findingsOf(options);
  for (const [id, pattern] of Object.entries({ ...USUAL, ...expected }))
    expect([id, found[id]]).toEqual([id, expect.stringMatching(pattern)]);
  expect(requests).toBeLessThanOrEqual(10);
});

test.each(["time is up", "the user interrupts"])(
  "a service that falls silent after the first page is left when %s",
  async (why) => {
    const server = await serveScript([httpAnswer(200, JSON.stringify(page)), { bytes: "" }]);
    const clock = createVirtualClock();
    const user = new AbortController();
    const context = createContext({ clock, interrupt: user.signal });
    const service = { url: "", baseUrl: server.baseUrl, headers: {} };
    const exam = examineRest(context, service, market);
    await expect.poll(() => server.requests.length).toBe(2);
    if (why === "time is up") clock.advance(50_000);
    else user.abort();
    const { trades: first, cursor, liquidations, missing, requests } = await exam;
    expect(first.records).toHaveLength(4);
    expect(cursor.map(({ seen }) => seen)).toEqual(["no time left", "no time left"]);
    expect([liquidations?.problem, missing?.problem]).toEqual(["no time left", "no time left"]);
    expect([requests, clock.pending]).toEqual([2, 0]);
  },
);

test.each<[where: string, path: string, answers: readonly number[], fact: string]>([
  ["at the address, nor under /v1", "", [404, 404], "404, also under /v1"],
  ["at the address, and are not for us under /v1", "", [404, 401], "404, and under /v1 status 401"],
  ["at an address that ends so", "/v1", [404], "404"],
])(
  "listings that are not found %s are one check, of every request",
  async (_, path, statuses, fact) => {
    const server = await serveScript(statuses.map((status) => httpAnswer(status, "no")));
    const service = { url: "", baseUrl: `${server.baseUrl}${path}`, headers: {} };
    const exam = await examineRest(createContext({ clock: patientClock }), service, market);
    expect([exam.requests, server.requests.length]).toEqual([statuses.length, statuses.length]);
    const [found] = restFindings(exam);
    expect([found?.id, found?.verdict]).toEqual(["rest.prefix", "fail"]);
    expect(found?.fact).toBe(`${fact}: --base-url leads to no listings, or the market has none`);
  },
);

test("the cursor is known by its record, in whatever order the fields of it come", async () => {
  const turned = page.map((record) => Object.fromEntries(Object.entries(record).reverse()));
  const server = await serveScript([
    httpAnswer(200, JSON.stringify(page)),
    httpAnswer(200, JSON.stringify(turned.slice(2))),
  ]);
  const service = { url: "", baseUrl: server.baseUrl, headers: {} };
  const { cursor } = await examineRest(createContext({ clock: patientClock }), service, market);
  expect(cursor.map(({ fits }) => fits)).toEqual([true, true]);
});

// How a listing is read, to the request: what is asked for, what comes of it, and what is said of it. Services are composed from what
// the document leaves open, without a network.
import { describe, expect, test } from "vitest";
import { fillsListing, liquidationsListing, tradesListing } from "../../src/listing/listing.ts";
import { type Page, Pager, type PagerOptions } from "../../src/listing/pager.ts";
import type { RestClient } from "../../src/listing/rest-client.ts";
import { createSource, type Source } from "../../src/listing/source.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { composeListing, type ListingOptions, OWNER } from "../support/composed-listing.ts";

const LISTINGS = {
  trades: tradesListing({ type: "perp", id: "1" }),
  liquidations: liquidationsListing("1"),
  fills: fillsListing(OWNER, 1),
};

type Run = Partial<Pick<PagerOptions<TradeRecord>, "limit" | "bounds" | "cursor">>;

function open(options: Partial<ListingOptions>) {
  const composed = composeListing(options);
  const page = async (before: bigint | undefined, limit: number) => {
    const query = new URLSearchParams({ limit: `${limit}` });
    if (before !== undefined) query.set("before", `${before}`);
    return structuredClone(composed.page(query)) as unknown as readonly TradeRecord[];
  };
  const listing = LISTINGS[composed.options.kind];
  return { composed, source: { listing, page } as unknown as Source<TradeRecord> };
}

async function read(source: Source<TradeRecord>, run: Run = {}, after?: Page<TradeRecord>) {
  const { signal } = new AbortController();
  const pager = new Pager({ source, limit: 1000, bounds: {}, signal, ...run });
  if (after !== undefined) {
    const rows = (await source.page(after.before, after.limit, signal)) ?? [];
    pager.resume(JSON.parse(JSON.stringify(after.state)), rows);
  }
  const pages: Page<TradeRecord>[] = [];
  for await (const page of pager.pages()) pages.push(page);
  const { verdict, requests, state } = pager;
  return { pages, rows: pages.flatMap(({ rows }) => rows), verdict, requests, state };
}

const SMALL = { limit: 100 };
const HIDDEN = { cursor: "hidden", transactions: 900 } as const;
const FILTERED = { transactions: 1500, foreign: 8, quiet: 2000, lookBack: 1000 };
const MOVING = { arrivals: 0.4, expiring: 0.4, cap: 100 };

describe("all of a listing", () => {
  test.each<
    [what: string, service: Partial<ListingOptions>, run: Run, is: [number, number, number, string]]
  >([
    ["one page by id", {}, {}, [18, 1, 300, "one page; nothing older in 7 probes"]],
    [
      "one page by time",
      { cursor: "time" },
      {},
      [20, 1, 300, "one page; nothing older in 8 probes"],
    ],
    [
      "one page by an index that stands in no field",
      { cursor: "hidden" },
      {},
      [27, 1, 300, "one page; nothing older in 9 probes"],
    ],
    [
      "pages by id",
      { transactions: 900 },
      SMALL,
      [26, 10, 900, "pages overlap by trade_id; nothing older in 6 probes"],
    ],
    [
      "pages by time",
      { cursor: "time", transactions: 900 },
      SMALL,
      [29, 10, 900, "pages overlap by timestamp_ms; nothing older in 8 probes"],
    ],
    [
      "pages by time, as learned",
      { cursor: "time", transactions: 900 },
      { ...SMALL, cursor: "timestamp_ms" },
      [28, 10, 900, "pages overlap by timestamp_ms; nothing older in 8 probes"],
    ],
    [
      "pages by time, where something else was learned",
      { cursor: "time", transactions: 900 },
      { ...SMALL, cursor: "trade_id" },
      [29, 10, 900, "pages overlap by timestamp_ms; nothing older in 8 probes"],
    ],
    [
      "pages by an index",
      HIDDEN,
      SMALL,
      [66, 13, 900, "pages overlap by search; nothing older in 11 probes"],
    ],
    [
      "pages by an index, as learned",
      HIDDEN,
      { ...SMALL, cursor: "search" },
      [46, 11, 900, "pages overlap by search; nothing older in 12 probes"],
    ],
    [
      "pages by an index with gaps",
      { ...HIDDEN, step: 1_000_000 },
      SMALL,
      [78, 12, 900, "pages overlap by search; nothing older in 8 probes"],
    ],
    [
      "pages by an index in nanoseconds",
      { ...HIDDEN, step: 50, firstIndex: 1_700_000_000_000_000_000n },
      SMALL,
      [105, 13, 900, "pages overlap by search; nothing older in 17 probes"],
    ],
    [
      "pages by an index from 0",
      { ...HIDDEN, firstIndex: 0n },
      SMALL,
      [43, 14, 900, "pages overlap by search; nothing older in 2 probes"],
    ],
    [
      "pages by an index, cut to 40 rows",
      { ...HIDDEN, transactions: 300, step: 50, cap: 40 },
      {},
      [51, 10, 300, "pages overlap by search; nothing older in 8 probes"],
    ],
    [
      "pages by id, cut to 20 rows",
      { cap: 20 },
      {},
      [34, 17, 300, "pages overlap by trade_id; nothing older in 7 probes"],
    ],
    [
      "transactions of up to 30 rows, cut to 40, by id",
      { transactions: 60, rows: [1, 30], cap: 40 },
      {},
      [43, 27, 995, "pages overlap by trade_id; nothing older in 6 probes"],
    ],
    [
      "transactions of up to 30 rows, cut to 40, by time",
      { cursor: "time", transactions: 60, rows: [1, 30], cap: 40 },
      {},
      [54, 35, 995, "pages overlap by timestamp_ms; nothing older in 8 probes"],
    ],
    [
      "transactions of up to 30 rows, cut to 40, by an index",
      { ...HIDDEN, transactions: 60, rows: [1, 30], cap: 40 },
      {},
      [132, 40, 995, "pages overlap by search; nothing older in 8 probes"],
    ],
    [
      "transactions that a page keeps whole",
      { ...HIDDEN, isWhole: true, transactions: 60, rows: [1, 15], cap: 40 },
      {},
      [64, 22, 461, "pages overlap by search; nothing older in 7 probes"],
    ],
    [
      "transactions of many rows, some of them equal",
      { ...HIDDEN, transactions: 60, rows: [1, 30], twins: 0.3 },
      SMALL,
      [55, 15, 1020, "pages overlap by search; nothing older in 8 probes"],
    ],
    [
      "rows of one time",
      { ...HIDDEN, transactions: 300, pace: 0 },
      SMALL,
      [59, 6, 300, "pages overlap by search; nothing older in 12 probes"],
    ],
    ["one row by id", { transactions: 1 }, {}, [30, 1, 1, "one page; nothing older in 7 probes"]],
    [
      "one row by time",
      { cursor: "time", transactions: 1 },
      {},
      [62, 1, 1, "one page; nothing older in 8 probes"],
    ],
    [
      "one row by an index",
      { ...HIDDEN, transactions: 1 },
      {},
      [27, 1, 1, "one page; nothing older in 6 probes"],
    ],
    [
      "two rows",
      { ...HIDDEN, transactions: 2 },
      {},
      [35, 1, 2, "one page; nothing older in 7 probes"],
    ],
    [
      "two rows that are equal in every field",
      { transactions: 1, rows: [2, 2], twins: 1 },
      {},
      [
        72,
        1,
        2,
        "nothing shows what follows 2025-11-13T02:13:20.474Z: one transaction may be larger than a page",
      ],
    ],
    ["no row", { transactions: 0 }, {}, [9, 0, 0, "nothing is listed; nothing in 8 probes"]],
    [
      "transactions larger than a page",
      { ...HIDDEN, transactions: 8, rows: [55, 60], cap: 50 },
      {},
      [
        22,
        1,
        50,
        "nothing shows what follows 2025-11-13T02:13:24.557Z: one transaction may be larger than a page",
      ],
    ],
    [
      "liquidations",
      { ...HIDDEN, kind: "liquidations", transactions: 300, step: 9 },
      SMALL,
      [35, 4, 300, "pages overlap by search; nothing older in 10 probes"],
    ],
    [
      "fills",
      { kind: "fills", cursor: "time" },
      SMALL,
      [23, 4, 300, "pages overlap by timestamp_ms; nothing older in 8 probes"],
    ],
    [
      "of a service that looks back only so far, by an index",
      { ...FILTERED, cursor: "hidden" },
      {},
      [
        72,
        1,
        210,
        "nothing shows what follows 2025-11-13T02:22:59.759Z: one transaction may be larger than a page",
      ],
    ],
    [
      "of a service that looks back only so far, by id",
      FILTERED,
      SMALL,
      [24, 8, 750, "there are older rows, but none that follows 2025-11-13T02:18:55.056Z"],
    ],
    [
      "of a service that looks back only so far, all of it in reach",
      { ...FILTERED, transactions: 60, quiet: 0 },
      {},
      [18, 1, 60, "the service looks back only so far from 2025-11-13T02:13:20.474Z"],
    ],
    [
      "transactions of one time that fit on no page together",
      {
        ...{ seed: 570_669_440, cursor: "time", step: 1_000_000_000, firstIndex: 1n, pace: 3 },
        ...{ transactions: 40, rows: [1, 30], cap: 100, isWhole: true, expiring: 0.3 },
      },
      {},
      [
        17,
        8,
        602,
        "nothing shows what follows 2025-11-13T02:13:20.002Z: one transaction may be larger than a page",
      ],
    ],
    [
      "older rows that stand between two probes",
      {
        ...{
          seed: 1_259_976_264,
          cursor: "hidden",
          step: 50,
          firstIndex: 17n * 10n ** 17n,
          pace: 60_000,
        },
        ...{ transactions: 5, rows: [1, 30], cap: 40, isWhole: true, arrivals: 2 },
      },
      {},
      [79, 1, 34, "there are older rows, but none that follows 2025-11-13T02:15:27.258Z"],
    ],
    [
      "rows that come and go, by id",
      MOVING,
      {},
      [21, 4, 299, "pages overlap by trade_id; nothing older in 7 probes"],
    ],
    [
      "rows that come and go, by time",
      { ...MOVING, cursor: "time" },
      {},
      [23, 4, 298, "pages overlap by timestamp_ms; nothing older in 8 probes"],
    ],
    [
      "rows that come and go, by an index",
      { ...MOVING, cursor: "hidden" },
      {},
      [38, 4, 295, "pages overlap by search; nothing older in 12 probes"],
    ],
  ])("%s", async (_, service, run, [requests, pages, rows, why]) => {
    const { composed, source } = open(service);
    const found = await read(source, run);
    expect([found.requests, found.state.pages, found.rows.length]).toEqual([requests, pages, rows]);
    const isComplete = /nothing older in|nothing is listed/.test(why);
    expect(found.verdict).toEqual({ isComplete, why });
    expect(composed.findFault(found.rows, isComplete)).toBeUndefined();
  });
});

const FIRST_MS = 1_763_000_000_000;
const SPAN = { limit: 100, bounds: { sinceMs: FIRST_MS + 120_000, untilMs: FIRST_MS + 200_000 } };

describe("a part of a listing", () => {
  test.each<
    [what: string, service: Partial<ListingOptions>, run: Run, is: [number, number, number, string]]
  >([
    [
      "a span by id",
      { transactions: 900 },
      SPAN,
      [11, 2, 178, "pages overlap by trade_id; back to 2025-11-13T02:15:20.000Z"],
    ],
    [
      "a span by time",
      { cursor: "time", transactions: 900 },
      SPAN,
      [38, 3, 178, "pages overlap by timestamp_ms; back to 2025-11-13T02:15:20.000Z"],
    ],
    [
      "a span by an index",
      HIDDEN,
      SPAN,
      [20, 3, 178, "pages overlap by search; back to 2025-11-13T02:15:20.000Z"],
    ],
    [
      "a span before all",
      HIDDEN,
      { ...SMALL, bounds: { untilMs: FIRST_MS - 1 } },
      [
        39,
        1,
        0,
        "one page; nothing older in 6 probes; nothing of that time, but of 2025-11-13T02:13:20.474Z to 2025-11-13T02:20:04.814Z",
      ],
    ],
    [
      "a span after all",
      HIDDEN,
      { ...SMALL, bounds: { sinceMs: 2 * FIRST_MS } },
      [
        1,
        1,
        0,
        "one page; back to 2081-09-25T04:26:40.000Z; nothing of that time, the newest is of 2025-11-13T02:20:04.814Z",
      ],
    ],
    [
      "from a time on",
      { transactions: 900 },
      { ...SMALL, bounds: { sinceMs: FIRST_MS + 300_000 } },
      [3, 3, 234, "pages overlap by trade_id; back to 2025-11-13T02:18:20.000Z"],
    ],
    [
      "up to a time",
      { transactions: 900 },
      { ...SMALL, bounds: { untilMs: FIRST_MS + 100_000 } },
      [30, 3, 210, "pages overlap by trade_id; nothing older in 7 probes"],
    ],
    [
      "the newest",
      HIDDEN,
      { ...SMALL, bounds: { max: 250 } },
      [16, 4, 250, "pages overlap by search; the newest 250"],
    ],
    [
      "the newest of a span",
      HIDDEN,
      { ...SPAN, bounds: { ...SPAN.bounds, max: 50 } },
      [19, 2, 50, "pages overlap by search; the newest 50"],
    ],
    ["none", HIDDEN, { ...SMALL, bounds: { max: 0 } }, [1, 1, 0, "one page; the newest 0"]],
  ])("%s", async (_, service, run, [requests, pages, rows, why]) => {
    const { composed, source } = open(service);
    const found = await read(source, run);
    expect([found.requests, found.state.pages, found.rows.length]).toEqual([requests, pages, rows]);
    expect(found.verdict).toEqual({ isComplete: true, why });
    const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, max } = run.bounds ?? {};
    const isWanted = ({ timestamp_ms: ms }: { timestamp_ms?: unknown }) =>
      Number(ms) >= sinceMs && Number(ms) <= untilMs;
    expect(found.rows).toEqual(composed.rows.filter(isWanted).slice(0, max));
  });
});

test.each<[what: string, positions: readonly object[], why: RegExp]>([
  [
    "that name other markets alone are not proven to be of this one",
    [{ market_id: 9 }],
    /^no row names liquidations 1$/,
  ],
  [
    "that name other markets, too, are of this one",
    [{ market_id: 9 }, { market_id: 1 }],
    /nothing older/,
  ],
  ["without positions may be of this one", [], /nothing older/],
])("liquidations %s", async (_, positions, why) => {
  const { source } = open({ kind: "liquidations" });
  const page: typeof source.page = async (...asked) =>
    (await source.page(...asked))?.map((row) => ({ ...row, positions }));
  const { verdict } = await read({ ...source, page });
  expect(verdict).toEqual({
    isComplete: why.test("nothing older"),
    why: expect.stringMatching(why),
  });
});

test("cursors that a service refuses lead nowhere, and are searched past", async () => {
  const { source } = open(HIDDEN);
  const page: typeof source.page = async (before = 0n, ...asked) =>
    before > 5000n ? undefined : source.page(before === 0n ? undefined : before, ...asked);
  const found = await read({ ...source, page }, SMALL);
  expect([found.state.cursor, found.rows.length]).toEqual(["search", 900]);
  expect(found.verdict?.isComplete).toBe(true);
});

type Change = (rows: readonly TradeRecord[]) => readonly TradeRecord[];

test.each<[how: string, change: Change, requests: readonly number[]]>([
  ["loses rows", (rows) => rows.filter(({ trade_id }) => Number(trade_id) % 5 !== 0), [10, 17]],
  ["changes rows", (rows) => rows.map((row) => ({ ...row, price: "1" })), [10, 17]],
])(
  "a listing that %s while it is read is not proven, and soon given up",
  async (_, change, asked) => {
    const requests: number[] = [];
    for (const cursor of ["id", "hidden"] as const) {
      const { source } = open({ cursor, transactions: 300 });
      let count = 0;
      const page: typeof source.page = async (...query) => {
        const rows = (await source.page(...query)) ?? [];
        return ++count < 3 ? rows : change(rows);
      };
      const found = await read({ ...source, page }, SMALL);
      expect(found.verdict?.isComplete).toBe(false);
      requests.push(found.requests);
    }
    expect(requests).toEqual(asked);
  },
);

test("a time ends nothing where the rows are not newest first", async () => {
  const { source } = open({});
  const page: typeof source.page = async (...asked) => (await source.page(...asked))?.toReversed();
  const { verdict } = await read({ ...source, page }, { bounds: { sinceMs: FIRST_MS + 50_000 } });
  expect(verdict).toEqual({ isComplete: false, why: "the rows are not newest first" });
});

test.each([".5", "0".repeat(15)])("ids with %s behind them are no cursors", async (more) => {
  const { source } = open({ ...HIDDEN, transactions: 300 });
  const page: typeof source.page = async (...asked) =>
    (await source.page(...asked))?.map((row) => ({ ...row, trade_id: `${row.trade_id}${more}` }));
  const found = await read({ ...source, page }, SMALL);
  expect([found.state.cursor, found.rows.length]).toEqual(["search", 300]);
  expect(found.verdict?.isComplete).toBe(true);
});

test.each<[string, Partial<ListingOptions>, Run]>([
  ["by id", { transactions: 400 }, SMALL],
  ["by a hidden index", { ...HIDDEN, transactions: 400, rows: [1, 3] }, SMALL],
  ["of a span", { ...HIDDEN }, SPAN],
  ["of the newest", { ...HIDDEN }, { limit: 100, bounds: { max: 250 } }],
])(
  "after any page, a reader that was stopped goes on to the same rows, %s",
  async (_, service, run) => {
    const { source } = open(service);
    const whole = await read(source, run);
    for (const [i, page] of whole.pages.entries()) {
      const rest = await read(source, run, page);
      expect(rest.rows).toEqual(whole.pages.slice(i + 1).flatMap(({ rows }) => rows));
      expect(rest.verdict?.isComplete).toBe(true);
      expect(rest.state.known).toBe(whole.state.known);
    }
  },
);

/** A source behind a client that keeps what was asked for. @param broken the request whose answer has a broken row */
function clientOf(transactions: number, broken?: number) {
  const composed = composeListing({ transactions });
  const { asked } = composed;
  const client = {
    async get(url: string, { limit, before }: Record<string, unknown>) {
      const query = new URLSearchParams({ limit: `${limit}` });
      if (before !== undefined) query.set("before", `${before}`);
      const rows = composed.page(query).map((row) => ({ ...row }));
      // As from a network: not in the turn in which it is asked for.
      await new Promise((resolve) => setImmediate(resolve));
      if (asked.length === broken) rows[97] = { ...rows[97], price: "much" };
      return { status: 200, url, headers: {}, text: JSON.stringify(rows) };
    },
    sent: () => Promise.resolve(),
  } as unknown as RestClient;
  return { asked, source: createSource(client, LISTINGS.trades) };
}

test("the next page is on its way before this one is read", async () => {
  // How cursors are found is known by then; a broken row is seen when it is read.
  const { asked, source } = clientOf(300, 3);
  await expect(read(source, SMALL)).rejects.toThrow("[97]");
  expect(asked).toHaveLength(4);
});

test("nothing is asked for ahead that is not read", async () => {
  const { asked, source } = clientOf(3000);
  const { requests, rows } = await read(source);
  expect(rows).toHaveLength(3000);
  expect(asked).toHaveLength(requests);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MarketList } from "../../src/select/market-list.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { runs } from "../support/soak.ts";

const CHAIN = { previous_sequence: null, sequence: "1" };

function open() {
  const feed = new MarketFeed();
  const list = new MarketList(feed);
  for (const channel of ["markets", "market-stats/perp", "market-stats/spot"]) {
    feed.say({ type: "subscribing", channel });
  }
  return {
    list,
    anew: () => new MarketList(feed),
    markets: (records: readonly object[], isFirst = true) =>
      feed.update("markets", { ...CHAIN, markets: records }, isFirst),
    stats: (type: "perp" | "spot", records: readonly object[], isFirst = true) =>
      feed.update(`market-stats/${type}`, { ...CHAIN, market_stats: records }, isFirst),
  };
}

describe("the list of all markets", () => {
  test("has nothing to say before the first list has come", () => {
    expect(open().list.rows).toBeUndefined();
  });

  test("at a moment before the first list has no market of later", () => {
    const [feed, before] = [new MarketFeed(), new MarketFeed()];
    const source = { store: feed.store };
    const list = new MarketList(source);
    feed.say({ type: "subscribing", channel: "markets" });
    feed.update("markets", { ...CHAIN, markets: [{ market_id: 1, symbol: "BTC" }] }, true);
    const market = { type: "perp", id: "1" } as const;
    expect([list.rows?.length, list.rowOf(market)?.symbol]).toEqual([1, "BTC"]);
    source.store = before.store;
    expect([list.rows, list.rowOf(market)]).toEqual([undefined, undefined]);
    source.store = feed.store;
    expect([list.rows?.length, list.rowOf(market)?.symbol]).toEqual([1, "BTC"]);
  });

  test("takes neither of two markets of one id without types for the other", () => {
    const { list, markets, stats } = open();
    const records = [
      { market_id: 1, symbol: "BTC-PERP" },
      { market_id: 1, symbol: "BTC/USDC" },
      { market_id: 2, symbol: "ETH-PERP" },
    ];
    markets(records);
    stats("perp", [{ market_id: 1, last_price: "8" }]);
    expect(list.rows).toEqual([...records, { market_id: 1, last_price: "8" }]);
    expect(list.rows?.map((row) => list.marketOf(row)?.name)).toEqual([
      undefined,
      undefined,
      "perp/2",
      "perp/1",
    ]);
  });

  test("joins each market with its figures by type and id, whose numbers may be the same", () => {
    const { list, markets, stats } = open();
    markets([
      { market_type: "perp", market_id: 1, symbol: "BTC-PERP" },
      { market_type: "spot", market_id: 1, symbol: "BTC/USDC" },
    ]);
    stats("spot", [{ market_type: "spot", market_id: 1, last_price: "7" }]);
    stats("perp", [{ market_type: "perp", market_id: 1, last_price: "8", open_interest: "3" }]);
    expect(list.rows).toEqual([
      {
        market_type: "perp",
        market_id: 1,
        symbol: "BTC-PERP",
        last_price: "8",
        open_interest: "3",
      },
      { market_type: "spot", market_id: 1, symbol: "BTC/USDC", last_price: "7" },
    ]);
    expect(list.rows?.map((row) => list.marketOf(row)?.market)).toEqual([
      { type: "perp", id: "1" },
      { type: "spot", id: "1" },
    ]);
  });

  test("understands a service of other names and types, and loses none of its fields", () => {
    const { list, markets, stats } = open();
    markets([
      {
        marketId: "7",
        productType: "PERPETUAL",
        kind: "PERPETUAL",
        ticker: "SOL",
        tiers: [{ a: 1 }],
      },
    ]);
    stats("perp", [{ id: 7, ticker: "SOL-USD", px: { mark: "12.5" } }]);
    expect(list.rows).toEqual([
      {
        marketId: "7",
        productType: "PERPETUAL",
        kind: "PERPETUAL",
        ticker: "SOL",
        tiers: [{ a: 1 }],
        id: 7,
        stats_ticker: "SOL-USD",
        px: { mark: "12.5" },
      },
    ]);
  });

  test("shows figures of markets that the list does not name, and records that name no market", () => {
    const { list, markets, stats } = open();
    markets([{ status: "closed" }]);
    stats("spot", [{ market_id: 3, last_price: "1" }]);
    stats("perp", [{ last_price: "2" }, { last_price: "3" }]);
    expect(list.rows).toEqual([
      { status: "closed" },
      { market_id: 3, last_price: "1" },
      { last_price: "2" },
      { last_price: "3" },
    ]);
    expect(list.rows?.map((row) => list.marketOf(row)?.market.type)).toEqual([
      undefined,
      "spot",
      undefined,
      undefined,
    ]);
  });

  test("keeps the rows of markets of which nothing new comes, and is the same list until something comes", () => {
    const { list, markets, stats } = open();
    const records = [
      { market_id: 1, last_price: "1" },
      { market_id: 2, last_price: "2" },
    ];
    markets([{ market_id: 1 }, { market_id: 2 }]);
    stats("perp", records);
    const before = list.rows ?? [];
    expect(list.rows).toBe(before);
    stats("perp", [{ ...records[0] }, { ...records[1], last_price: "3" }]);
    stats("perp", [{ market_id: 2, last_price: "4" }], false);
    expect(list.rows?.[0]).toBe(before[0]);
    expect(list.rows?.[1]).toEqual({ market_id: 2, last_price: "4" });
    expect(list.marketOf(list.rows?.[0] ?? {})?.market).toEqual({ type: "perp", id: "1" });
  });

  test("is the same list, whether all of it is joined anew or only what has changed", () => {
    const id = fc.integer({ min: 1, max: 6 });
    const figures = fc.record({ market_id: id, last_price: fc.integer({ min: 1, max: 3 }) });
    const change = fc.record({ type: fc.constantFrom("perp", "spot"), figures });
    fc.assert(
      fc.property(fc.array(id), fc.array(figures), fc.array(change), (ids, first, changes) => {
        const { list, markets, stats, anew } = open();
        markets(ids.map((market_id) => ({ market_id })));
        stats("perp", first);
        for (const each of changes) {
          stats(each.type, [each.figures], false);
          expect(list.rows).toEqual(anew().rows);
        }
      }),
      { numRuns: runs(30, 100) },
    );
  });
});

// Lists of markets, figures and rates of which the document says no field: ids that two types share, scales that change, rows of
// other markets, numbers with exponents.
import { describe, expect, test } from "vitest";
import { findSymbol } from "../../src/live/find-symbol.ts";
import { selectFunding } from "../../src/select/funding.ts";
import {
  findMarketRecord,
  listedIn,
  MarketSymbols,
  marketChannels,
  selectStat,
} from "../../src/select/market.ts";
import { selectMarketRows } from "../../src/select/market-list.ts";
import { openScales } from "../../src/select/scale.ts";
import { selectMarketFigures } from "../../src/select/stats.ts";
import { defaultAliases } from "../../src/state/aliases.ts";
import { FundingRatesState } from "../../src/state/funding-rates.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import type { OpenRecord } from "../../src/wire/update.ts";
import { openChainRig, PERP } from "../support/chain-rig.ts";

const SCALE = { tick_size: "0.01", lot_size: "0.01" };
const PERP_1 = { type: "perp", id: "1" } as const;

function openMarkets(...lists: readonly (readonly object[])[]) {
  const rig = openChainRig(["markets", PERP.stats, PERP.funding]);
  const { store } = rig;
  const scales = openScales(store, {});
  for (const [i, markets] of lists.entries()) {
    rig.say("markets", [i === 0 ? null : `${i}`, `${i + 1}`], { markets });
    scales.of("perp/1");
  }
  const { scale, source, inconsistency } = scales.of("perp/1");
  return {
    rig,
    store,
    scales,
    tick: scale && formatDecimal(scale.tickSize),
    source,
    inconsistency,
  };
}

const recordOf = (records: readonly object[]) => {
  const { store } = openMarkets(records);
  return findMarketRecord(records as OpenRecord[], PERP_1, store.aliases);
};

describe("a record of perp/1", () => {
  const spot = { market_id: 1, symbol: "BTC/USD", ...SCALE };
  const perp = { market_id: 1, symbol: "BTC-PERP", tick_size: "0.5", lot_size: "0.1" };
  test.each([
    ["is none of two that say no type", [spot, perp], undefined],
    [
      "is none of two whose types are in words that nobody knows",
      [
        { ...spot, type: "CASH" },
        { ...perp, type: "SWAP" },
      ],
      undefined,
    ],
    ["is the one that a spot market of its id leaves", [{ ...spot, type: "spot" }, perp], 1],
    ["is the one that stands alone and says no type", [perp], 0],
    [
      "is the one whose flag says so",
      [
        { ...spot, is_spot: true },
        { ...perp, is_spot: false },
      ],
      1,
    ],
    ["is no spot market by its flag", [{ ...spot, is_perp: false }], undefined],
  ] as const)("%s", (_, records, place) => {
    expect(recordOf(records)).toEqual(place === undefined ? undefined : records[place]);
  });

  test("that cannot be told from another one gives no scale, no name and no row of that market", () => {
    const { store, tick } = openMarkets([spot, perp]);
    expect(tick).toBeUndefined();
    expect(() => findSymbol(store, "BTC-PERP")).toThrow("lists no market BTC-PERP");
    const rows = selectMarketRows(store, { nowMs: 0, wallMs: 0, times: new WeakMap() });
    expect(rows.map(({ market, symbol }) => [market, symbol])).toEqual([
      [null, "BTC/USD"],
      [null, "BTC-PERP"],
    ]);
  });
});

describe("the scale that a market's record names", () => {
  const market = (tick_size: string) => [
    { market_id: 1, market_type: "perp", tick_size, lot_size: "1" },
  ];
  test("is believed no more once it names another one: what is held is in ticks of before", () => {
    const { tick, source, inconsistency } = openMarkets(market("0.5"), market("0.1"));
    expect([tick, source]).toEqual([undefined, "none"]);
    expect(inconsistency).toBe("market says tick 0.1 lot 1, before tick 0.5 lot 1");
  });

  test("stands where it is said again in other digits, and where a record has left it out between", () => {
    const without = [{ market_id: 1, market_type: "perp" }];
    expect(openMarkets(market("0.5"), market("0.50")).source).toBe("market");
    expect(openMarkets(market("0.5"), without, market("0.5")).source).toBe("market");
    expect(openMarkets(market("0.5"), without, market("0.1")).source).toBe("none");
  });

  test("is read where it is a number with an exponent", () => {
    const frame =
      '{"type":"update","channel":"markets","timestamp_ns":"1","previous_sequence":null,"sequence":"1","markets":[{"market_id":1,"market_type":"perp","tick_size":1e-7,"lot_size":1E+2}]}';
    const { rig, scales } = openMarkets();
    rig.service.last.send(frame);
    const { scale } = scales.of("perp/1");
    expect(scale && [scale.tickSize, scale.lotSize].map(formatDecimal)).toEqual([
      "0.0000001",
      "100",
    ]);
  });
});

describe("on a market's own channels", () => {
  const rate = (fields: object) => ({ rate: "0.0001", ...fields });
  const newest = (rates: readonly object[]) => {
    const { rig, store } = openMarkets();
    rig.say(PERP.funding, [null, "1"], { funding_rates: rates });
    const { data } = store.slice("funding-rates", PERP.funding);
    const { newest: point } = selectFunding(store.aliases, data, PERP_1);
    return point && formatDecimal(point.rate);
  };

  test("a rate that names another market is none of it", () => {
    const own = rate({ market_id: 1, timestamp_ms: 1000 });
    const other = rate({ market_id: 2, rate: "0.5", timestamp_ms: 2000 });
    expect(newest([own, other])).toBe("0.0001");
    expect(newest([other])).toBeUndefined();
  });

  test("of several rates without a time none is the newest", () => {
    expect(newest([rate({}), rate({ rate: "0.0002" })])).toBeUndefined();
    expect(newest([rate({})])).toBe("0.0001");
  });

  test("a figure that is a number with an exponent is there, in digits", () => {
    const { rig, store } = openMarkets();
    rig.service.last.send(
      '{"type":"update","channel":"market-stats/perp","timestamp_ns":"1","previous_sequence":null,"sequence":"1","market_stats":[{"market_id":1,"index_price":1e-7,"open_interest":1.5E+22}]}',
    );
    const [record] = store.slice("market-stats", PERP.stats).data.records;
    expect(selectStat(record, "indexPrice", store.aliases)).toBe("0.0000001");
    expect(selectStat(record, "openInterest", store.aliases)).toBe("15000000000000000000000");
  });
});

describe("the type of a market in capitals in some frames and not in others", () => {
  const listed = (market_type: string, tick_size: string) => ({
    market_id: 1,
    market_type,
    symbol: "BTC-PERP",
    lot_size: "1",
    tick_size,
  });

  test.each([
    ["perp", "PERP"],
    ["PERP", "Perp"],
  ])("is one market: %s, then %s", (first, later) => {
    const spot = { ...listed("spot", "7"), symbol: "BTC/USD" };
    const { store } = openMarkets([listed(first, "0.5"), spot], [listed(later, "0.5")]);
    const { records } = store.slice("markets", "markets").data;
    expect(records).toEqual([listed(later, "0.5"), spot]);
    expect(findMarketRecord(records, PERP_1, store.aliases)).toEqual(listed(later, "0.5"));
    expect(findSymbol(store, "BTC-PERP")).toEqual(PERP_1);
  });

  test("gives no figures, no scale and no name where two records say it in two words", () => {
    const words = [listed("perp", "0.5"), { ...listed("perpetual", "0.1"), symbol: "BTC-2" }];
    const { store, tick } = openMarkets(words);
    const { records } = store.slice("markets", "markets").data;
    expect(findMarketRecord(records, PERP_1, store.aliases)).toBeUndefined();
    expect(tick).toBeUndefined();
  });

  test("and an id with zeros before it is one market", () => {
    const { store } = openMarkets(
      [
        { market_id: "1", fee: 1 },
        { market_id: "2", fee: 2 },
      ],
      [{ market_id: "01", fee: 3 }],
    );
    const { records } = store.slice("markets", "markets").data;
    expect(records.map(({ fee }) => fee)).toEqual([3, 2]);
  });
});

describe("a later list of markets", () => {
  const market = (market_id: number, symbol: string, fields: object = {}) => ({
    market_id,
    market_type: "perp",
    symbol,
    ...fields,
  });
  const [one, two] = [market(1, "M1"), market(2, "M2")];

  test.each<[what: string, later: readonly object[], held: readonly object[]]>([
    [
      "with several changes of one market has one market",
      [market(1, "M1", { fee: 1 }), market(1, "M1", { fee: 2 })],
      [market(1, "M1", { fee: 2 }), two],
    ],
    [
      "that names a market by its symbol alone has no second one",
      [{ symbol: "M2" }],
      [one, { symbol: "M2" }],
    ],
    [
      "that leaves out the type of a market has no second one",
      [{ market_id: 2, fee: 1 }],
      [one, { market_id: 2, fee: 1 }],
    ],
    [
      "that adds one leaves the others",
      [market(3, "M1"), market(3, "M1")],
      [one, two, market(3, "M1")],
    ],
  ])("%s", (_, later, held) => {
    const { store } = openMarkets([one, two], later, []);
    expect(store.slice("markets", "markets").data.records).toEqual(held);
  });
});

test("two markets of one id in a later list, without a type, are two", () => {
  const listed = (market_id: number, symbol: string) => ({ market_id, symbol });
  const [a, b, c] = [listed(1, "A"), listed(2, "B"), listed(1, "C")];
  const { store } = openMarkets([a, b], [a, c], [listed(1, "C")]);
  expect(store.slice("markets", "markets").data.records).toEqual([a, b, c]);
});

test("rates of a market are received for however long, and the newest of them are held", () => {
  const state = new FundingRatesState(defaultAliases);
  const START_MS = 1_700_000_000_000;
  for (let i = 0; i < 60; i++) {
    const rates = Array.from({ length: 1000 }, (_, j) => ({
      rate: "1",
      timestamp_ms: START_MS + i * 1000 + j,
    }));
    state.update(rates, { isFirst: i === 0, isSnapshot: i === 0, continues: false }, `${i}`);
  }
  expect(state.rates).toHaveLength(1000);
  expect(state.rates.at(-1)).toEqual({ rate: "1", timestamp_ms: START_MS + 59_999 });
  expect(state.records.length).toBeLessThanOrEqual(2000);
});

test.each([
  ["in other letters", { symbol: "btc-perp" }, undefined],
  ["by the name of what it is", { name: "Bitcoin perpetual" }, undefined],
  ["by nothing", {}, undefined],
  ["by another symbol", { symbol: "ETH-PERP" }, "perp/1 is now ETH-PERP, no longer BTC-PERP"],
])("a market that is named %s in a later frame is taken for what it is", (_, fields, words) => {
  const market = { market_id: 1, market_type: "perp" };
  const { rig, store } = openMarkets([{ ...market, symbol: "BTC-PERP", name: "Bitcoin" }]);
  const symbols = new MarketSymbols();
  expect(symbols.check(store, PERP_1)).toBeUndefined();
  rig.say("markets", ["1", "2"], { markets: [{ ...market, ...fields }] });
  expect(symbols.check(store, PERP_1)).toBe(words);
  rig.say("markets", ["2", "3"], { markets: [{ ...market, symbol: "SOL-PERP" }] });
  expect(symbols.check(store, PERP_1)).toMatch(/^perp\/1 is now SOL-PERP, no longer /);
});

test("figures of another symbol on a market's channel are not shown as its own", () => {
  const { rig, store } = openMarkets([
    { market_id: 1, market_type: "perp", symbol: "BTC-PERP" },
    { market_id: 2, market_type: "perp", symbol: "ETH-PERP" },
  ]);
  const channels = marketChannels(PERP_1, "1m");
  rig.live.stream.subscribe(channels.marketStats);
  rig.live.stream.subscribe(channels.fundingRates ?? "");
  const figuresOf = (symbol: string, at: number) => {
    rig.say(channels.marketStats, [null, `${at}`], { market_stats: [{ symbol, mark_price: "7" }] });
    return selectMarketFigures({
      store,
      market: PERP_1,
      channels,
      scale: undefined,
      nowMs: 0,
      wallMs: 0,
    });
  };
  expect(figuresOf("ETH-PERP", 1)).not.toHaveProperty("mark");
  rig.say(channels.fundingRates ?? "", [null, "1"], {
    funding_rates: [{ symbol: "ETH-PERP", rate: "0.5", timestamp_ms: 1000 }],
  });
  const { data } = store.slice("funding-rates", channels.fundingRates ?? "");
  const { listed } = listedIn(store);
  expect(selectFunding(store.aliases, data, PERP_1, listed).newest).toBeUndefined();
});

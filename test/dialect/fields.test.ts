// Open records are read by meaning, whatever a service calls its fields.
import { describe, expect, it } from "vitest";
import { standingOf } from "../../src/dialect/ends.ts";
import { fillSideOf, positionSideOf, read, roleOf, sideOf } from "../../src/dialect/fields.ts";
import { findMarket, indexMarkets, marketOf } from "../../src/dialect/markets.ts";
import { createNames } from "../../src/dialect/names.ts";
import type { OpenRecord } from "../../src/wire/frames.ts";

const names = createNames();

describe("a field", () => {
  it.each<[string, OpenRecord, string]>([
    ["in any spelling", { "Position-Amt": "5" }, "5"],
    ["nested", { perp: { baseSize: 5 } }, "5"],
    ["before a nested one of a likelier name", { size: "5", other: { szi: "6" } }, "6"],
    ["before a nested one of the same name", { filled: { size: "6" }, size: "5" }, "5"],
    ["with its unit behind it", { sizeBaseLots: "5" }, "5"],
    ["that is not null or empty", { szi: null, positionAmt: "", size: "5" }, "5"],
  ])("is found %s", (_, row, text) => {
    expect(read(row, "positionSize", names)).toBe(text);
  });

  it("is found by the names that the config adds, first", () => {
    const own = createNames({ positionSize: ["my.amount"] });
    expect(read({ my: { amount: "5" }, size: "6" }, "positionSize", own)).toBe("5");
  });

  it("is not found in lists of other things", () => {
    expect(read({ positions: [{ size: "5" }] }, "positionSize", names)).toBeUndefined();
    expect(read({ filters: [{ tickSize: "0.1" }] }, "tickSize", names)).toBe("0.1");
  });
});

describe("a side", () => {
  it.each<[OpenRecord, string | undefined]>([
    [{ side: "BUY" }, "buy"],
    [{ side: "A" }, "sell"],
    [{ side: "(Bid)" }, "buy"],
    [{ direction: { long: {} } }, "buy"],
    [{ side: "", is_ask: true }, "sell"],
    [{ isBid: false }, "sell"],
    [{ positionSide: "LONG", side: "SELL" }, "sell"],
    [{ side: "maker" }, undefined],
  ])("of an order: %o", (row, side) => {
    expect(sideOf(row, names)).toBe(side);
  });

  it.each<[OpenRecord, string | undefined]>([
    [{ positionSide: "BOTH", positionAmt: "-1" }, "short"],
    [{ sign: -1, position: "2" }, "short"],
    [{ sign: 1, side: "none", position: "2" }, "long"],
    [{ perp: { isLong: false, baseSize: 2 } }, "short"],
    [{ position: { szi: "0.5" } }, "long"],
    [{ side: "SHORT", size: "2" }, "short"],
    [{ size: "0" }, undefined],
  ])("of a position: %o", (row, side) => {
    expect(positionSideOf(row, names)).toBe(side);
  });
});

describe("the own side of a trade", () => {
  it.each<[OpenRecord, string | undefined]>([
    [{ side: "sell", taker_is_bid: true, role: "taker" }, "sell"],
    [{ taker_is_bid: true, role: "taker" }, "buy"],
    [{ taker_is_bid: true, role: "maker" }, "sell"],
    [{ is_maker_ask: true, maker_fee: 1 }, "sell"],
    [{ is_maker_ask: true, taker_fee: 1 }, "buy"],
    [{ isBuyerMaker: true, isMaker: false }, "sell"],
    [{ takerOrderDirection: "long", takerFee: 1 }, "buy"],
    [{ liquidity: "taker", base_qty_before: "-0.063", base_qty_after: "-0.060" }, "buy"],
    [{ taker_is_bid: true, maker_fee: 1, taker_fee: 2 }, undefined],
    [{ taker_direction: "long" }, undefined],
    [{ maker_side: "sell" }, undefined],
    [{ maker_side: "sell", taker_fee: 1 }, "buy"],
    [{ size_before: "9007199254740992", size_after: "9007199254740993" }, "buy"],
    [{ size_before: "-0.100000000000000001", size_after: "-0.100000000000000002" }, "sell"],
    [{ size_before: "1.0", size_after: "1.00" }, undefined],
    [{ size_before: "none", size_after: "1" }, undefined],
    [{ size: "1" }, undefined],
  ])("%j: %s", (row, side) => {
    expect(fillSideOf(row, names, roleOf(row, names, ""))).toBe(side);
  });
});

describe("a status", () => {
  it.each([
    [
      "ended",
      "FILLED EXPIRED_IN_MATCH canceled-post-only reduceOnlyCanceled Deactivated REJECTED PARTIALLY_CANCELLED",
    ],
    ["stands", "NEW partially_filled CANCEL_PENDING_OPEN UNTRIGGERED not_filled CANCEL_REJECTED"],
    [undefined, "blue 1 x"],
  ])("%s: %s", (standing, words) => {
    for (const word of words.split(" ")) expect([word, standingOf(word)]).toEqual([word, standing]);
  });
});

describe("a market", () => {
  const index = indexMarkets(
    [
      { market_id: 1, market_type: "perp", symbol: "BTC-PERP", base_asset: "BTC" },
      { market_id: 1, market_type: "spot", symbol: "BTC/USDC", base_asset: "BTC" },
      { market_id: 2, market_type: "perp", symbol: "ETH-PERP", base_asset: "ETH" },
      { marketIndex: 7, contractType: "PERPETUAL", symbol: "@107" },
      { symbol: "no id" },
    ],
    names,
  );

  it.each<[OpenRecord, string | undefined]>([
    [{ symbol: "BTC-PERP" }, "perp/1"],
    [{ coin: "btc" }, "perp/1"],
    [{ market_id: 1, market_type: "spot" }, "spot/1"],
    [{ product_id: 2 }, "perp/2"],
    [{ instId: "BTC_USDC" }, "spot/1"],
    [{ position: { coin: "@107" } }, "perp/7"],
    [{ symbol: "DOGE" }, "unknown"],
    [{ size: "1" }, undefined],
  ])("is known by what a row calls it: %o", (row, name) => {
    const found = marketOf(row, index, names);
    expect(typeof found === "object" ? `${found.type}/${found.id}` : found).toBe(name);
  });

  it("is named by its symbol in any spelling", () => {
    expect(findMarket("eth-perp", index)).toMatchObject({ type: "perp", id: "2" });
    expect(findMarket("nothing", index)).toBeUndefined();
  });
});

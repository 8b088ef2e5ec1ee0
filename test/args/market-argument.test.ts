import { describe, expect, test } from "vitest";
import { parseMarket } from "../../src/args/targets.ts";
import { findSymbol } from "../../src/live/find-symbol.ts";
import { UsageError } from "../../src/units/monitor-error.ts";
import { MarketFeed } from "../support/market-feed.ts";

describe("<market>", () => {
  test("is a type and an id, an id of a perpetual market, or a symbol", () => {
    expect(parseMarket("perp/1")).toEqual({ type: "perp", id: "1" });
    expect(parseMarket("spot/22")).toEqual({ type: "spot", id: "22" });
    expect(parseMarket("7")).toEqual({ type: "perp", id: "7" });
    expect(parseMarket("BTC-PERP")).toEqual({ symbol: "BTC-PERP" });
    expect(parseMarket("BTC/USDC")).toEqual({ symbol: "BTC/USDC" });
  });

  test("is the same market with zeros before its id", () => {
    expect(parseMarket("perp/007")).toEqual({ type: "perp", id: "7" });
    expect(parseMarket("000")).toEqual({ type: "perp", id: "0" });
    expect(parseMarket("btc", { btc: "spot/03" })).toEqual({ type: "spot", id: "3" });
  });

  test("may be a name from the config file", () => {
    expect(parseMarket("btc", { btc: "spot/3" })).toEqual({ type: "spot", id: "3" });
    expect(() => parseMarket("btc", { btc: "somewhere" })).toThrow(UsageError);
    expect(parseMarket("constructor", {})).toEqual({ symbol: "constructor" });
  });

  test.each([
    "",
    "perp/",
    "perp/x",
    "perp",
    "spot/1/2",
    "foo/1",
    "-1",
    "1.5",
    "a b",
    "perp/-1",
    "ü",
  ])("is not %j", (text) => {
    expect(() => parseMarket(text)).toThrow(UsageError);
  });
});

describe("a symbol", () => {
  const listed = (...markets: object[]) => {
    const feed = new MarketFeed();
    feed.say({ type: "subscribing", channel: "markets" });
    feed.update("markets", { previous_sequence: null, sequence: "1", markets }, true);
    return feed.store;
  };

  test("is unknown until the list has come", () => {
    expect(findSymbol(new MarketFeed().store, "BTC")).toBeUndefined();
  });

  test("is found whatever the case of its letters, by its type and id", () => {
    const store = listed(
      { market_id: 1, market_type: "perp", symbol: "BTC-PERP" },
      { market_id: 1, market_type: "spot", symbol: "BTC/USDC" },
    );
    expect(findSymbol(store, "btc-perp")).toEqual({ type: "perp", id: "1" });
    expect(findSymbol(store, "BTC/USDC")).toEqual({ type: "spot", id: "1" });
  });

  test("that is not there, or there twice, is an error that says what there is", () => {
    const store = listed({ id: "4", symbol: "A" }, { id: "5", symbol: "A" });
    expect(() => findSymbol(store, "B")).toThrow("the service lists no market B");
    expect(() => findSymbol(store, "A")).toThrow("A names several markets");
  });
});

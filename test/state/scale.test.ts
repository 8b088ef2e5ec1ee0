// What a tick and a lot of a market are worth: what its record says, unless its prices say otherwise.
import { describe, expect, it } from "vitest";
import { createDialect } from "../../src/dialect/dialect.ts";
import { type KnownScale, measureScale, pairTrades } from "../../src/state/scale.ts";
import { selectScale } from "../../src/state/select-market.ts";
import { createStore } from "../../src/state/store.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import { trade } from "../support/frames.ts";
import { fold } from "../views/filled-store.ts";

/** @returns `tick lot source`; undefined where nothing says it */
function scaleOf(record: object, { close, ticks }: { close?: string; ticks?: number } = {}) {
  const store = createStore(createDialect());
  fold(store, "markets", { markets: [{ market_id: 1, type: "perp", symbol: "BTC", ...record }] });
  if (ticks !== undefined) fold(store, "trades/perp/1", { trades: [trade(0, ticks)] });
  if (close !== undefined) {
    const prices = { open: close, high: close, low: close, close };
    const candle = { open_time_ms: 0, ...prices, volume_base: "1", volume_quote: "1", trades: 1 };
    fold(store, "candles/perp/1/1m", { candles: [candle] });
  }
  return written(selectScale(store, "perp/1"));
}

const written = (scale: KnownScale | undefined) =>
  scale && `${formatDecimal(scale.tickSize)} ${formatDecimal(scale.lotSize)} ${scale.source}`;

const SIZES = { tick_size: "0.01", lot_size: "0.0001" };

describe("a market's record", () => {
  it.each([
    [SIZES, "0.01 0.0001 market"],
    [{ tick_size: "5", lot_size: "100" }, "5 100 market"],
    [{ price_decimals: 2, size_decimals: 0 }, "0.01 1 market"],
    [{ ...SIZES, tick_size: "0", price_decimals: 18 }, `0.${"1".padStart(18, "0")} 0.0001 market`],
    [{ tick_size: "0.01" }, undefined],
    [{ lot_size: "0.01" }, undefined],
    [{ ...SIZES, tick_size: "-0.01" }, undefined],
    [{ price_decimals: 19, size_decimals: 2 }, undefined],
    [{ price_decimals: -1, size_decimals: 2 }, undefined],
    [{ price_decimals: "1.5", size_decimals: 2 }, undefined],
    [{ ...SIZES, tick_size: "100000000" }, "100000000 0.0001 market"],
    [{ ...SIZES, tick_size: "123456789.5" }, "123456789.5 0.0001 market"],
    // Units of a billionth of a billionth, where a name says so.
    [{ price_increment_x18: "500000000", lot_size: "1" }, "0.0000000005 1 market"],
    [
      { price_increment_x18: "10000000000000000", lot_size: "1000000000" },
      "0.01 0.000000001 market",
    ],
    [{ ...SIZES, tick_size: "1000000000" }, undefined],
  ])("%o says %o", (record, scale) => expect(scaleOf(record)).toBe(scale));
});

describe("a candle of 100.00", () => {
  it.each([
    [10_000, "0.01 0.0001 market"],
    [40_000, "0.01 0.0001 market"],
    [40_001, undefined],
    [2500, "0.01 0.0001 market"],
    [2499, undefined],
  ])("beside a trade at %d ticks of 0.01", (ticks, scale) =>
    expect(scaleOf(SIZES, { close: "100.00", ticks })).toBe(scale),
  );

  it("is 2000 ticks of 0.05", () =>
    expect(scaleOf({ ...SIZES, tick_size: "0.05" }, { close: "100.00", ticks: 2000 })).toBe(
      "0.05 0.0001 market",
    ));

  it("is no price in ticks of 0.03", () =>
    expect(scaleOf({ ...SIZES, tick_size: "0.03" }, { close: "100.00", ticks: 3333 })).toBe(
      undefined,
    ));

  it("says nothing about ticks without a price in them", () =>
    expect(scaleOf(SIZES, { close: "1000000.00" })).toBe("0.01 0.0001 market"));
});

describe("trades of the stream and of the listing", () => {
  const trades = Array.from({ length: 20 }, (_, i) => trade(i * 1e6, 100 + i, 3));
  const listed = trades.map(({ price_ticks, taker_is_bid }, i) => ({
    timestamp_ms: 1_800_000_000_000 + i,
    ...{ taker_is_bid, price: (Number(price_ticks) * 0.5).toFixed(2), quantity: "0.006" },
  }));
  const [first] = listed;
  const other = { ...first, price: "50.5" };
  it.each([
    ["twenty", trades, listed, "0.5 0.002 measured"],
    [
      "another that only one has",
      trades,
      [...listed, { ...other, timestamp_ms: 1 }],
      "0.5 0.002 measured",
    ],
    [
      "another side of a millisecond",
      trades,
      [...listed, { ...other, taker_is_bid: false }],
      "0.5 0.002 measured",
    ],
    ["too few", trades.slice(1), listed, undefined],
    ["two in a millisecond", trades, [...listed, other], undefined],
    ["two in one of the stream", [...trades, trade(0, 7)], listed, undefined],
    ["one price that disagrees", trades, [other, ...listed.slice(1)], undefined],
    [
      "one size that disagrees",
      trades,
      [...listed.slice(0, -1), { ...listed[19], quantity: "1" }],
      undefined,
    ],
    ["no price", trades, listed.map((row) => ({ ...row, price: "?" })), undefined],
    ["no quantity", trades, listed.map((row) => ({ ...row, quantity: "?" })), undefined],
  ])("measure it: %s", (_, own, others, scale) =>
    expect(written(measureScale(pairTrades(own, others as typeof listed)))).toBe(scale),
  );
});

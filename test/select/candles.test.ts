import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectCandleChart } from "../../src/screen/views/market/chart.ts";
import { EXACT } from "../../src/select/display.ts";
import type { LastCandle } from "../../src/wire/channels/candles.ts";

const options = {
  columns: 60,
  rows: 12,
  volumeRows: 3,
  step: 2,
  intervalMs: 60_000,
  display: EXACT,
  unfinished: new Set<number>(),
  rebuilt: new Set<number>(),
};

const candle = (i: number, part: Partial<LastCandle> = {}): LastCandle => ({
  open_time_ms: 1_800_000_000_000 + i * 60_000,
  open: "10",
  high: "12",
  low: "8",
  close: "11",
  volume_base: "1",
  volume_quote: "1",
  trades: 1,
  ...part,
});

/** Decimal text with up to 20 digits and up to 8 of them after the point. */
const price = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: 0, max: 8 }))
  .map(([mantissa, places]) => {
    const digits = mantissa.toString().padStart(places + 1, "0");
    const point = digits.length - places;
    return places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  });

const compare = (a: string, b: string) => {
  const scaled = (text: string) => {
    const [whole = "", part = ""] = text.split(".");
    return BigInt(whole + part.padEnd(8, "0"));
  };
  return scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0;
};

const anyCandle = fc
  .tuple(price, price, price, price)
  .map((prices) => [...prices].sort(compare))
  .map(([low = "", a = "", b = "", high = ""]) => ({ low, open: a, close: b, high }));

describe("candle chart", () => {
  test("keeps every part of every candle on the plot, in the right order, whatever the prices", () => {
    fc.assert(
      fc.property(fc.array(anyCandle, { minLength: 1, maxLength: 40 }), (parts) => {
        const candles = parts.map((part, i) => candle(i, part));
        const chart = selectCandleChart(candles, options);
        for (const { column, high, bodyTop, bodyBottom, low } of chart.candles) {
          expect(column).toBeGreaterThanOrEqual(0);
          expect(column).toBeLessThan(options.columns);
          expect(
            [high, bodyTop, bodyBottom, low].every(
              (at, i, all) => i === 0 || at >= (all[i - 1] ?? 0),
            ),
          ).toBe(true);
          expect(high).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThan(options.rows * 2);
        }
        for (const { at } of chart.prices) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThan(options.rows);
        }
      }),
    );
  });

  test("puts the newest candle at the right edge and the oldest that fits at the left", () => {
    const candles = Array.from({ length: 100 }, (_, i) => candle(i));
    const { candles: shown } = selectCandleChart(candles, options);
    expect(shown.length).toBe(30);
    expect(shown.at(-1)?.column).toBe(59);
    expect(shown[0]?.column).toBe(1);
  });

  test("leaves a gap as wide as the time in which there is no candle", () => {
    const { candles } = selectCandleChart(
      [0, 1, 5, 6].map((i) => candle(i)),
      options,
    );
    expect(candles.map(({ column }) => column)).toEqual([47, 49, 57, 59]);
  });

  test("shows what is of the time that fits, however few candles that are", () => {
    const { candles } = selectCandleChart(
      [0, 69, 70, 99].map((i) => candle(i)),
      options,
    );
    expect(candles.map(({ column }) => column)).toEqual([1, 59]);
  });

  test("stretches from the highest price to the lowest", () => {
    const chart = selectCandleChart(
      [candle(0, { high: "20" }), candle(1, { low: "0.5" })],
      options,
    );
    expect(chart.candles.map(({ high, low }) => [high, low])).toEqual([
      [0, 14],
      [9, 23],
    ]);
  });

  test("labels round prices only, on their own rows, with all of their digits", () => {
    const chart = selectCandleChart(
      [candle(0, { open: "97030.00", high: "97188.32", low: "96941.40", close: "97045.89" })],
      options,
    );
    expect(chart.prices.map(({ text }) => text)).toEqual(["97000", "97100"]);
    expect(chart.last?.text).toBe("97045.89");
  });

  test("shows a market without movement in the middle", () => {
    const flat = { open: "5", high: "5", low: "5", close: "5" };
    const chart = selectCandleChart([candle(0, flat)], options);
    expect(chart.candles[0]).toMatchObject({ high: 12, low: 12, direction: "flat" });
    expect(chart.prices).toEqual([{ at: 6, text: "5" }]);
  });

  test("draws volumes against the largest, and none for mark prices", () => {
    const volumes = ["4", "2", "0.000001", "0"].map((volume_base, i) => candle(i, { volume_base }));
    expect(selectCandleChart(volumes, options).candles.map(({ volume }) => volume)).toEqual([
      24, 12, 1, 0,
    ]);
    const { volume_base, volume_quote, trades, ...prices } = candle(0);
    const mark = { ...prices, samples: 1 };
    expect(selectCandleChart([mark], options).candles[0]?.volume).toBe(0);
  });

  test("marks candles of which the end was missed", () => {
    const unfinished = new Set([candle(0).open_time_ms]);
    const chart = selectCandleChart([candle(0), candle(1)], { ...options, unfinished });
    expect(chart.candles.map(({ isUnfinished }) => isUnfinished)).toEqual([true, false]);
  });

  test("is empty without candles or without room", () => {
    expect(selectCandleChart([], options).candles).toEqual([]);
    expect(selectCandleChart([candle(0)], { ...options, rows: 0 }).candles).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  getColumn,
  type Pitch,
  placeMarks,
  priceAtRow,
  timeAt,
} from "../../src/screen/views/market/chart.ts";
import { DEFAULT_DISPLAY, Display } from "../../src/select/display.ts";
import { INTERVAL_MS } from "../../src/wire/channels.ts";
import { pointed } from "../support/two-tapes.ts";
import { BASE_MS, candle, MINUTE_MS, ROOM, selectChart } from "./chart-rig.ts";

const range = (count: number, step = 1) => Array.from({ length: count }, (_, i) => i * step);

/** Decimal text with up to 20 digits and up to 8 of them after the point. */
const price = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: 0, max: 8 }))
  .map(([mantissa, places]) => pointed(mantissa, places));

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
        const chart = selectChart(candles);
        for (const { column, high, bodyTop, bodyBottom, low } of chart.candles) {
          expect(column).toBeGreaterThanOrEqual(0);
          expect(column).toBeLessThan(ROOM.columns);
          expect(
            [high, bodyTop, bodyBottom, low].every(
              (at, i, all) => i === 0 || at >= (all[i - 1] ?? 0),
            ),
          ).toBe(true);
          expect(high).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThan(ROOM.rows * 2);
        }
        for (const { at } of chart.prices) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThan(ROOM.rows);
        }
      }),
    );
  });

  test.each([
    ["the newest at the right edge, the oldest that fits at the left", range(100), range(30, 2)],
    ["a gap as wide as the time in which there is none", [0, 1, 5, 6], [46, 48, 56, 58]],
    ["those of the time that fits, however few they are", [0, 69, 70, 99], [0, 58]],
  ])("has candles by their time: %s", (_, minutes, columns) => {
    const { candles } = selectChart(minutes.map((i) => candle(i)));
    expect(candles.map(({ column }) => column)).toEqual(columns);
  });

  test("stretches from the highest price to the lowest", () => {
    const chart = selectChart([candle(0, { high: "20" }), candle(1, { low: "0.5" })]);
    expect(chart.candles.map(({ high, low }) => [high, low])).toEqual([
      [0, 14],
      [9, 23],
    ]);
  });

  test("labels round prices only, on their own rows, with all of their digits", () => {
    const chart = selectChart([
      candle(0, { open: "97030.00", high: "97188.32", low: "96941.40", close: "97045.89" }),
    ]);
    expect(chart.prices.map(({ text }) => text)).toEqual(["97000", "97100"]);
    expect(chart.last?.text).toBe("97045.89");
  });

  test("shows a market without movement in the middle", () => {
    const flat = { open: "5", high: "5", low: "5", close: "5" };
    const chart = selectChart([candle(0, flat)]);
    expect(chart.candles[0]).toMatchObject({ high: 12, low: 12, direction: "flat" });
    expect(chart.prices).toEqual([{ at: 6, text: "5" }]);
  });

  test("draws volumes against the largest, and none for mark prices", () => {
    const volumes = ["4", "2", "0.000001", "0"].map((volume_base, i) => candle(i, { volume_base }));
    expect(selectChart(volumes).candles.map(({ volume }) => volume)).toEqual([24, 12, 1, 0]);
    const { volume_base, volume_quote, trades, ...prices } = candle(0);
    const mark = { ...prices, samples: 1 };
    expect(selectChart([mark as never]).candles[0]?.volume).toBe(0);
  });

  test("marks candles of which the end was missed", () => {
    const unfinished = new Set([candle(0).open_time_ms]);
    const chart = selectChart([candle(0), candle(1)], { unfinished });
    expect(chart.candles.map(({ isUnfinished }) => isUnfinished)).toEqual([true, false]);
  });

  test("reads back the time of every column that it puts a candle in", () => {
    const pitches = fc.constantFrom<Pitch>(1, 2, 3);
    fc.assert(
      fc.property(pitches, fc.integer({ min: 3, max: 200 }), fc.nat(300), (pitch, columns, ago) => {
        const times = { columns, pitch, intervalMs: MINUTE_MS, newestMs: BASE_MS };
        const openTimeMs = BASE_MS - ago * MINUTE_MS;
        const column = getColumn(openTimeMs, times);
        if (column < 0) return;
        expect(column).toBeLessThan(columns);
        expect(timeAt(column, times)).toBe(openTimeMs);
      }),
    );
  });

  test("reads a price in each row that is drawn in that row again", () => {
    const room = { rows: fc.integer({ min: 2, max: 60 }), margin: fc.constantFrom(0, 1) };
    fc.assert(
      fc.property(anyCandle, fc.record(room), ({ low, high }, { rows, margin }) => {
        const { range } = selectChart([candle(0, { low, high, open: low, close: high })], {
          rows: rows + margin * 2,
          margin,
        });
        if (range === undefined || range.high - range.low < 1000n) return;
        for (let row = margin; row < rows + margin; row++) {
          const { mantissa, places } = priceAtRow(row, range, rows + margin * 2);
          expect(places).toBe(range.places);
          const steps = BigInt(Math.max(1, rows - 1));
          const off =
            (range.high - mantissa) * steps - (range.high - range.low) * BigInt(row - margin);
          // Half a row at the most.
          expect((off < 0n ? -off : off) * 2n).toBeLessThanOrEqual(range.high - range.low + steps);
        }
      }),
    );
  });

  const zones = ["UTC", "Asia/Kathmandu", "America/New_York"].map(
    (timeZone) => new Display({ ...DEFAULT_DISPLAY, timeZone }),
  );

  test("names times from the second candle on, whatever the interval, the pitch and the width, none over another", () => {
    const any = fc.record({
      pitch: fc.constantFrom<Pitch>(1, 2, 3),
      columns: fc.integer({ min: 24, max: 200 }),
      intervalMs: fc.constantFrom(...Object.values(INTERVAL_MS)),
      display: fc.constantFrom(...zones),
      newest: fc.integer({ min: 0, max: 20_000 }),
    });
    fc.assert(
      fc.property(any, ({ newest, ...part }) => {
        const newestMs = newest * part.intervalMs;
        const two = [newestMs - part.intervalMs, newestMs].map((open_time_ms) => {
          return candle(0, { open_time_ms });
        });
        const { times } = selectChart(two, { ...part, newestMs });
        expect(times.length).toBeGreaterThan(0);
        let free = 0;
        for (const { at, text } of times) {
          expect(at).toBeGreaterThanOrEqual(free);
          free = at + text.length + 1;
        }
        expect(free - 1).toBeLessThanOrEqual(part.columns);
      }),
    );
  });

  test("shows times of which nothing was received as wide as they are", () => {
    const gaps = [{ fromMs: BASE_MS + MINUTE_MS, untilMs: BASE_MS + 5 * MINUTE_MS }];
    const chart = selectChart(
      [0, 5, 6].map((i) => candle(i)),
      { gaps },
    );
    expect(chart.candles.map(({ column }) => column)).toEqual([46, 56, 58]);
    expect(chart.gaps).toEqual([{ from: 48, until: 56, lengthMs: 4 * MINUTE_MS }]);
  });

  test("is empty without candles or without room", () => {
    expect(selectChart([]).candles).toEqual([]);
    expect(selectChart([candle(0)], { rows: 0 }).candles).toEqual([]);
  });
});

test("mark prices stand beside the candle of their period, at the height of their close, or not at all", () => {
  const prices = fc.record({
    last: fc.integer({ min: 1, max: 1000 }),
    mark: fc.integer({ min: 1, max: 1000 }),
  });
  fc.assert(
    fc.property(fc.array(prices, { minLength: 1, maxLength: 20 }), (minutes) => {
      const still = (price: number, i: number) => {
        const close = `${price}`;
        return { ...candle(i, { open: close, high: close, low: close, close }), samples: 1 };
      };
      const lasts = minutes.map(({ last }) => last);
      const lastCandles = lasts.map(still);
      const chart = selectChart(lastCandles, { volumeRows: 0 });
      const marks = placeMarks(
        chart,
        minutes.map(({ mark }, i) => still(mark, i)),
        ROOM.rows,
      );
      const inside = minutes.filter(
        ({ mark }) => mark <= Math.max(...lasts) && mark >= Math.min(...lasts),
      );
      expect(marks).toHaveLength(inside.length);
      const columns = new Set(chart.candles.map(({ column }) => column));
      for (const { column, row } of marks) {
        expect(columns.has(column)).toBe(true);
        expect(row >= 0 && row < ROOM.rows).toBe(true);
      }
      // A mark price that is the last price stands where the candle is.
      const same = placeMarks(chart, lastCandles, ROOM.rows);
      expect(same.map(({ row }) => row)).toEqual(chart.candles.map(({ bodyTop }) => bodyTop >> 1));
    }),
  );
});

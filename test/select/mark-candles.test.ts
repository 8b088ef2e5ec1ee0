import fc from "fast-check";
import { expect, test } from "vitest";
import { placeMarks, selectCandleChart } from "../../src/screen/views/market/chart.ts";
import { EXACT } from "../../src/select/display.ts";

const MINUTE_MS = 60_000;
const options = {
  columns: 40,
  rows: 10,
  volumeRows: 0,
  margin: 0,
  intervalMs: MINUTE_MS,
  pitch: 2 as const,
  gaps: [],
  display: EXACT,
  unfinished: new Set<number>(),
  rebuilt: new Set<number>(),
};

test("mark prices stand beside the candle of their period, at the height of their close, or not at all", () => {
  const prices = fc.record({
    last: fc.integer({ min: 1, max: 1000 }),
    mark: fc.integer({ min: 1, max: 1000 }),
  });
  fc.assert(
    fc.property(fc.array(prices, { minLength: 1, maxLength: 20 }), (minutes) => {
      const candle = (close: number, i: number) => ({
        open_time_ms: i * MINUTE_MS,
        open: `${close}`,
        high: `${close}`,
        low: `${close}`,
        close: `${close}`,
        volume_base: "1",
        volume_quote: "1",
        trades: 1,
        samples: 1,
      });
      const chart = selectCandleChart(
        minutes.map(({ last }, i) => candle(last, i)),
        { ...options, newestMs: (minutes.length - 1) * MINUTE_MS },
      );
      const marks = placeMarks(
        chart,
        minutes.map(({ mark }, i) => candle(mark, i)),
        options.rows,
      );
      const lasts = minutes.map(({ last }) => last);
      const inside = minutes.filter(
        ({ mark }) => mark <= Math.max(...lasts) && mark >= Math.min(...lasts),
      );
      expect(marks).toHaveLength(inside.length);
      const columns = new Set(chart.candles.map(({ column }) => column));
      for (const { column, row } of marks) {
        expect(columns.has(column)).toBe(true);
        expect(row >= 0 && row < options.rows).toBe(true);
      }
      // A mark price that is the last price stands where the candle is.
      const same = placeMarks(
        chart,
        minutes.map(({ last }, i) => candle(last, i)),
        options.rows,
      );
      expect(same.map(({ row }) => row)).toEqual(chart.candles.map(({ bodyTop }) => bodyTop >> 1));
    }),
  );
});

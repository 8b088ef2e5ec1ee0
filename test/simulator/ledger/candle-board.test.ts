import fc from "fast-check";
import { expect, test } from "vitest";
import { CandleBoard } from "../../../src/simulator/ledger/candles.ts";

const MINUTE_MS = 60_000;
const trade = fc.record({
  waitMs: fc.integer({ min: 0, max: 6 * 3_600_000 }),
  ticks: fc.integer({ min: 1, max: 1000 }),
  lots: fc.integer({ min: 1, max: 1000 }),
});

test("day figures count the last 1440 minutes and nothing older", () => {
  fc.assert(
    fc.property(
      fc.array(trade, { minLength: 1, maxLength: 40, size: "max" }),
      fc.nat(20),
      (trades, liveAfter) => {
        const board = new CandleBoard();
        const epochMs = 29_000_003 * MINUTE_MS;
        const made: { ms: number; ticks: number; lots: number }[] = [];
        let ms = 0;
        for (const [i, { waitMs, ticks, lots }] of trades.entries()) {
          if (i === liveAfter) board.goLive(epochMs);
          ms += waitMs;
          made.push({ ms, ticks, lots });
          board.add(ms * 1000, ticks, lots, BigInt(ticks * lots));
        }
        const sinceMs = (Math.floor(ms / MINUTE_MS) - 1439) * MINUTE_MS;
        const recent = made.filter((each) => each.ms >= sinceMs);
        expect(board.dayFigures(ms * 1000)).toMatchObject({
          open: recent[0]?.ticks,
          high: Math.max(...recent.map(({ ticks }) => ticks)),
          low: Math.min(...recent.map(({ ticks }) => ticks)),
          volumeLots: recent.reduce((sum, { lots }) => sum + lots, 0),
          volumeAtoms: recent.reduce((sum, { ticks, lots }) => sum + BigInt(ticks * lots), 0n),
          count: recent.length,
        });
        expect(board.dayFigures((ms + 25 * 3_600_000) * 1000)).toBeUndefined();
      },
    ),
  );
});

test("the window of the day figures begins with the minute 1439 minutes before this one", () => {
  const board = new CandleBoard();
  const minuteUs = MINUTE_MS * 1000;
  board.add(minuteUs - 1, 5, 1, 5n);
  board.add(minuteUs, 7, 1, 7n);
  expect(board.dayFigures(1440 * minuteUs)).toMatchObject({ open: 7, count: 1 });
  expect(board.dayFigures(1440 * minuteUs - 1)).toMatchObject({ open: 5, count: 2 });
});

test("hours and days are not asked for before it is known which ones they are", () => {
  const board = new CandleBoard();
  expect(() => board.series("1h")).toThrow(RangeError);
  board.goLive(0);
  expect(board.series("1h").candles).toEqual([]);
});

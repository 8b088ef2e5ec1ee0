import { describe, expect, test } from "vitest";
import {
  type CandlesState,
  interruptCandles,
  MAX_CANDLES_KEPT,
  noCandles,
  reduceCandles,
} from "../../src/state/candles.ts";
import type { LastCandle } from "../../src/wire/channels/candles.ts";

const candle = (minute: number, close = "1"): LastCandle => ({
  open_time_ms: minute * 60_000,
  open: "1",
  high: "2",
  low: "0",
  close,
  volume_base: "1",
  volume_quote: "1",
  trades: 1,
});

const fold = (...frames: [isFirst: boolean, ...LastCandle[]][]) =>
  frames.reduce<CandlesState<LastCandle>>(
    (state, [isFirst, ...came]) => reduceCandles(state, came, isFirst),
    noCandles,
  );

const minutes = ({ candles }: { candles: readonly LastCandle[] }) =>
  candles.map(({ open_time_ms }) => open_time_ms / 60_000);

describe("candles", () => {
  test("stand by time, one for each period with its newest word, whatever order they come in", () => {
    const state = fold([true, candle(3)], [false, candle(1)], [false, candle(2), candle(1, "9")]);
    expect(minutes(state)).toEqual([1, 2, 3]);
    expect(state.candles.map(({ close }) => close)).toEqual(["9", "1", "1"]);
  });

  test("mark the one that was forming when the feed broke off, unless its end is told after all", () => {
    const lost = fold([true, candle(1)], [true, candle(5)]);
    expect([...lost.unfinished]).toEqual([60_000]);
    const told = fold([true, candle(1)], [true, candle(1), candle(2)]);
    expect([...told.unfinished]).toEqual([]);
  });

  test("a lost message marks the one that was forming, until the service speaks of it again", () => {
    const lost = interruptCandles(fold([true, candle(1), candle(2)]));
    expect([...lost.unfinished]).toEqual([120_000]);
    expect([...reduceCandles(lost, [candle(3)], false).unfinished]).toEqual([120_000]);
    expect([...reduceCandles(lost, [candle(2), candle(3)], false).unfinished]).toEqual([]);
  });

  test("keep a bounded number, the newest", () => {
    const frames = Array.from({ length: MAX_CANDLES_KEPT + 10 }, (_, i): [boolean, LastCandle] => [
      true,
      candle(i),
    ]);
    const state = fold(...frames);
    expect(state.candles.length).toBe(MAX_CANDLES_KEPT);
    expect(minutes(state).at(-1)).toBe(MAX_CANDLES_KEPT + 9);
    expect(state.unfinished.size).toBeLessThanOrEqual(MAX_CANDLES_KEPT);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LastCandle } from "../../src/protocol/channels/candles.ts";
import { PastCandles } from "../../src/store/rebuilt-candles.ts";
import { CandleJoin } from "../../src/view/past-candles.ts";
import { pointed, type RawTrade, rawTrades, restTrade, type Sizes } from "../support/two-tapes.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000;
const SIZES: Sizes = { tick: 25n, tickPlaces: 3, lot: 1n, lotPlaces: 4 };

const trades = rawTrades({
  startNs: BigInt(START_MS) * 1_000_000n,
  stepNs: 40_000_000_000n,
  grainNs: 1_000_000n,
  minLength: 1,
  maxLength: 120,
});

/** Candles by their definition, from the oldest trade on, on whole numbers. */
function oracle(tape: readonly RawTrade[]): LastCandle[] {
  const periods = new Map<number, RawTrade[]>();
  for (const trade of tape) {
    const ms = Number(trade.timeNs / 1_000_000n);
    const open = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    periods.set(open, [...(periods.get(open) ?? []), trade]);
  }
  return [...periods].map(([open_time_ms, group]) => {
    const prices = group.map(({ ticks }) => ticks);
    const price = (ticks: bigint | undefined) =>
      pointed((ticks ?? 0n) * SIZES.tick, SIZES.tickPlaces);
    const sorted = [...prices].sort((a, b) => (a < b ? -1 : 1));
    const lots = group.reduce((sum, trade) => sum + trade.lots, 0n);
    return {
      open_time_ms,
      open: price(prices[0]),
      high: price(sorted.at(-1)),
      low: price(sorted[0]),
      close: price(prices.at(-1)),
      volume_base: pointed(lots, SIZES.lotPlaces),
      volume_quote: `${group.length}`,
      trades: group.length,
    };
  });
}

function listed(tape: readonly RawTrade[], reachesBeginning: boolean) {
  return { records: tape.map((trade) => restTrade(trade, SIZES)).reverse(), reachesBeginning };
}

describe("candles rebuilt from listed trades", () => {
  test("are exactly those that the trades make, and of whole periods only", () => {
    fc.assert(
      fc.property(trades, fc.boolean(), (tape, reachesBeginning) => {
        const past = new PastCandles();
        past.replace(listed(tape, reachesBeginning));
        const all = oracle(tape);
        expect(past.candles(MINUTE_MS)).toEqual(reachesBeginning ? all : all.slice(1));
      }),
    );
  });

  test("are the same when they are compared with a stream that tells the same trades, and differ by one trade", () => {
    fc.assert(
      fc.property(trades, (tape) => {
        const past = new PastCandles();
        const ended = oracle(tape).slice(0, -1);
        past.compare(listed(tape, true), ended, MINUTE_MS);
        expect(past.comparison(MINUTE_MS)).toEqual({ compared: ended.length, differing: 0 });
        // The listing has another price in the first period.
        const changed = tape.map((trade, i) =>
          i === 0 ? { ...trade, ticks: trade.ticks + 1n } : trade,
        );
        past.compare(listed(changed, true), ended, MINUTE_MS);
        const differing = ended.length === 0 ? 0 : 1;
        expect(past.comparison(MINUTE_MS)).toEqual({ compared: ended.length, differing });
      }),
    );
  });

  test("of a period that the listing does not tell to its end are not compared", () => {
    const tape = [0n, 61_000n, 119_999n].map((ms) => ({
      timeNs: (BigInt(START_MS) + ms) * 1_000_000n,
      ticks: 5n,
      lots: 1n,
      takerIsBid: true,
    }));
    const past = new PastCandles();
    past.compare(listed(tape, true), oracle(tape), MINUTE_MS);
    expect(past.comparison(MINUTE_MS)).toEqual({ compared: 1, differing: 0 });
  });
});

describe("past and stream in one chart", () => {
  const candle = (minute: number, close: string): LastCandle => ({
    open_time_ms: START_MS + minute * MINUTE_MS,
    ...{ open: close, high: close, low: close, close },
    ...{ volume_base: "1", volume_quote: "1", trades: 1 },
  });
  const tape = Array.from({ length: 10 }, (_, minute) => ({
    timeNs: BigInt(START_MS + minute * MINUTE_MS) * 1_000_000n,
    ticks: 40n,
    lots: 1n,
    takerIsBid: true,
  }));

  test("the stream wins, what it lacks comes from the past, and nothing newer than it does", () => {
    const past = new PastCandles();
    past.replace(listed(tape, true));
    const stream = { candles: [candle(5, "7"), candle(7, "8")], unfinished: new Set<number>() };
    const { candles, rebuilt } = new CandleJoin().of(past, stream, MINUTE_MS);
    const minutes = candles.map(({ open_time_ms }) => (open_time_ms - START_MS) / MINUTE_MS);
    expect(minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(candles.map(({ close }) => close).slice(4)).toEqual(["1.000", "7", "1.000", "8"]);
    expect(rebuilt.size).toBe(6);
  });

  test("without a word of the stream nothing is shown, since nothing says what is still forming", () => {
    const past = new PastCandles();
    past.replace(listed(tape, true));
    const stream = { candles: [], unfinished: new Set<number>() };
    expect(new CandleJoin().of(past, stream, MINUTE_MS).candles).toEqual([]);
  });

  test("is made anew only when one of them has changed", () => {
    const past = new PastCandles();
    const join = new CandleJoin();
    const stream = { candles: [candle(20, "7")], unfinished: new Set<number>() };
    const first = join.of(past, stream, MINUTE_MS);
    expect(join.of(past, stream, MINUTE_MS)).toBe(first);
    past.replace(listed(tape, true));
    expect(join.of(past, stream, MINUTE_MS).candles).toHaveLength(11);
  });
});

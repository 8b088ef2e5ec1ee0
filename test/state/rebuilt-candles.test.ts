import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CandleJoin } from "../../src/screen/views/market/data.ts";
import { PastCandles } from "../../src/state/rebuilt-candles.ts";
import { formatDecimal, parseDecimal, trimDecimal } from "../../src/units/decimal.ts";
import type { LastCandle } from "../../src/wire/channels/candles.ts";
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

const candleAt = (open_time_ms: number, close = "1"): LastCandle => ({
  open_time_ms,
  open: close,
  high: close,
  low: close,
  close,
  volume_base: "1",
  volume_quote: "1",
  trades: 1,
});

/** What the stream has told. */
const stream = (candles: readonly LastCandle[], ...unfinished: number[]) => ({
  candles,
  unfinished: new Set(unfinished),
});

describe("days of a service that do not begin at midnight", () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  const DAY_0 = Math.floor(START_MS / DAY_MS) * DAY_MS;
  const hourly = Array.from({ length: 96 }, (_, i) => ({
    timeNs: BigInt(DAY_0 + i * HOUR_MS + 1) * 1_000_000n,
    ticks: 100n + BigInt(i),
    lots: 1n,
    takerIsBid: true,
  }));
  const hourOf = ({ open_time_ms }: { readonly open_time_ms: number }) =>
    (open_time_ms - DAY_0) / HOUR_MS;
  const joined = (opens: readonly number[]) => {
    const past = new PastCandles();
    past
      .begin(Number.POSITIVE_INFINITY)
      .take(hourly.map((trade) => restTrade(trade, SIZES)).reverse());
    const told = stream(opens.map((open) => candleAt(open)));
    return new CandleJoin().of(past, told, DAY_MS);
  };

  test("have rebuilt ones before them that begin at the same hour", () => {
    const { candles, rebuilt } = joined([DAY_0 + 3 * DAY_MS + 8 * HOUR_MS]);
    expect(candles.map(hourOf)).toEqual([8, 32, 56, 80]);
    expect(rebuilt.size).toBe(3);
    expect(candles[0]).toMatchObject({ trades: 24, open: "2.700", close: "3.275" });
  });

  test("and that the service moves have none rebuilt across them", () => {
    const { candles } = joined([DAY_0 + 2 * DAY_MS, DAY_0 + 3 * DAY_MS + 8 * HOUR_MS]);
    const opens = candles.map(hourOf);
    for (const [i, open] of opens.entries())
      if (i > 0) expect(open - (opens[i - 1] ?? 0)).toBeGreaterThanOrEqual(24);
    expect(opens.slice(-2)).toEqual([48, 80]);
  });

  test("have none rebuilt where they begin within a minute", () => {
    expect(joined([DAY_0 + 3 * DAY_MS + 8 * HOUR_MS + 500]).rebuilt.size).toBe(0);
  });
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

function listed(tape: readonly RawTrade[]) {
  return tape.map((trade) => restTrade(trade, SIZES)).reverse();
}

const tradeAt = (ms: number, ticks: bigint): RawTrade => ({
  timeNs: BigInt(START_MS + ms) * 1_000_000n,
  ticks,
  lots: 1n,
  takerIsBid: true,
});

/** One a minute. */
const TEN = Array.from({ length: 10 }, (_, minute) => tradeAt(minute * MINUTE_MS, 40n));

/** A page may begin in the middle of a period: this trade shows that it does not. */
const BEFORE = tradeAt(-2 * MINUTE_MS, 1n);

/** Everything is listed, and has been for long. */
const WHOLE_MS = START_MS + 1_000_000 * MINUTE_MS;

/** Read in pages of any length. */
function read(past: PastCandles, tape: readonly RawTrade[], reachesBeginning: boolean, page = 7) {
  const run = past.begin(WHOLE_MS);
  const records = listed(tape);
  for (let i = 0; i < records.length; i += page) run.take(records.slice(i, i + page));
  if (reachesBeginning) run.end(Number.NEGATIVE_INFINITY);
}

/** With numbers as numbers: `1.50` is `1.5`. */
function valuesOf({ open_time_ms, trades, ...texts }: LastCandle) {
  const trim = (text: string) => {
    const value = parseDecimal(text);
    return value && formatDecimal(trimDecimal(value));
  };
  const { open, high, low, close, volume_base, volume_quote } = texts;
  return [open_time_ms, trades, ...[open, high, low, close, volume_base, volume_quote].map(trim)];
}

describe("candles rebuilt from listed trades", () => {
  test("are exactly those that the trades make, and of whole periods only", () => {
    fc.assert(
      fc.property(trades, fc.boolean(), fc.integer({ min: 1, max: 50 }), (tape, isAll, page) => {
        const past = new PastCandles();
        read(past, tape, isAll, page);
        const all = oracle(tape);
        expect(past.candles(MINUTE_MS).map(valuesOf)).toEqual(
          (isAll ? all : all.slice(1)).map(valuesOf),
        );
      }),
    );
  });

  test("of longer periods are those of all of their minutes, and never of a part of them", () => {
    const tape = Array.from({ length: 30 }, (_, i) => tradeAt(i * 20_000, BigInt(i + 1)));
    const past = new PastCandles();
    // Of the ten minutes the first one is not read to its beginning.
    read(past, tape.slice(1), false);
    expect(
      past.candles(5 * MINUTE_MS).map(({ open_time_ms, trades }) => [open_time_ms, trades]),
    ).toEqual([[START_MS + 5 * MINUTE_MS, 15]]);
    expect(past.coveredFrom(START_MS + 5 * MINUTE_MS)).toBe(START_MS + MINUTE_MS);
  });

  test("of the minute of the newest row come when something newer is listed, or has had the time to be", () => {
    const tape = [10_000, 70_000].map((ms) => tradeAt(ms, 5n));
    const readUntil = (wholeUntilMs: number) => {
      const past = new PastCandles();
      const run = past.begin(wholeUntilMs);
      run.take(listed(tape));
      run.end(START_MS);
      return past.candles(MINUTE_MS).length;
    };
    expect(readUntil(Number.NEGATIVE_INFINITY)).toBe(1);
    expect(readUntil(START_MS + 2 * MINUTE_MS - 1)).toBe(1);
    expect(readUntil(START_MS + 2 * MINUTE_MS)).toBe(2);
  });

  test("of two runs of the listing fill what lies between them", () => {
    const past = new PastCandles();
    read(past, TEN.slice(0, 4), true);
    const later = past.begin(Number.NEGATIVE_INFINITY);
    later.take(listed(TEN.slice(6)));
    const span = { fromMs: START_MS, untilMs: START_MS + 9 * MINUTE_MS };
    expect(past.candles(MINUTE_MS)).toHaveLength(4 + 2);
    later.take(listed(TEN.slice(4, 6)));
    later.end(START_MS + 4 * MINUTE_MS);
    expect(past.lacking(span)).toEqual([]);
    expect(past.candles(MINUTE_MS)).toHaveLength(9);
  });

  test("are the same when they are compared with a stream that tells the same trades, and differ by one trade", () => {
    fc.assert(
      fc.property(trades, (tape) => {
        const past = new PastCandles();
        const ended = oracle(tape).slice(0, -1);
        past.compare(listed([BEFORE, ...tape]), ended, MINUTE_MS);
        expect(past.comparison(MINUTE_MS)).toEqual({ compared: ended.length, differing: 0 });
        // The listing has another price in the first period.
        const changed = tape.map((trade, i) =>
          i === 0 ? { ...trade, ticks: trade.ticks + 1n } : trade,
        );
        past.compare(listed([BEFORE, ...changed]), ended, MINUTE_MS);
        const differing = ended.length === 0 ? 0 : 1;
        expect(past.comparison(MINUTE_MS)).toEqual({ compared: ended.length, differing });
      }),
    );
  });

  test("of a period that the listing does not tell to its end are not compared", () => {
    const tape = [0, 61_000, 119_999].map((ms) => tradeAt(ms, 5n));
    const past = new PastCandles();
    past.compare(listed([BEFORE, ...tape]), oracle(tape), MINUTE_MS);
    expect(past.comparison(MINUTE_MS)).toEqual({ compared: 1, differing: 0 });
  });
});

describe("past and stream in one chart", () => {
  const candle = (minute: number, close: string) => candleAt(START_MS + minute * MINUTE_MS, close);

  test("the stream wins, what it lacks comes from the past, and nothing newer than it does", () => {
    const past = new PastCandles();
    read(past, TEN, true);
    const told = stream([candle(5, "7"), candle(7, "8")]);
    const { candles, rebuilt } = new CandleJoin().of(past, told, MINUTE_MS);
    const minutes = candles.map(({ open_time_ms }) => (open_time_ms - START_MS) / MINUTE_MS);
    expect(minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(candles.map(({ close }) => close).slice(4)).toEqual(["1.000", "7", "1.000", "8"]);
    expect(rebuilt.size).toBe(6);
  });

  test("without a word of the stream nothing is shown, since nothing says what is still forming", () => {
    const past = new PastCandles();
    read(past, TEN, true);
    expect(new CandleJoin().of(past, stream([]), MINUTE_MS).candles).toEqual([]);
  });

  test("is the same as one made anew, whatever has changed of the stream", () => {
    const past = new PastCandles();
    read(past, TEN, true);
    const join = new CandleJoin();
    const states = [
      [candle(5, "7"), candle(7, "8")],
      [candle(5, "7"), candle(7, "9")],
      [candle(5, "1"), candle(7, "9")],
      [candle(5, "1"), candle(7, "9"), candle(8, "3")],
      [candle(6, "1"), candle(7, "9"), candle(8, "3")],
    ];
    const cut = START_MS + 5 * MINUTE_MS;
    for (const unfinished of [[], [cut]]) {
      for (const candles of states) {
        const told = stream(candles, ...unfinished);
        expect(join.of(past, told, MINUTE_MS)).toEqual(new CandleJoin().of(past, told, MINUTE_MS));
      }
    }
    // A candle that was cut is whole again, from the listing.
    const whole = join.of(past, stream(states[0] ?? [], cut), MINUTE_MS);
    expect(whole.unfinished.size).toBe(0);
    expect(whole.rebuilt.has(cut)).toBe(true);
  });

  test("is made anew only when one of them has changed", () => {
    const past = new PastCandles();
    const join = new CandleJoin();
    const told = stream([candle(20, "7")]);
    const first = join.of(past, told, MINUTE_MS);
    expect(join.of(past, told, MINUTE_MS)).toBe(first);
    read(past, TEN, true);
    expect(join.of(past, told, MINUTE_MS).candles).toHaveLength(11);
  });
});

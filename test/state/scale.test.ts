import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  measuredScale,
  noEvidence,
  reduceScale,
  type ScaleEvidence,
} from "../../src/state/scales.ts";
import { matchTrades } from "../../src/state/trade-pairs.ts";
import type { TapeSpan } from "../../src/state/trades.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import { formatUnits, toUnits, unitSize } from "../../src/units/scale.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { runs } from "../support/soak.ts";
import {
  pointed,
  type RawTrade,
  rawTrades,
  restTrade,
  roundMs,
  type Sizes,
  streamTrade,
} from "../support/two-tapes.ts";

const RUNS = runs(30, 100);
const START_NS = 1_800_000_000_000_000_000n;

const sizes: fc.Arbitrary<Sizes> = fc.record({
  tick: fc.bigInt({ min: 1n, max: 999n }),
  tickPlaces: fc.nat(8),
  lot: fc.bigInt({ min: 1n, max: 999n }),
  lotPlaces: fc.nat(8),
});

/** Trades a few tenths of a millisecond to a few milliseconds apart: many share one, or stand beside each other. */
const tape = rawTrades({
  startNs: START_NS,
  stepNs: 12_000_000n,
  minLength: 200,
  maxLength: 300,
});

/** Trades ten milliseconds apart. */
const apart = (length: number, of: (i: bigint) => Partial<RawTrade> = () => ({})): RawTrade[] =>
  Array.from({ length }, (_, i) => ({
    timeNs: START_NS + BigInt(i) * 10_000_000n,
    ticks: 5n,
    lots: 5n,
    takerIsBid: true,
    ...of(BigInt(i)),
  }));

function observe(
  evidence: ScaleEvidence,
  trades: readonly RawTrade[],
  records: readonly TradeRecord[],
  holes: readonly TapeSpan[] = [],
): ScaleEvidence {
  return reduceScale(evidence, matchTrades({ trades: trades.map(streamTrade), holes }, records));
}

/** The exact size as the program should print it: without zeros at the end. */
function trimmed(value: bigint, places: number): string {
  const text = pointed(value, places);
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

function expectSizes(evidence: ScaleEvidence, { tick, tickPlaces, lot, lotPlaces }: Sizes): void {
  const scale = measuredScale(evidence);
  expect(scale && formatDecimal(scale.tickSize)).toBe(trimmed(tick, tickPlaces));
  expect(scale && formatDecimal(scale.lotSize)).toBe(trimmed(lot, lotPlaces));
}

describe("a measured scale", () => {
  test("is the tick and lot size of the service, whatever they are and in whatever order trades of a moment come", () => {
    fc.assert(
      fc.property(sizes, tape, fc.infiniteStream(fc.nat(1000)), (market, trades, shuffle) => {
        const records = trades
          .map((trade) => ({ record: restTrade(trade, market), place: shuffle.next().value }))
          .sort((a, b) => b.record.timestamp_ms - a.record.timestamp_ms || a.place - b.place)
          .map(({ record }) => record);
        const evidence = observe(noEvidence, trades, records);
        expect(evidence.contradictions).toBe(0);
        if (evidence.pairs >= 20) expectSizes(evidence, market);
        // Prices are random, so twenty pairs have at least three of them.
        else expect(measuredScale(evidence)).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  test("is never contradicted by a listing that lags, is cut, rounds its times or misses what the stream missed", () => {
    fc.assert(
      fc.property(
        sizes,
        tape,
        fc.array(fc.tuple(fc.nat(299), fc.nat(299)), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (market, trades, pages, isRounded) => {
          let evidence = noEvidence;
          for (const [a, b] of pages) {
            // A page of neighbouring trades that need not reach the newest, nor the oldest.
            const page = trades.slice(Math.min(a, b), Math.max(a, b) + 1);
            const records = page.map((each) =>
              restTrade(each, market, isRounded ? roundMs : undefined),
            );
            evidence = observe(evidence, trades, records.reverse());
          }
          expect(evidence.contradictions).toBe(0);
          if (measuredScale(evidence) !== undefined) expectSizes(evidence, market);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("needs twenty matched trades over three prices, and counts no trade twice", () => {
    const market = { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 4 };
    // The oldest and the newest are at the edges of what is held.
    const measure = (count: number, prices: bigint) => {
      const trades = apart(count + 2, (i) => ({ ticks: 100n + (i % prices) }));
      const records = trades.map((trade) => restTrade(trade, market));
      return observe(observe(noEvidence, trades, records), trades, records);
    };
    expect(measure(19, 5n)).toMatchObject({ pairs: 19 });
    expect(measuredScale(measure(19, 5n))).toBeUndefined();
    expect(measuredScale(measure(40, 2n))).toBeUndefined();
    expectSizes(measure(20, 3n), market);
  });

  test("is dropped by one trade that contradicts it, and believed again only after ten times as many", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 2, max: 40 }), fc.boolean(), (market, at, isPrice) => {
        const trades = apart(300, (i) => ({
          ticks: 1000n + i,
          lots: 7n + i,
          takerIsBid: i % 2n === 0n,
        }));
        const lie = {
          ...market,
          ...(isPrice ? { tick: market.tick * 10n } : { lot: market.lot * 3n }),
        };
        const tell = (until: number) =>
          trades.slice(0, until).map((trade, i) => restTrade(trade, i === at ? lie : market));
        const after = observe(noEvidence, trades, tell(60));
        expect(after.contradictions).toBeGreaterThan(0);
        expect(after.contradiction).toMatch(isPrice ? /^price/ : /^size/);
        expect(measuredScale(after)).toBeUndefined();
        expectSizes(observe(after, trades, tell(300)), market);
      }),
      { numRuns: RUNS },
    );
  });

  test("never comes from a listing whose prices have nothing to do with the stream", () => {
    fc.assert(
      fc.property(sizes, tape, tape, (market, trades, others) => {
        const records = trades.map((trade, i) =>
          restTrade({ ...trade, ticks: others[i]?.ticks ?? 1n }, market),
        );
        expect(measuredScale(observe(noEvidence, trades, records))).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  test("takes nothing from the moments around a hole in the tape", () => {
    const trades = apart(5);
    const records = trades.map((each) =>
      restTrade(each, { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 2 }),
    );
    const holes = [{ afterNs: `${START_NS + 10_000_000n}`, untilNs: `${START_NS + 20_000_000n}` }];
    expect(observe(noEvidence, trades, records).pairs).toBe(3);
    expect(observe(noEvidence, trades, records, holes).pairs).toBe(1);
  });
});

describe("the size of a unit", () => {
  const decimal = fc.record({
    mantissa: fc.bigInt({ min: 1n, max: 10n ** 20n }),
    places: fc.nat(12),
  });

  test("times the count of units is the value again, exactly", () => {
    fc.assert(
      fc.property(decimal, fc.bigInt({ min: 1n, max: 2n ** 64n }), (size, count) => {
        const value = { mantissa: size.mantissa * count, places: size.places };
        const found = unitSize(value, count);
        expect(found && formatDecimal(found)).toBe(trimmed(size.mantissa, size.places));
        expect(toUnits(value, size)).toBe(count);
        expect(formatUnits(`${count}`, size)).toBe(pointed(value.mantissa, value.places));
      }),
    );
  });

  test("is not given where it would not be a decimal that ends, or nothing", () => {
    const one = { mantissa: 1n, places: 0 };
    expect(unitSize(one, 3n)).toBeUndefined();
    expect(unitSize(one, 0n)).toBeUndefined();
    expect(unitSize({ mantissa: 0n, places: 2 }, 4n)).toBeUndefined();
    expect(toUnits({ mantissa: 15n, places: 1 }, one)).toBeUndefined();
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatPercent,
  regularInterval,
  selectCarry,
  selectFunding,
  selectFundingChart,
} from "../../src/select/funding.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { FundingRatesState } from "../../src/state/funding-rates.ts";
import type { OpenRecord } from "../../src/wire/update.ts";
import { pointed } from "../support/two-tapes.ts";

const aliases = new Aliases();
const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

function read(rates: readonly Record<string, unknown>[]) {
  const state = new FundingRatesState(aliases);
  state.update(rates, { isFirst: true, isSnapshot: true, continues: false }, null);
  return selectFunding(aliases, state, { type: "perp", id: "1" });
}

describe("funding of a market", () => {
  test("is read under whatever names the service has, oldest first", () => {
    const { points, newest } = read([
      { ts: START_MS + HOUR_MS, rate: -0.0000125 },
      { ts: START_MS, rate: 0.0001 },
      { ts: START_MS + 2 * HOUR_MS, note: "no rate" },
    ]);
    expect(points.map(({ timeMs }) => timeMs)).toEqual([START_MS, START_MS + HOUR_MS]);
    expect(newest && formatPercent(newest.rate)).toBe("-0.00125");
  });

  test("is annualised where the points are at regular times, exactly", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10_000, max: 86_400_000 }),
        fc.integer({ min: 3, max: 200 }),
        fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
        (intervalMs, count, rate) => {
          const text = `${rate < 0n ? "-" : ""}${pointed(rate < 0n ? -rate : rate, 12)}`;
          const rates = Array.from({ length: count }, (_, i) => ({
            funding_time_ms: START_MS + i * intervalMs,
            funding_rate: text,
          }));
          const { annualPercent, intervalMs: found } = read(rates);
          expect(found).toBe(intervalMs);
          // A float is near enough to see a wrong year, sign or unit.
          const expected = (Number(rate) / 1e12) * ((365 * 86_400_000) / intervalMs) * 100;
          expect(Math.abs(Number(annualPercent) - expected)).toBeLessThan(
            0.006 + Math.abs(expected) * 1e-9,
          );
        },
      ),
    );
  });

  test.each([
    ["two points", [0, 1]],
    ["a point that is missing", [0, 1, 3, 4]],
    ["another schedule since then", [0, 1, 2, 10]],
    ["the same time twice", [0, 0, 0]],
  ])("has no schedule with %s, and no yearly rate", (_, hours) => {
    expect(regularInterval(hours.map((hour) => START_MS + hour * HOUR_MS))).toBeUndefined();
    const rates = hours.map((hour) => ({ time: START_MS + hour * HOUR_MS, rate: "0.1" }));
    expect(read(rates).annualPercent).toBeUndefined();
  });

  test("has no schedule where one point has no time", () => {
    expect(regularInterval([START_MS, undefined, START_MS + 2 * HOUR_MS])).toBeUndefined();
  });

  test("drifts of a second do not make a schedule irregular", () => {
    const times = [0, HOUR_MS + 700, 2 * HOUR_MS + 300];
    expect(regularInterval(times)).toBe(HOUR_MS + 700);
  });
});

test("a rate in percent is exact, without zeros at the end", () => {
  expect(formatPercent({ mantissa: 1250n, places: 8 })).toBe("0.00125");
  expect(formatPercent({ mantissa: -1n, places: 1 })).toBe("-10");
  expect(formatPercent({ mantissa: 3n, places: 0 })).toBe("300");
});

test("the chart of funding rates keeps every bar on the plot, on its side of the line", () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), { maxLength: 60 }),
      fc.record({ columns: fc.nat(50), rows: fc.nat(30), step: fc.constantFrom(1, 2) }),
      (values, room) => {
        const points = values.map((mantissa) => ({
          timeMs: undefined,
          rate: { mantissa, places: 9 },
          record: {},
        }));
        const { bars, labels } = selectFundingChart(points, room);
        const zero = labels[0]?.at ?? 0;
        expect(new Set(labels.map(({ at }) => at)).size).toBe(labels.length);
        for (const { column, top, bottom } of bars) {
          expect(column >= 0 && column < room.columns).toBe(true);
          expect(top >= 0 && top <= bottom && bottom < room.rows * 2).toBe(true);
        }
        const above = bars.filter(({ sign }) => sign === "positive");
        const below = bars.filter(({ sign }) => sign === "negative");
        for (const { bottom } of above) expect(Math.floor(bottom / 2)).toBe(zero);
        for (const { top } of below) expect(Math.floor(top / 2)).toBe(zero);
      },
    ),
  );
});

test("a rate that is next to nothing beside the others has no label over that of the line", () => {
  const points = [-50_000n, 10n].map((mantissa) => ({
    ...{ timeMs: undefined, rate: { mantissa, places: 6 }, record: {} },
  }));
  const { labels } = selectFundingChart(points, { columns: 10, rows: 8, step: 1 });
  expect(labels).toEqual([
    { at: 0, text: "0%" },
    { at: 7, text: "-5%" },
  ]);
});

describe("carry of a position", () => {
  const market = { type: "perp", id: "1" } as const;
  const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
  const inQuestion: ReadonlySet<OpenRecord> = new Set();
  const given = { inQuestion, market, mark: { mantissa: 20_000n, places: 0 }, scale, aliases };
  const rate = { mantissa: 1n, places: 4 };

  test.each([
    ["a long pays a positive rate", { side: "long", size: "0.5" }, rate, "-1.0000"],
    ["a short gets it", { side: "sell", size: "0.5" }, rate, "1.0000"],
    ["a negative size is a short", { size: "-0.5" }, rate, "1.0000"],
    [
      "a long gets a negative rate",
      { side: "buy", qty: 0.5 },
      { mantissa: -1n, places: 4 },
      "1.0000",
    ],
    ["lots count by the scale", { side: "long", size_base_lots: "5000" }, rate, "-1.0000"],
  ])("%s", (_, position, of, amount) => {
    const positions = [
      { market_id: 2, side: "long", size: "9" },
      { market_id: 1, ...position },
    ];
    expect(selectCarry({ ...given, positions, rate: of })?.amount).toBe(amount);
  });

  test("sums up the positions of a market in several margin modes", () => {
    const cross = { market_id: 1, side: "long", size: "0.5", margin_mode: "cross" };
    const isolated = (side: string, size: string) => {
      return { market_id: 1, side, size, margin_mode: "isolated" };
    };
    const of = (...positions: object[]) =>
      selectCarry({ ...given, positions: positions as OpenRecord[], rate });
    expect(of(cross, isolated("long", "0.25"))).toEqual({ side: "long", amount: "-1.5000" });
    expect(of(cross, isolated("short", "0.25"))).toEqual({
      side: "long and short",
      amount: "-0.5000",
    });
    expect(of(cross, isolated("?", "0.25"))).toBeUndefined();
    for (const positions of [[cross, isolated("short", "0.25")], [cross]]) {
      const inQuestion = new Set([cross]);
      expect(selectCarry({ ...given, positions, inQuestion, rate })).toBeUndefined();
    }
  });

  test("says nothing where side, size, scale, mark price or the position itself is not known", () => {
    const of = (position: object, more: object = {}) =>
      selectCarry({ ...given, positions: [{ market_id: 1, ...position }], rate, ...more });
    expect(of({ size: "1" })).toBeUndefined();
    expect(of({ side: "long" })).toBeUndefined();
    expect(of({ side: "long", size_base_lots: "5" }, { scale: undefined })).toBeUndefined();
    expect(of({ side: "long", size: "1" }, { mark: undefined })).toBeUndefined();
    expect(of({ market_id: 7, side: "long", size: "1" })).toBeUndefined();
    expect(of({ side: "long", size: "1", mark_price: "10" }, { mark: undefined })?.amount).toBe(
      "-0.0010",
    );
  });
});

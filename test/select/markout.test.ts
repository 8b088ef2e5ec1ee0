// How the price went on after an own fill, beside an oracle that goes through all trades.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type KnownTrades, MARKOUTS, selectMarkouts } from "../../src/select/markout.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";

const START_MS = 1_790_000_000_000;
const ns = (ms: number, more = 0) => `${BigInt(START_MS + ms) * 1_000_000n + BigInt(more)}`;

/** @param ms after the fill */
function trade(ms: number, ticks: number, more = 0): Trade {
  return {
    timestamp_ns: ns(ms, more),
    price_ticks: `${ticks}`,
    size_base_lots: "1",
    taker_is_bid: true,
  };
}

/** Of a fill at 50, where a tick is worth 0.5. */
const markoutsOf = (isBuy: boolean, known: Partial<KnownTrades>) =>
  selectMarkouts(
    { ms: START_MS, price: "50", isBuy },
    {
      trades: [],
      holes: [],
      knownUntilMs: START_MS + 100_000,
      tickSize: { mantissa: 5n, places: 1 },
      ...known,
    },
  );

test("a markout is the last trade at or before its time, to the nanosecond, less the own price, by the own side", () => {
  const trades = [
    trade(-1, 100),
    trade(0, 100),
    trade(900, 101),
    trade(1000, 103),
    trade(1000, 900, 1),
    trade(30_000, 98),
  ];
  expect(markoutsOf(true, { trades })).toEqual(["1.5", "400.0", "-1.0"]);
  expect(markoutsOf(false, { trades })).toEqual(["-1.5", "-400.0", "1.0"]);
});

test("markouts are blank while their time is not over, without a trade, and where trades may be missing", () => {
  const time = fc.oneof(
    fc.constantFrom(0, ...MARKOUTS.map((seconds) => seconds * 1000)),
    fc.integer({ min: -5000, max: 70_000 }),
  );
  const trades = fc.array(
    fc.record({ ms: time, more: fc.nat(2), ticks: fc.integer({ min: 1, max: 999 }) }),
    { maxLength: 20 },
  );
  const cases = fc.record({
    isBuy: fc.boolean(),
    knownMs: time,
    hole: fc.option(fc.tuple(time, time), { nil: [], freq: 2 }),
  });
  fc.assert(
    fc.property(trades, cases, (drawn, { isBuy, knownMs, hole }) => {
      const all = drawn.toSorted((a, b) => a.ms - b.ms || a.more - b.more);
      const [from = Number.NaN, until = Number.NaN] = hole.toSorted((a, b) => a - b);
      const wanted = MARKOUTS.map((seconds) => {
        const untilMs = seconds * 1000;
        const last = all.findLast(
          (each) => each.ms < untilMs || (each.ms === untilMs && !each.more),
        );
        const isHeld = (all[0]?.ms ?? 1) <= 0 && untilMs <= knownMs;
        const isHoled = from <= untilMs && until >= 0;
        if (last === undefined || last.ms <= 0 || !isHeld || isHoled) return undefined;
        return (last.ticks * 0.5 - 50) * (isBuy ? 1 : -1) + 0;
      });
      const found = markoutsOf(isBuy, {
        trades: all.map((each) => trade(each.ms, each.ticks, each.more)),
        holes: hole.length === 0 ? [] : [{ afterNs: ns(from), untilNs: ns(until) }],
        knownUntilMs: START_MS + knownMs,
      });
      expect(found.map((text) => text && Number(text))).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

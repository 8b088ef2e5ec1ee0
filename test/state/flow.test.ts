// Order flow: sums over trades, against the same sums taken one by one.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  coverageOf,
  type KnownFlow,
  selectCvd,
  selectDelta,
  selectPriceBefore,
  selectProfile,
  selectTradedAtRows,
  selectVwap,
  WHOLE_FLOW,
} from "../../src/rows/flow.ts";
import { addTrade, createFlow, MAX_FLOW_CELLS } from "../../src/state/flow.ts";

const START_MS = Date.UTC(2026, 4, 28, 12);
const MINUTE = 60_000;

interface Traded {
  readonly ms: number;
  readonly price: bigint;
  readonly lots: bigint;
  readonly isBought: boolean;
}

const toTrade = ({ ms, price, lots, isBought }: Traded) => ({
  timestamp_ns: `${START_MS + ms}000007`,
  price_ticks: `${price}`,
  size_base_lots: `${lots}`,
  taker_is_bid: isBought,
});

function fold(trades: readonly Traded[]): KnownFlow {
  const flow = createFlow();
  for (const trade of trades) addTrade(flow, toTrade(trade));
  return { flows: [flow], holes: [], sinceMs: START_MS };
}

const traded = fc.record({
  ms: fc.integer({ min: 0, max: 30 * MINUTE }),
  price: fc.oneof(fc.bigInt(9_990n, 10_010n), fc.bigInt(10n ** 20n, 10n ** 20n + 5n)),
  lots: fc.oneof(fc.bigInt(1n, 500n), fc.bigInt(1n, 10n ** 19n)),
  isBought: fc.boolean(),
});
const trades = fc.array(traded, { maxLength: 60 });
const sum = (of: readonly Traded[], is: boolean) =>
  of.reduce((total, { lots, isBought }) => (isBought === is ? total + lots : total), 0n);

test("sums of any span of seconds are those of its trades, of any size and in any order", () => {
  fc.assert(
    fc.property(trades, fc.nat(1800), fc.nat(1800), (all, a, b) => {
      const [from, until] = [Math.min(a, b) * 1000, Math.max(a, b) * 1000];
      const inside = all.filter(({ ms }) => ms >= from && ms < until);
      const span = { fromMs: START_MS + from, untilMs: START_MS + until };
      const [bought, sold] = [sum(inside, true), sum(inside, false)];
      expect(selectDelta(fold(all), span)).toEqual({
        boughtLots: bought,
        soldLots: sold,
        deltaLots: bought - sold,
        trades: inside.length,
      });
    }),
    { seed: 20261127, numRuns: 200 },
  );
});

test("average price and profile are exact over all trades", () => {
  fc.assert(
    fc.property(trades, fc.bigInt(1n, 7n), (all, grouping) => {
      const known = fold(all);
      const lots = sum(all, true) + sum(all, false);
      const value = all.reduce((total, { price, lots: each }) => total + price * each, 0n);
      expect(selectVwap(known)).toEqual(
        lots === 0n ? undefined : { numerator: value, denominator: lots },
      );
      const { levels, pointOfControl } = selectProfile(known, WHOLE_FLOW, grouping);
      const inGroup = (price: bigint) =>
        all.filter((each) => each.price - (each.price % grouping) === price);
      for (const { priceTicks, boughtLots, soldLots } of levels) {
        expect(boughtLots).toBe(sum(inGroup(priceTicks), true));
        expect(soldLots).toBe(sum(inGroup(priceTicks), false));
      }
      const largest = levels.map((level) => level.boughtLots + level.soldLots);
      if (all.length > 0) {
        const most = largest.reduce((x, y) => (x > y ? x : y));
        expect(pointOfControl).toBe(levels[largest.indexOf(most)]?.priceTicks);
      }
    }),
    { seed: 20261127, numRuns: 200 },
  );
});

test("a profile that is asked for again after more trades has them", () => {
  const flow = createFlow();
  const known: KnownFlow = { flows: [flow], holes: [], sinceMs: START_MS };
  const add = (ms: number) =>
    addTrade(flow, toTrade({ ms, price: 100n, lots: 1n, isBought: true }));
  const lots = () => selectProfile(known).levels[0]?.boughtLots;
  for (const ms of [0, MINUTE, 2 * MINUTE]) add(ms);
  expect(lots()).toBe(3n);
  add(2 * MINUTE + 1);
  add(30);
  expect(lots()).toBe(5n);
});

test("rows of bids are rounded down and those of asks up", () => {
  const known = fold([
    { ms: 0, price: 100n, lots: 3n, isBought: true },
    { ms: 0, price: 101n, lots: 5n, isBought: false },
  ]);
  const at = selectTradedAtRows(known, WHOLE_FLOW, 10n);
  expect(at("bid", 100n)).toEqual({ boughtLots: 3n, soldLots: 5n });
  expect(at("ask", 100n)).toEqual({ boughtLots: 3n, soldLots: 0n });
  expect(at("ask", 110n)).toEqual({ boughtLots: 0n, soldLots: 5n });
});

test("the running sum breaks at an open hole and goes on from nought behind it", () => {
  const [ns0, ns1] = [`${START_MS + 70_000}000000`, `${START_MS + 80_000}000000`];
  const all = [0, 130_000, 190_000].map((ms) => ({ ms, price: 5n, lots: 2n, isBought: true }));
  const known = {
    ...fold(all),
    holes: [{ after_ns: ns0, until_ns: ns1, healed: false }],
  };
  const periods = [0, 1, 2, 3].map((i) => ({
    fromMs: START_MS + i * MINUTE,
    untilMs: START_MS + (i + 1) * MINUTE,
  }));
  expect(selectCvd(known, START_MS, periods)).toEqual([2n, undefined, 2n, 4n]);
  // What came before the first period counts, and what came before the anchor does not.
  expect(selectCvd(fold(all), START_MS, periods.slice(3))).toEqual([6n]);
  expect(selectCvd(fold(all), START_MS + 2 * MINUTE, periods)).toEqual([
    ...[undefined, undefined, 2n, 4n],
  ]);
  expect(coverageOf(known, { fromMs: START_MS, untilMs: START_MS + 4 * MINUTE })).toEqual({
    reached: 1,
    openHoles: 1,
    openMs: 10_000,
  });
});

test("the price before a moment is that of the last trade before its second", () => {
  const known = fold([
    { ms: 1000, price: 7n, lots: 1n, isBought: true },
    { ms: 61_000, price: 8n, lots: 1n, isBought: true },
  ]);
  expect(selectPriceBefore(known, START_MS + 61_000)?.priceTicks).toBe("7");
  expect(selectPriceBefore(known, START_MS + 62_000)?.priceTicks).toBe("8");
  expect(selectPriceBefore(known, START_MS)).toBeUndefined();
});

test("more prices than are kept are merged by tens, and no lot is lost", () => {
  const flow = createFlow();
  const minutes = 12;
  for (let i = 0; i < MAX_FLOW_CELLS * 1.2; i++)
    addTrade(
      flow,
      toTrade({ ms: (i % minutes) * MINUTE, price: BigInt(i), lots: 1n, isBought: true }),
    );
  expect(flow.cells).toBeLessThanOrEqual(MAX_FLOW_CELLS);
  const { boughtLots, trades: count } = selectDelta(
    { flows: [flow], holes: [], sinceMs: 0 },
    { fromMs: START_MS, untilMs: START_MS + minutes * MINUTE },
  );
  expect([boughtLots, count]).toEqual([BigInt(MAX_FLOW_CELLS * 1.2), MAX_FLOW_CELLS * 1.2]);
  expect(selectProfile({ flows: [flow], holes: [], sinceMs: 0 }).groupingTicks).toBeGreaterThan(1n);
});

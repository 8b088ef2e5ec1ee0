// Views of the order flow against sums that are made of the trades themselves, in BigInt.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dayAnchor,
  type FlowSpan,
  formatWindowCoverage,
  holeSign,
  minuteAnchor,
  roundVwap,
  selectCvd,
  selectFlowHoles,
  selectPriceBefore,
  selectProfile,
  selectTradeDelta,
  selectTradedAtLevels,
  selectTradeRate,
  selectVwap,
  selectVwapLine,
  selectWindowCoverage,
} from "../../src/select/flow.ts";
import { MAX_FLOW_CELLS, MAX_FLOW_MINUTES } from "../../src/state/flow.ts";
import { MAX_TRADES, TradesState } from "../../src/state/trades.ts";
import { msOfNs } from "../../src/units/time.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import { runs } from "../support/soak.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_795_307_880_000;

const trade = (
  ms: number,
  price: number | bigint,
  size: number | bigint,
  isBought = true,
): Trade => ({
  timestamp_ns: `${BigInt(Math.round((START_MS + ms) * 10)) * 100_000n}`,
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
  taker_is_bid: isBought,
});

function send(tape: TradesState, trades: readonly Trade[], isFirst = false): TradesState {
  const timestamp_ns = trades.at(-1)?.timestamp_ns ?? `${BigInt(START_MS) * 1_000_000n}`;
  const chain = { previous_sequence: null, sequence: null };
  const channel = "trades/perp/1";
  return tape.update({ type: "update", channel, timestamp_ns, ...chain, trades }, isFirst, 0);
}

const tapeOf = (...trades: readonly Trade[]) => send(new TradesState(), trades, true);
const minutes = (from: number, until: number): FlowSpan => ({
  fromMs: START_MS + from * MINUTE_MS,
  untilMs: START_MS + until * MINUTE_MS,
});
const lots = ({ size_base_lots }: Trade) => BigInt(size_base_lots);
const sum = (trades: readonly Trade[], of: (trade: Trade) => bigint) =>
  trades.reduce((all, each) => all + of(each), 0n);
const inSpan = (trades: readonly Trade[], { fromMs, untilMs }: FlowSpan) =>
  trades.filter(({ timestamp_ns }) => {
    const ms = msOfNs(timestamp_ns);
    return ms >= fromMs && ms < untilMs;
  });

const someTrades = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: 40_000 }),
      fc.constantFrom(1n, 3n, 10n, 11n, 12n, 29n, 30n, 1_000n, 2n ** 60n),
      fc.constantFrom(0n, 1n, 2n, 7n, 2n ** 53n),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let ms = 0;
    return steps.map(([wait, price, size, isBought]) => {
      ms += wait;
      return trade(ms, price, size, isBought);
    });
  });

test("delta, VWAP and profile of any minutes are those of their trades", () => {
  const bounds = fc.tuple(fc.nat(20), fc.nat(20), fc.constantFrom(1n, 5n, 10n));
  fc.assert(
    fc.property(someTrades, bounds, (trades, [from, length, grouping]) => {
      // Of the very first moment more may have come than the backlog holds, so it is no part of a sum.
      const { flow } = tapeOf(trade(-MINUTE_MS, 1, 1), ...trades);
      const span = minutes(from, from + length);
      const known = inSpan(trades, span);
      const bought = sum(known, (each) => (each.taker_is_bid ? lots(each) : 0n));
      const all = sum(known, lots);
      const delta = selectTradeDelta(flow, span);
      expect(delta).toEqual({
        boughtLots: bought,
        soldLots: all - bought,
        deltaLots: bought * 2n - all,
        trades: known.length,
      });
      const numerator = sum(known, (each) => BigInt(each.price_ticks) * lots(each));
      expect(selectVwap(flow, span)).toEqual(
        all === 0n ? undefined : { numerator, denominator: all },
      );
      checkProfile(selectProfile(flow, span, grouping), known, grouping);
    }),
    { numRuns: runs(200, 5_000) },
  );
});

function checkProfile(
  { levels, pointOfControl, valueArea }: ReturnType<typeof selectProfile>,
  trades: readonly Trade[],
  grouping: bigint,
): void {
  const groups = new Map<bigint, bigint>();
  for (const each of trades) {
    const price = (BigInt(each.price_ticks) / grouping) * grouping;
    groups.set(price, (groups.get(price) ?? 0n) + lots(each));
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(levels.map((each) => [each.priceTicks, each.boughtLots + each.soldLots])).toEqual(sorted);
  const lotsIn = (from: number, until: number) =>
    sorted.slice(from, until).reduce((all, [, each]) => all + each, 0n);
  const total = lotsIn(0, sorted.length);
  if (total === 0n) {
    expect([pointOfControl, valueArea]).toEqual([undefined, undefined]);
    return;
  }
  const most = sorted.reduce((max, [, each]) => (each > max ? each : max), 0n);
  let from = sorted.findIndex(([, each]) => each === most);
  let until = from + 1;
  expect(pointOfControl).toBe(sorted[from]?.[0]);
  // To seven tenths it grows by the larger neighbour, of equal ones by the lower.
  while (lotsIn(from, until) * 10n < total * 7n) {
    const [below = -1n, above = -1n] = [sorted[from - 1]?.[1], sorted[until]?.[1]];
    if (below >= above) from--;
    else until++;
  }
  expect(valueArea).toEqual({ lowTicks: sorted[from]?.[0], highTicks: sorted[until - 1]?.[0] });
}

test("a shown VWAP has the tick's decimals, halves to the even neighbour", () => {
  const rounded = (halves: bigint, mantissa: bigint, places: number) => {
    const tickSize = { mantissa, places };
    return roundVwap({ numerator: halves, denominator: 2n }, { tickSize, lotSize: tickSize });
  };
  expect(rounded(193n, 1n, 2)).toEqual({ mantissa: 96n, places: 2 });
  expect(rounded(195n, 1n, 2)).toEqual({ mantissa: 98n, places: 2 });
  expect(rounded(195n, 5n, 1)).toEqual({ mantissa: 488n, places: 1 });
});

/** Trades before and behind an open hole, from the second to the fourth minute. */
function tapeWithHole(): TradesState {
  const tape = tapeOf(trade(0, 10, 1), trade(MINUTE_MS, 10, 2));
  send(tape, [trade(3.5 * MINUTE_MS, 20, 5, false), trade(5 * MINUTE_MS, 20, 4)], true);
  return tape;
}

test("a cumulative delta breaks at an open hole, and begins at 0 behind it", () => {
  const periods = [0, 1, 2, 3, 4, 5].map((i) => minutes(i, i + 1));
  expect(selectCvd(tapeWithHole(), START_MS, periods)).toEqual([
    { lots: 1n, isRestart: true },
    { lots: undefined, isRestart: false },
    { lots: undefined, isRestart: false },
    { lots: undefined, isRestart: false },
    { lots: 0n, isRestart: true },
    { lots: 4n, isRestart: false },
  ]);
});

test("a VWAP line ends where an open hole begins", () => {
  const line = selectVwapLine(tapeWithHole(), START_MS, [minutes(0, 1), minutes(1, 2)]);
  expect(line).toEqual([{ numerator: 10n, denominator: 1n }, undefined]);
  const early = selectVwapLine(tapeWithHole(), START_MS - 1, [minutes(0, 1)]);
  expect(early).toEqual([undefined]);
});

test("a window says what it lacks", () => {
  const tape = tapeWithHole();
  expect(selectFlowHoles(tape)).toMatchObject([{ isHealed: false }]);
  const coverage = selectWindowCoverage(tape, minutes(-4, 4));
  expect(coverage).toEqual({ reached: 0.5, healed: 0, open: 1, openMs: 150_000 });
  expect(formatWindowCoverage(coverage)).toBe("1 hole 2m30s, 50% covered");
  expect(holeSign(coverage, false)).toBe("≥");
  expect(holeSign(coverage, true)).toBe("±");
  const whole = selectWindowCoverage(tape, minutes(4, 5));
  expect([formatWindowCoverage(whole), holeSign(whole, true)]).toEqual(["", ""]);
});

test("a first moment that may be cut in two counts when the rest of it is known", () => {
  const tape = tapeOf(trade(0, 10, 1), trade(0, 10, 2), trade(5, 10, 4));
  expect(selectVwap(tape.flow)?.denominator).toBe(4n);
  expect(selectFlowHoles(tape)).toMatchObject([{ isHealed: false, isFirstMoment: true }]);
  expect(formatWindowCoverage(selectWindowCoverage(tape, minutes(0, 1)))).toBe("");
  const ns = trade(0, 1, 1).timestamp_ns;
  tape.fill({ afterNs: ns, untilNs: ns }, [trade(0, 10, 8)]);
  expect(selectVwap(tape.flow)?.denominator).toBe(15n);
  expect(selectFlowHoles(tape)).toEqual([]);
});

test("rows of a ladder count what traded in minutes since a time", () => {
  const tape = tapeOf(trade(0, 10, 1), trade(MINUTE_MS, 10, 2), trade(MINUTE_MS, 11, 3, false));
  send(tape, [trade(MINUTE_MS + 5, 11, 4), trade(2 * MINUTE_MS, 13, 5)]);
  const { fromMs } = minutes(1, 2);
  const levels = selectTradedAtLevels(tape.flow, fromMs, 10n);
  expect([levels.at("ask", 10n), levels.at("ask", 20n)]).toEqual([
    { boughtLots: 2n, soldLots: 0n },
    { boughtLots: 9n, soldLots: 3n },
  ]);
  // What comes to a minute that has passed counts, too.
  send(tape, [trade(MINUTE_MS + 9, 11, 7)]);
  expect(selectTradedAtLevels(tape.flow, fromMs).at("bid", 11n)).toEqual({
    boughtLots: 11n,
    soldLots: 3n,
  });
});

test("what trades in a step that both sides of the spread share stands at one of them, as today's best prices say", () => {
  const cases = fc.record({
    trades: fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 3 * MINUTE_MS }),
        fc.integer({ min: 60, max: 140 }),
        fc.integer({ min: 0, max: 9 }),
        fc.boolean(),
      ),
      { minLength: 2, maxLength: 40 },
    ),
    bid: fc.integer({ min: 80, max: 110 }),
    spread: fc.integer({ min: 1, max: 25 }),
    grouping: fc.constantFrom(1, 2, 5, 10, 20, 50),
  });
  fc.assert(
    fc.property(cases, ({ trades: drawn, bid, spread, grouping }) => {
      const all = drawn.toSorted(([a], [b]) => a - b).map((each) => trade(...each));
      // The first moment of all may be cut in two.
      const tape = tapeOf(trade(-1, 1, 1), ...all);
      const ask = bid + spread;
      const rows = {
        bid: Math.floor(bid / grouping) * grouping,
        ask: Math.ceil(ask / grouping) * grouping,
      };
      const holdersOf = (price: number) => [
        ...(price >= rows.bid && price < rows.bid + grouping ? ["bid"] : []),
        ...(price > rows.ask - grouping && price <= rows.ask ? ["ask"] : []),
      ];
      const takenFrom = (price: number, isBought: boolean) =>
        price <= bid ? "bid" : price >= ask || isBought ? "ask" : "bid";
      const sideOf = ({ price_ticks, taker_is_bid }: Trade) => {
        const holders = holdersOf(Number(price_ticks));
        return holders.length < 2 ? holders[0] : takenFrom(Number(price_ticks), taker_is_bid);
      };
      const step = BigInt(grouping);
      const best = { bid: BigInt(bid), ask: BigInt(ask) };
      const levels = selectTradedAtLevels(tape.flow, START_MS, step);
      const across = levels.across(best);
      for (const side of ["bid", "ask"] as const) {
        const traded = levels.at(side, BigInt(rows[side]));
        const here = all.filter((each) => sideOf(each) === side);
        const bought = here.filter(({ taker_is_bid }) => taker_is_bid);
        const sold = here.filter(({ taker_is_bid }) => !taker_is_bid);
        expect(traded.boughtLots - across[side].boughtLots).toBe(sum(bought, lots));
        expect(traded.soldLots - across[side].soldLots).toBe(sum(sold, lots));
      }
    }),
    { numRuns: runs(300, 5_000) },
  );
});

test("trades a second are of the last ten, against the quarter of an hour before", () => {
  const trades = Array.from({ length: 1000 }, (_, second) => trade(second * 1000, 10, 1));
  const rate = selectTradeRate(tapeOf(...trades), START_MS + 1_000_000);
  expect(rate).toEqual({ perSecond: 1, average: 1 });
  expect(selectTradeRate(tapeOf(...trades), START_MS + 500_000)?.average).toBeUndefined();
});

test("the price before a moment is that of the last second with trades", () => {
  const { flow } = tapeOf(trade(0, 10, 1), trade(1_500, 11, 1), trade(200_000, 12, 1));
  const at = (ms: number) => selectPriceBefore(flow, START_MS + ms)?.priceTicks;
  const prices = [0, 1_000, 2_000, 100_000, 999_999].map(at);
  expect(prices).toEqual([undefined, "10", "11", "11", "12"]);
});

test("anchors are the UTC day and the minute", () => {
  expect(new Date(dayAnchor(START_MS + 5)).toISOString()).toMatch(/T00:00:00.000Z$/);
  expect(minuteAnchor(START_MS + MINUTE_MS - 1)).toBe(START_MS);
});

describe("bounds", () => {
  test("a day of minutes over 100,000 prices is bounded, and every sum but that of prices stays exact", () => {
    const tape = tapeOf(trade(0, 1, 1));
    let expected = 1n;
    let value = 1n;
    for (let minute = 0; minute < MAX_FLOW_MINUTES; minute++) {
      const trades = Array.from({ length: 100 }, (_, i) =>
        trade(minute * MINUTE_MS + i + 1, 1 + ((minute * 70) % 99_900) + i, i + 1, i % 2 === 0),
      );
      expected += sum(trades, lots);
      value += sum(trades, (each) => BigInt(each.price_ticks) * lots(each));
      send(tape, trades);
    }
    const { flow } = tape;
    expect(flow.size).toBeLessThanOrEqual(MAX_FLOW_CELLS);
    expect(selectVwap(flow)).toEqual({ numerator: value, denominator: expected });
    const { groupingTicks, levels } = selectProfile(flow);
    expect(groupingTicks).toBe(10n);
    expect(levels.reduce((all, each) => all + each.boughtLots + each.soldLots, 0n)).toBe(expected);
    expect(flow.minutes.filter(({ seconds }) => seconds !== undefined)).toHaveLength(61);
  });

  test("5,000 trades a second are summed exactly, however seldom somebody looks", () => {
    const tape = tapeOf(trade(-MINUTE_MS, 1, 1));
    const span = minutes(0, 1);
    let expected = 0n;
    for (let second = 0; second < 8; second++) {
      const trades = Array.from({ length: 5000 }, (_, i) =>
        trade(second * 1000 + i / 10, 1 + ((i * 7919) % 900), i % 11, i % 3 > 0),
      );
      expected += sum(trades, lots);
      for (let i = 0; i < trades.length; i += 50) {
        send(tape, trades.slice(i, i + 50));
        // The first seconds leave it at that; then few trades come between two looks.
        if (second > 4 && i % 500 === 0) selectProfile(tape.flow, span, 10n);
      }
      const shown = selectProfile(tape.flow, span, 10n);
      expect(shown).toEqual(selectProfile(tape.flow.copyHeld(), span, 10n));
      const all = shown.levels.reduce((all, each) => all + each.boughtLots + each.soldLots, 0n);
      expect(all).toBe(expected);
    }
    expect(tape.size).toBeLessThanOrEqual(2 * MAX_TRADES);
  });

  test("what the listing has of a hole counts once, however often it is filled", () => {
    const tape = tapeOf(trade(0, 10, 1));
    send(tape, [trade(MINUTE_MS, 10, 1)], true);
    send(tape, [trade(2 * MINUTE_MS, 10, 1)], true);
    const [first, second] = tape.holes;
    // No held trade shows either hole any more.
    const many = Array.from({ length: 3 * MAX_TRADES }, (_, i) => trade(3 * MINUTE_MS + i, 10, 1));
    for (const each of many) send(tape, [each]);
    expect(tape.holes).toEqual([]);
    expect(tape.open.slice(-2).map(({ untilNs }) => untilNs)).toEqual([
      first?.untilNs,
      second?.untilNs,
    ]);
    const total = () => selectVwap(tape.flow)?.denominator ?? 0n;
    const fill = () => first && tape.fill(first, [trade(30_000, 10, 5)]);
    const before = total();
    fill();
    const once = total();
    expect(once).toBeGreaterThanOrEqual(before + 5n);
    fill();
    expect(total()).toBe(once);
  });

  test("minutes beyond a day go, and the sums begin behind them", () => {
    const tape = tapeOf(trade(5_000, 10, 1));
    for (let i = 1; i <= MAX_FLOW_MINUTES + 4; i++) send(tape, [trade(i * MINUTE_MS, 10, 1)]);
    expect(tape.flow.sinceMs).toBe(START_MS + 5 * MINUTE_MS);
    expect(selectVwap(tape.flow)?.denominator).toBe(BigInt(MAX_FLOW_MINUTES));
  });

  test("a clock that jumps ten years ahead and back loses nothing", () => {
    const tape = tapeOf(trade(0, 10, 1));
    send(tape, [trade(315_000_000_000, 10, 2)]);
    send(tape, [trade(1_000, 10, 4)]);
    expect(selectVwap(tape.flow)?.denominator).toBe(7n);
  });

  test("what lies in holes for too long is given up: the sums begin anew behind them", () => {
    const tape = tapeOf(trade(0, 10, 1));
    send(tape, [trade(2 * MINUTE_MS, 10, 1)], true);
    // A clock that has gone back into the hole.
    const late = () => Array.from({ length: 1_000 }, () => trade(MINUTE_MS, 10, 1));
    for (let i = 0; i < 11; i++) send(tape, late());
    expect(tape.flow.sinceMs).toBe(START_MS + 3 * MINUTE_MS);
    expect(selectVwap(tape.flow)).toBeUndefined();
    send(tape, [trade(3 * MINUTE_MS, 10, 6)]);
    expect(selectVwap(tape.flow)?.denominator).toBe(6n);
  });
});

// How the price went on after an own fill, beside an oracle that goes through all trades.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MARKOUTS, selectMarkouts } from "../../src/select/markout.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";

const TICK = { mantissa: 5n, places: 1 };
const START_MS = 1_790_000_000_000;
const ns = (ms: number, more = 0) => `${BigInt(ms) * 1_000_000n + BigInt(more)}`;

function trade(ms: number, ticks: number, more = 0): Trade {
  return {
    timestamp_ns: ns(ms, more),
    price_ticks: `${ticks}`,
    size_base_lots: "1",
    taker_is_bid: true,
  };
}

const known = (trades: readonly Trade[], knownUntilMs = START_MS + 100_000) => ({
  trades,
  holes: [] as { afterNs: string; untilNs: string }[],
  knownUntilMs,
  tickSize: TICK,
});
const fill = (isBuy = true) => ({ ms: START_MS, price: "50", isBuy });

describe("markouts", () => {
  const trades = [
    trade(START_MS - 1, 100),
    trade(START_MS, 100),
    trade(START_MS + 900, 101),
    trade(START_MS + 1000, 103),
    trade(START_MS + 1000, 900, 1),
    trade(START_MS + 30_000, 98),
  ];

  test("are the last trade at or before the time, to the nanosecond, less the own price", () => {
    expect(selectMarkouts(fill(), known(trades))).toEqual(["1.5", "400.0", "-1.0"]);
  });

  test("have the sign of the own side", () => {
    expect(selectMarkouts(fill(false), known(trades))).toEqual(["-1.5", "-400.0", "1.0"]);
  });

  test("are blank while the time is not over", () => {
    expect(selectMarkouts(fill(), known(trades, START_MS + 10_000))).toEqual([
      "1.5",
      "400.0",
      undefined,
    ]);
  });

  test("are blank where no trade came after the fill", () => {
    const quiet = [trades[0], trades[1], trades[5]] as Trade[];
    expect(selectMarkouts(fill(), known(quiet))).toEqual([undefined, undefined, "-1.0"]);
  });

  test("are blank where a hole touches the span", () => {
    const hole = { afterNs: ns(START_MS + 5000), untilNs: ns(START_MS + 6000) };
    const holed = { ...known(trades), holes: [hole] };
    expect(selectMarkouts(fill(), holed)).toEqual(["1.5", undefined, undefined]);
    const before = { afterNs: ns(START_MS - 10), untilNs: ns(START_MS) };
    expect(selectMarkouts(fill(), { ...holed, holes: [before] })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("are blank where the trades of the fill's time are not held", () => {
    expect(selectMarkouts(fill(), known(trades.slice(2)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("are those of an oracle that goes through all trades", () => {
    const some = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 1, max: 999 })),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(some, fc.boolean(), (steps, isBuy) => {
        let ms = START_MS - 2000;
        const tape = [trade(ms, 7)];
        for (const [gap, ticks] of steps) {
          ms += gap;
          tape.push(trade(ms, ticks));
        }
        const found = selectMarkouts(fill(isBuy), known(tape));
        const wanted = MARKOUTS.map((seconds) => {
          const untilMs = START_MS + seconds * 1000;
          const last = tape
            .filter(({ timestamp_ns }) => BigInt(timestamp_ns) <= BigInt(untilMs) * 1_000_000n)
            .at(-1);
          const isLater =
            last !== undefined && BigInt(last.timestamp_ns) >= BigInt(START_MS + 1) * 1_000_000n;
          const change = isLater ? Number(last.price_ticks) * 0.5 - 50 : undefined;
          return isBuy || change === undefined ? change : 0 - change;
        });
        expect(found.map((text) => text && Number(text))).toEqual(wanted);
      }),
    );
  });
});

// The tape: trades, joins and holes.
import { describe, expect, it } from "vitest";
import { knownFlow } from "../../src/rows/known-flow.ts";
import { addEarlier } from "../../src/state/past.ts";
import { dropGaps, healHole, MAX_TRADES } from "../../src/state/tape.ts";
import type { Trade } from "../../src/wire/frames.ts";
import { folding } from "../support/fold.ts";
import { trade } from "../support/frames.ts";

const start = () => folding("trades", "trades/perp/1");
const trades = (...list: readonly Trade[]) => ({ trades: list });
/** Trades at these times, each at its own price. */
const at = (...times: readonly number[]) => trades(...times.map((time) => trade(time, time)));
const times = (list: readonly Trade[]) =>
  list.map(({ timestamp_ns }) => Number(BigInt(timestamp_ns) % 1_000_000n));
const ns = (time: number) => trade(time, 1).timestamp_ns;

describe("a tape", () => {
  it("takes every trade of a subscription, equal ones too", () => {
    const tape = start();
    tape.fold("first", at(1, 2));
    tape.fold("next", trades(trade(3, 3), trade(3, 3)));
    tape.fold("next", trades(trade(3, 3)));
    expect(times(tape.state.trades)).toEqual([1, 2, 3, 3, 3]);
  });

  it("reads the direction of each frame from its times", () => {
    const tape = start();
    tape.fold("first", at(3, 2, 1));
    tape.fold("next", at(4, 5));
    expect(times(tape.state.trades)).toEqual([1, 2, 3, 4, 5]);
  });

  it("reads the direction of a sweep from its prices", () => {
    const tape = start();
    tape.fold("first", trades());
    tape.fold("next", trades(trade(1, 9), trade(1, 8)));
    tape.fold("next", trades(trade(2, 5, 1, false), trade(2, 6, 1, false)));
    expect(tape.state.trades.map(({ price_ticks }) => price_ticks)).toEqual(["8", "9", "6", "5"]);
  });

  it("keeps the order of equal times in the direction that other frames have, also of those before", () => {
    const tape = start();
    tape.fold("first", at(1));
    tape.fold("next", trades(trade(2, 7, 2), trade(2, 7, 1)));
    tape.fold("next", at(4, 3));
    tape.fold("next", trades(trade(5, 7, 4), trade(5, 7, 3)));
    expect(tape.state.trades.map(({ size_base_lots }) => size_base_lots).join("")).toBe("1121134");
  });

  it.each<[string, readonly number[], readonly number[], readonly number[]]>([
    ["ends behind what is held", [1, 2, 3], [2, 3, 4, 5], [1, 2, 3, 4, 5]],
    ["begins before it", [3, 4], [1, 2, 3, 4], [1, 2, 3, 4]],
    ["lies within it", [1, 2, 3, 4], [2, 3], [1, 2, 3, 4]],
    ["covers it", [2, 3], [1, 2, 3, 4], [1, 2, 3, 4]],
  ])("joins a list that %s", (_, held, list, joined) => {
    const tape = start();
    tape.fold("first", at(...held));
    tape.fold("first", at(...list));
    expect(times(tape.state.trades)).toEqual(joined);
    expect(tape.state.holes).toEqual([]);
    expect(tape.state.joins).toHaveLength(1);
    const added = joined.filter((time) => !held.includes(time));
    expect(times(tape.state.added)).toEqual(added);
  });

  it("has a hole where a list does not meet it, and goes on behind it", () => {
    const tape = start();
    tape.fold("first", at(1, 2));
    tape.fold("first", at(7, 8));
    tape.fold("next", at(9));
    expect(times(tape.state.trades)).toEqual([1, 2, 7, 8, 9]);
    expect(tape.state.holes).toEqual([
      { after_ns: ns(2), until_ns: ns(7), cause: "connection", healed: false, at: 2 },
    ]);
  });

  it("has one hole however often nothing comes between", () => {
    const tape = start();
    tape.fold("first", at(1), { sequence: "1" });
    tape.fold("first", at(), { sequence: "2" });
    tape.fold("first", at(), { sequence: "3" });
    tape.fold("next", at(5), { previous: "3", sequence: "5" });
    expect(tape.state.holes).toMatchObject([{ after_ns: ns(1), until_ns: ns(5) }]);
  });

  it("has none where a reconnect finds the same sequence and nothing else", () => {
    const tape = start();
    tape.fold("first", at(1), { sequence: "4" });
    tape.fold("first", at(), { sequence: "4" });
    expect(tape.state.holes).toEqual([]);
  });

  it("has one before its first trade where it was interrupted and nothing is told again", () => {
    const tape = start();
    tape.fold("first", at(), { sequence: "1", timestampNs: ns(10) });
    tape.fold("first", at(), { sequence: "2", timestampNs: ns(20) });
    tape.fold("next", at(30), { previous: "2", sequence: "3" });
    expect(tape.state.holes).toMatchObject([{ after_ns: ns(10), until_ns: ns(30), at: 0 }]);
  });

  it("forgets holes that a longer list covers", () => {
    const tape = start();
    tape.fold("first", at(1, 2));
    tape.fold("first", at(7, 8));
    tape.fold("first", at(1, 2, 4, 7, 8, 9));
    expect(times(tape.state.trades)).toEqual([1, 2, 4, 7, 8, 9]);
    expect(tape.state.holes).toEqual([]);
  });

  it("joins to the oldest segment that a list meets", () => {
    const tape = start();
    tape.fold("first", at(1, 2));
    tape.fold("first", at(7, 8));
    tape.fold("first", at(2, 5, 7, 8));
    expect(times(tape.state.trades)).toEqual([1, 2, 5, 7, 8]);
    expect(tape.state.holes).toEqual([]);
  });

  it("goes on behind a gap, and drops it where numbers turn out to show none", () => {
    const tape = start();
    tape.fold("first", at(1), { sequence: "1" });
    tape.fold("gap", at(5), { previous: "3", sequence: "4" });
    expect(tape.state.holes).toMatchObject([{ cause: "gap", after_ns: ns(1), until_ns: ns(5) }]);
    dropGaps(tape.state);
    expect(tape.state.holes).toEqual([]);
  });

  it("is healed by the listing", () => {
    const tape = start();
    tape.fold("first", at(1, 2));
    tape.fold("first", at(7, 8));
    tape.fold("first", at(12));
    const [first] = tape.state.holes;
    if (first !== undefined) healHole(tape.state, first, [trade(4, 4), trade(5, 5)]);
    expect(times(tape.state.trades)).toEqual([1, 2, 4, 5, 7, 8, 12]);
    expect(tape.state.holes).toMatchObject([
      { healed: true, at: 4 },
      { healed: false, at: 6 },
    ]);
  });

  it("keeps a bounded number of trades, and holes only among them", () => {
    const tape = start();
    tape.fold("first", at(1));
    tape.fold("first", at(5));
    for (let time = 10; time < 10 + 2 * MAX_TRADES; time++) tape.fold("next", at(time));
    expect(tape.state.trades.length).toBeLessThanOrEqual(MAX_TRADES * 1.25);
    expect(tape.state.trades.at(-1)?.timestamp_ns).toBe(ns(9 + 2 * MAX_TRADES));
    expect(tape.state.holes).toEqual([]);
    // Sums over that time lack trades all the same.
    const { holes } = knownFlow(tape.store, "perp/1");
    expect(holes).toMatchObject([{ after_ns: ns(1), until_ns: ns(5), healed: false }]);
  });

  it("has sums of a day, whatever the listing told of the time before", () => {
    const tape = start();
    const day = 86_400;
    const baseMs = 1.8e12;
    const seconds = (...times: number[]) => at(...times.map((time) => time * 1e9));
    tape.fold("first", seconds(2 * day));
    addEarlier(tape.state, seconds(2 * day - 60, day, 10, 5).trades);
    expect(knownFlow(tape.store, "perp/1").sinceMs).toBe(baseMs + 1000 * (day + 60));
    tape.fold("next", seconds(3 * day));
    expect(knownFlow(tape.store, "perp/1").sinceMs).toBe(baseMs + 1000 * (2 * day + 60));
    expect(tape.state.earlier.cells).toBe(2);
  });
});

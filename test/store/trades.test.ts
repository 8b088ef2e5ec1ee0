import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trade, TradesUpdate } from "../../src/protocol/channels/trades.ts";
import { MAX_TRADES, TradesState } from "../../src/store/trades.ts";

const trade = (ns: number, price = 1, size = 1, isBid = true): Trade => ({
  timestamp_ns: String(ns),
  price_ticks: String(price),
  size_base_lots: String(size),
  taker_is_bid: isBid,
});

const frame = (...trades: Trade[]): TradesUpdate => ({
  type: "update",
  channel: "trades/perp/1",
  timestamp_ns: "1",
  previous_sequence: null,
  sequence: null,
  trades,
});

const times = (tape: TradesState) => tape.recent().map((each) => Number(each.timestamp_ns));

describe("tape", () => {
  test("shows the newest trade first", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1), trade(2)), true);
    tape.update(frame(trade(3)), false);
    expect(times(tape)).toEqual([3, 2, 1]);
    expect(tape.total).toBe(3);
  });

  test("finds out by the times in which order a frame lists its trades", () => {
    const tape = new TradesState();
    tape.update(frame(trade(3), trade(2), trade(1)), true);
    tape.update(frame(trade(4, 7), trade(4, 8)), false);
    expect(times(tape)).toEqual([4, 4, 3, 2, 1]);
    expect(tape.recent(2).map(({ price_ticks }) => price_ticks)).toEqual(["7", "8"]);
  });

  test("does not repeat what a new subscription lists again", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1), trade(2), trade(3)), true);
    tape.update(frame(trade(2), trade(3), trade(4)), true);
    expect(times(tape)).toEqual([4, 3, 2, 1]);
    expect(tape.holes).toEqual([]);
  });

  test("counts equal trades of one moment: as many as there were, not fewer and not more", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1), trade(5, 9), trade(5, 9)), true);
    tape.update(frame(trade(1), trade(5, 9), trade(5, 9), trade(5, 9), trade(5, 8)), true);
    expect(tape.recent().map(({ price_ticks }) => price_ticks)).toEqual(["8", "9", "9", "9", "1"]);
  });

  test("keeps equal trades that one subscription tells one after the other", () => {
    const tape = new TradesState();
    tape.update(frame(trade(5, 9)), true);
    tape.update(frame(trade(5, 9)), false);
    expect(tape.total).toBe(2);
  });

  test("does not repeat the past that a subscription tells once more, behind its first update", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1), trade(2), trade(3)), true);
    tape.update(frame(trade(7)), true);
    tape.update(frame(trade(2), trade(3), trade(4), trade(7), trade(8)), false);
    expect(times(tape)).toEqual([8, 7, 3, 2, 1]);
    expect(tape.holes).toEqual([{ afterNs: "3", untilNs: "7" }]);
  });

  test("keeps trades whose time is before that of the newest one, as long as they are new", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1), trade(5)), true);
    tape.update(frame(trade(3), trade(6)), false);
    expect(tape.total).toBe(4);
  });

  test("says where trades may be missing, because a new subscription does not reach back far enough", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1), trade(2)), true);
    tape.update(frame(trade(7), trade(8)), true);
    expect(tape.holes).toEqual([{ afterNs: "2", untilNs: "7" }]);
    expect(times(tape)).toEqual([8, 7, 2, 1]);
  });

  test("says so too when a new subscription starts with nothing", () => {
    const tape = new TradesState();
    tape.update(frame(trade(1)), true);
    tape.update(frame(), true);
    tape.update(frame(trade(9)), false);
    expect(tape.holes).toEqual([{ afterNs: "1", untilNs: "9" }]);
  });

  test("keeps a bounded number of trades, the newest", () => {
    const tape = new TradesState();
    for (let i = 1; i <= MAX_TRADES * 3; i++) tape.update(frame(trade(i)), i === 1);
    expect(tape.size).toBeLessThanOrEqual(MAX_TRADES * 2);
    expect(tape.recent(1)[0]?.timestamp_ns).toBe(String(MAX_TRADES * 3));
    expect(tape.total).toBe(MAX_TRADES * 3);
    const flood = Array.from({ length: MAX_TRADES * 4 }, (_, i) => trade(10 ** 9 + i));
    tape.update(frame(...flood), false);
    expect(tape.size).toBeLessThanOrEqual(MAX_TRADES * 2);
  });

  test("equals the service's ledger after any number of drops, when each backlog reaches back", () => {
    const step = fc.record({
      wait: fc.constantFrom(0, 0, 1, 3),
      price: fc.integer({ min: 1, max: 2 }),
      isDrop: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const tape = new TradesState();
        const ledger: Trade[] = [];
        let ns = 10;
        tape.update(frame(), true);
        for (const { wait, price, isDrop } of steps) {
          ns += wait;
          ledger.push(trade(ns, price));
          if (isDrop) tape.update(frame(...ledger), true);
          else tape.update(frame(trade(ns, price)), false);
        }
        expect(tape.recent()).toEqual([...ledger].reverse());
      }),
    );
  });
});

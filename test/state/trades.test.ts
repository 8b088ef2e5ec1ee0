import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_HOLES, MAX_TRADES, TradesState } from "../../src/state/trades.ts";
import type { Trade, TradesUpdate } from "../../src/wire/channels/trades.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";

const trade = (ns: number, price = 1, size = 1, isBid = true): Trade => ({
  timestamp_ns: String(ns),
  price_ticks: String(price),
  size_base_lots: String(size),
  taker_is_bid: isBid,
});

/** Stamped as its last trade. */
const frame = (...trades: Trade[]): TradesUpdate => ({
  type: "update",
  channel: "trades/perp/1",
  timestamp_ns: trades.at(-1)?.timestamp_ns ?? "0",
  previous_sequence: null,
  sequence: null,
  trades,
});

/** Plain trades of these nanoseconds. */
const at = (...moments: number[]) => frame(...moments.map((ns) => trade(ns)));

/** Trades before 1970 plus a second, told as soon as they are made. */
class Tape extends TradesState {
  tell(came: TradesUpdate, isFirst: boolean): void {
    this.update(came, isFirst, Number(came.timestamp_ns) / 1e6);
  }
}

const note = (tape: Tape, ...types: readonly StreamEvent["type"][]) => {
  for (const type of types) tape.note({ type } as StreamEvent);
};
const spans = (tape: TradesState) => tape.holes.map(({ afterNs, untilNs }) => [afterNs, untilNs]);
const hole = (afterNs: string, untilNs: string) => ({ afterNs, untilNs, cause: "snapshot" });
const times = (tape: TradesState) => tape.recent().map((each) => Number(each.timestamp_ns));

describe("the clock of the service", () => {
  const second = 1e9;
  const start = () => {
    const tape = new TradesState();
    const say = (stampS: number, atS: number, isFirst = false) =>
      tape.update(frame(trade(stampS * second)), isFirst, atS * 1000);
    say(1000, 0, true);
    return { tape, say };
  };

  test("is where its stamps are, once they are back from hours ahead for some seconds", () => {
    const { tape, say } = start();
    for (let at = 1; at < 60; at++) say(1000 + at, at);
    for (let at = 60; at < 63; at++) say(19_000 + at, at);
    expect(tape.serverMs(62_000)).toBe(19_062_000);
    for (let at = 63; at < 67; at++) say(1000 + at, at);
    expect(tape.serverMs(66_000)).toBe(1_066_000);
  });

  test("is not behind because some frames are late", () => {
    const { tape, say } = start();
    for (let at = 1; at < 60; at++) say(at % 7 === 0 ? 1000 + at : 991 + at, at);
    expect(tape.serverMs(60_000)).toBe(1_060_000);
  });
});

describe("tape", () => {
  test("finds out by the times in which order a frame lists its trades", () => {
    const tape = new Tape();
    tape.tell(at(3, 2, 1), true);
    tape.tell(frame(trade(4, 7), trade(4, 8)), false);
    expect(times(tape)).toEqual([4, 4, 3, 2, 1]);
    expect(tape.recent(2).map(({ price_ticks }) => price_ticks)).toEqual(["7", "8"]);
  });

  test("does not repeat what a copy that lags behind tells in its backlog and in the frames after it", () => {
    const tape = new Tape();
    tape.tell(at(1, 2, 3, 4), true);
    tape.tell(at(1, 2), true);
    tape.tell(at(3), false);
    tape.tell(at(4, 5), false);
    tape.tell(at(5), false);
    expect(times(tape)).toEqual([5, 5, 4, 3, 2, 1]);
    expect(tape.holes).toEqual([]);
  });

  test("a backlog of several frames, in whatever order, is laid over the tape as one", () => {
    const parts = (...frames: number[][]) => {
      const tape = new Tape();
      tape.tell(at(3, 4, 5), true);
      for (const [i, moments] of frames.entries()) {
        const place = { isFirst: i === 0, isSnapshot: true, continues: i > 0 };
        tape.update(at(...moments), i === 0, 0, place);
      }
      tape.tell(at(9), false);
      return tape;
    };
    for (const tape of [parts([3, 4], [5, 6], [7, 8]), parts([7, 8], [5, 6], [3, 4])]) {
      expect(times(tape)).toEqual([9, 8, 7, 6, 5, 4, 3]);
      expect(tape.holes).toEqual([]);
      expect(tape.total).toBe(7);
    }
    expect(spans(parts([7, 8], [6]))).toEqual([["5", "6"]]);
  });

  test("the backlog of a later subscription fills what an earlier one had missed", () => {
    const tape = new Tape();
    tape.tell(at(1, 2), true);
    tape.tell(at(7, 8), true);
    expect(spans(tape)).toEqual([["2", "7"]]);
    tape.tell(at(5, 6, 7, 8), true);
    expect(spans(tape)).toEqual([["2", "5"]]);
    expect(tape.holes[0]?.next?.timestamp_ns).toBe("5");
    tape.tell(at(1, 2, 4, 5, 6, 7, 8, 9), true);
    expect(tape.holes).toEqual([]);
    expect(times(tape)).toEqual([9, 8, 7, 6, 5, 4, 2, 1]);
  });

  test("keeps trades whose time is before that of the newest one, as long as they are new", () => {
    const tape = new Tape();
    tape.tell(at(1, 5), true);
    tape.tell(at(3, 6), false);
    expect(tape.total).toBe(4);
  });

  test("knows trades that a frame lists again from a late one on, though one before that has a later time", () => {
    const tape = new Tape();
    tape.tell(at(50, 97), true);
    tape.tell(at(60), false);
    tape.tell(at(98, 110, 120), false);
    tape.tell(at(60, 98, 110, 120, 130), false);
    expect(times(tape).sort((a, b) => a - b)).toEqual([50, 60, 97, 98, 110, 120, 130]);
    expect([tape.total, tape.holes]).toEqual([7, []]);
  });

  test("says where trades may be missing when a new subscription starts with nothing: until it was there, not until the next trade", () => {
    const tape = new Tape();
    tape.tell(at(1), true);
    tape.tell({ ...frame(), timestamp_ns: "6" }, true);
    expect(tape.holes).toEqual([{ ...hole("1", "6"), next: undefined }]);
    tape.tell(at(9), false);
    expect(tape.holes).toEqual([{ ...hole("1", "6"), next: trade(9) }]);
  });

  test("a hole begins with the last sign of life, less what may have been on its way, and not with the last trade", () => {
    const second = 1_000_000_000;
    const tape = new TradesState();
    // The clock of the service is 100 s ahead of ours.
    tape.update(frame(trade(100 * second)), true, 0);
    tape.interrupt(600_000);
    tape.update({ ...frame(), timestamp_ns: `${720 * second}` }, true, 620_000);
    expect(spans(tape)).toEqual([[`${699 * second}`, `${720 * second}`]]);
  });

  test("a backlog with a trade of before the last sign of life, which was not seen, refutes it", () => {
    const second = 1_000_000_000;
    const tape = new TradesState();
    tape.update(frame(trade(100 * second)), true, 0);
    tape.interrupt(600_000);
    tape.update(frame(trade(650 * second)), true, 620_000);
    expect(spans(tape)).toEqual([[`${100 * second}`, `${650 * second}`]]);
  });

  test("a message that nobody could read leaves a hole where nothing numbers the frames", () => {
    const tape = new Tape();
    tape.tell(at(1), true);
    tape.miss();
    tape.tell(at(5), false);
    tape.tell(at(6), false);
    expect(spans(tape)).toEqual([["1", "5"]]);
  });

  test.each([
    ["the connection was lost", "connection", (tape: Tape) => tape.interrupt(undefined)],
    ["an update was missed", "gap", (tape: Tape) => note(tape, "gap", "resync", "subscribing")],
    ["it was fetched anew", "resync", (tape: Tape) => note(tape, "resync", "subscribing")],
    ["the service had let go of it", "lost", (tape: Tape) => note(tape, "lost", "subscribing")],
    ["nobody showed it", "unsubscribed", (tape: Tape) => note(tape, "unsubscribed", "subscribing")],
    ["the service began anew", "snapshot", () => undefined],
  ] as const)("a hole says why, and what came first: %s", (_, cause, happen) => {
    const tape = new Tape();
    tape.tell(at(1), true);
    happen(tape);
    tape.interrupt(undefined);
    if (cause === "snapshot") tape.tell(at(1), true);
    tape.tell(at(5), true);
    expect(tape.holes.map((hole) => hole.cause)).toEqual([cause]);
    tape.tell(at(9), true);
    expect(tape.holes.map((hole) => hole.cause)).toEqual([cause, "snapshot"]);
  });

  test("the parts of one backlog have one cause", () => {
    const tape = new Tape();
    tape.tell(at(1), true);
    note(tape, "lost");
    tape.tell(at(5), true);
    tape.update(at(6), false, 0, { isFirst: false, isSnapshot: true, continues: true });
    expect(tape.holes).toMatchObject([{ afterNs: "1", untilNs: "5", cause: "lost" }]);
  });

  test("keeps a bounded number of holes: the oldest become one", () => {
    const tape = new Tape();
    for (let i = 0; i < MAX_HOLES + 5; i++) tape.tell(frame(trade(i * 10 + 1)), true);
    expect(tape.holes).toHaveLength(MAX_HOLES);
    expect(spans(tape)[0]).toEqual(["1", "51"]);
    expect(tape.holes[0]?.cause).toBe("snapshot");
  });

  test("keeps a bounded number of trades, the newest", () => {
    const tape = new Tape();
    for (let i = 1; i <= MAX_TRADES * 3; i++) tape.tell(frame(trade(i)), i === 1);
    expect(tape.size).toBeLessThanOrEqual(MAX_TRADES * 2);
    expect(tape.recent(1)[0]?.timestamp_ns).toBe(String(MAX_TRADES * 3));
    expect(tape.total).toBe(MAX_TRADES * 3);
    const flood = Array.from({ length: MAX_TRADES * 4 }, (_, i) => trade(10 ** 9 + i));
    tape.tell(frame(...flood), false);
    expect(tape.size).toBeLessThanOrEqual(MAX_TRADES * 2);
  });

  test("equals the service's ledger after any number of drops, when each backlog reaches back: no trade twice, none missing", () => {
    const step = fc.record({
      wait: fc.constantFrom(0, 0, 1, 3),
      price: fc.integer({ min: 1, max: 2 }),
      isDrop: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const tape = new Tape();
        let ns = 10;
        const ledger = [trade(1), trade(ns)];
        tape.tell(frame(...ledger), true);
        for (const { wait, price, isDrop } of steps) {
          ns += wait;
          ledger.push(trade(ns, price));
          if (isDrop) tape.tell(frame(...ledger), true);
          else tape.tell(frame(trade(ns, price)), false);
        }
        expect(tape.recent()).toEqual([...ledger].reverse());
        expect([tape.total, tape.holes]).toEqual([ledger.length, []]);
      }),
    );
  });
});

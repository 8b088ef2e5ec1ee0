// Each kind of fault that concerns frames, as a client on the wire meets it.
import { describe, expect, test } from "vitest";
import { command, type Heard, startFaultRig, unreadable, updatesIn } from "./fault-rig.ts";

const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const BBO = "bbo/perp/1";

interface Told {
  readonly bids: Map<string, string>;
  readonly asks: Map<string, string>;
}

/** The book that the frames tell when they are read as changes. */
function fold(heard: Heard): Told {
  const told: Told = { bids: new Map(), asks: new Map() };
  for (const { orderbook } of updatesIn(heard, BOOK)) {
    for (const side of ["bids", "asks"] as const) {
      for (const { price_ticks, size_base_lots } of orderbook[side]) {
        if (size_base_lots === "0") told[side].delete(price_ticks);
        else told[side].set(price_ticks, size_base_lots);
      }
    }
  }
  return told;
}

const best = (levels: Map<string, string>, sign: 1 | -1) =>
  [...levels.keys()].map(Number).sort((a, b) => sign * (a - b))[0] ?? 0;

describe("delivery", () => {
  test("reorder-frames swaps a frame with the one after it", async () => {
    const rig = await startFaultRig([
      { kind: "reorder-frames", channels: TRADES, probability: 0.2 },
    ]);
    const heard = await rig.connect(TRADES, BOOK);
    await rig.pass(30_000);
    const sequences = updatesIn(heard, TRADES).map(({ sequence }) => Number(sequence));
    const swaps = sequences.filter((sequence, i) => sequence < (sequences[i - 1] ?? 0)).length;
    expect(swaps).toBeGreaterThan(10);
    expect(rig.struck.get("reorder-frames")).toBeGreaterThanOrEqual(swaps);
    const books = updatesIn(heard, BOOK).map(({ sequence }) => Number(sequence));
    expect(books).toEqual([...books].sort((a, b) => a - b));
  });

  test("late-frame repeats the last frame of the subscription before", async () => {
    const rig = await startFaultRig([{ kind: "late-frame", probability: 1 }]);
    const heard = await rig.connect(BOOK);
    await rig.pass(2000);
    const last = updatesIn(heard, BOOK).at(-1);
    command(heard, "unsubscribe", BOOK);
    await rig.settle();
    await rig.pass(1000);
    command(heard, "subscribe", BOOK);
    await rig.settle();
    const [first, late] = updatesIn(heard, BOOK).slice(-2);
    expect(first.previous_sequence).toBeNull();
    expect(late).toEqual(last);
    expect(rig.struck.get("late-frame")).toBe(1);
  });

  test("silence holds updates back and nothing else, while it lasts", async () => {
    const when = { after_ms: 5000, for_ms: 10_000 };
    const rig = await startFaultRig([{ kind: "silence", channels: "bbo/*", when }]);
    const heard = await rig.connect(BBO, BOOK);
    await rig.pass(5000);
    const [before, books] = [updatesIn(heard, BBO).length, updatesIn(heard, BOOK).length];
    heard.socket.ping();
    await rig.pass(9500);
    expect(updatesIn(heard, BBO)).toHaveLength(before);
    expect(updatesIn(heard, BOOK).length).toBeGreaterThan(books);
    expect(heard.pongs).toBe(1);
    await rig.pass(5000);
    expect(updatesIn(heard, BBO).length).toBeGreaterThan(before);
  });

  test("delay-frames within its time never lets a later frame overtake", async () => {
    const when = { after_ms: 1000, for_ms: 3000, every_ms: 6000 };
    const rig = await startFaultRig([{ kind: "delay-frames", delay_ms: 1500, when }]);
    const heard = await rig.connect(BOOK);
    await rig.pass(30_000);
    const frames = updatesIn(heard, BOOK);
    expect(frames.length).toBeGreaterThan(100);
    for (const [i, frame] of frames.slice(1).entries()) {
      expect(frame.previous_sequence).toBe(frames[i].sequence);
    }
    expect(rig.struck.get("delay-frames")).toBe(5);
  });
});

describe("content", () => {
  test.each([
    ["truncate-frame", (heard: Heard) => unreadable(heard)],
    [
      "wrong-type",
      (heard: Heard) =>
        updatesIn(heard, BOOK).filter((frame) => typeof frame.timestamp_ns !== "string").length,
    ],
    [
      "missing-field",
      (heard: Heard) =>
        updatesIn(heard, BOOK).filter((frame) => frame.orderbook === undefined).length,
    ],
    [
      "extra-field",
      (heard: Heard) =>
        updatesIn(heard, BOOK).filter((frame) =>
          Object.keys(frame).some((name) => name.startsWith("x_")),
        ).length,
    ],
  ] as const)("%s spoils some of the updates", async (kind, count) => {
    const rig = await startFaultRig([{ kind, probability: 0.3 }]);
    const heard = await rig.connect(BOOK);
    await rig.pass(20_000);
    expect(count(heard)).toBeGreaterThan(5);
    expect(rig.struck.get(kind)).toBeGreaterThanOrEqual(count(heard));
  });

  test("clock-skew shifts server times and nothing else", async () => {
    const rig = await startFaultRig([{ kind: "clock-skew", skew_ms: -3_600_000 }]);
    const heard = await rig.connect(BBO);
    await rig.pass(5000);
    const aheadMs =
      rig.clock.wall() - Number(BigInt(updatesIn(heard, BBO).at(-1).timestamp_ns) / 1_000_000n);
    expect(aheadMs).toBeGreaterThanOrEqual(3_600_000);
    expect(aheadMs).toBeLessThan(3_605_000);
  });

  test("wrong-version names another version in hello", async () => {
    const rig = await startFaultRig("wrong-version");
    const { texts } = await rig.connect();
    expect(JSON.parse(texts[0] ?? "")).toMatchObject({ type: "hello", protocol_version: 2 });
  });

  test("crossed-book puts a bid above the best ask of matching channels only", async () => {
    const fault = { kind: "crossed-book", probability: 1 };
    const rig = await startFaultRig([
      { ...fault, channels: "orderbook/spot/*" },
      { ...fault, channels: BOOK, when: { after_ms: 2000 } },
    ]);
    const heard = await rig.connect(BOOK);
    await rig.pass(1500);
    expect(rig.struck.size).toBe(0);
    while (!rig.struck.has("crossed-book")) await rig.pass(100);
    const { bids, asks } = fold(heard);
    expect(best(bids, -1)).toBeGreaterThan(best(asks, 1));
  });

  test.each(["delta", "whole"])("false-book takes the best bid out of %s frames", async (book) => {
    const faults = [{ kind: "false-book", probability: 0.2 }];
    const rig = await startFaultRig(faults, { book });
    const heard = await rig.connect(BOOK, BBO);
    let seen = 0;
    for (let i = 0; i < 100; i++) {
      const before = rig.struck.get("false-book") ?? 0;
      await rig.pass(100);
      if (rig.struck.get("false-book") === before) continue;
      const frames = updatesIn(heard, BOOK);
      const told =
        book === "whole" ? fold({ ...heard, texts: [JSON.stringify(frames.at(-1))] }) : fold(heard);
      if (best(told.bids, -1) !== Number(updatesIn(heard, BBO).at(-1).bbo.bid.price_ticks)) seen++;
    }
    expect(seen).toBeGreaterThan(5);
  });
});

// Each kind of fault that concerns frames, as a client on the wire meets it.
import { expect, test } from "vitest";
import { createPattern } from "../../../src/simulator/faults/fault-timing.ts";
import { FoldedBook } from "../folding.ts";
import {
  command,
  gapsIn,
  type Heard,
  openFaulty,
  startFaultRig,
  unreadable,
  updatesIn,
} from "./fault-rig.ts";

const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const BBO = "bbo/perp/1";

test("drop-frame loses frames of matching sequenced channels and no others, never a first one", async () => {
  const faults = [{ kind: "drop-frame", channels: "orderbook/*", probability: 0.1 }];
  const { rig, heard } = await openFaulty(faults, BOOK, TRADES, BBO);
  for (const name of [BOOK, TRADES, BBO]) expect(updatesIn(heard, name)).toHaveLength(1);
  await rig.pass(30_000);
  expect(gapsIn(heard, BOOK)).toBeGreaterThan(20);
  expect(gapsIn(heard, TRADES)).toBe(0);
});

test("the scenario gaps makes gaps that a new subscribe mends", async () => {
  const { rig, heard } = await openFaulty("gaps", BOOK);
  await rig.pass(60_000);
  expect(gapsIn(heard, BOOK)).toBeGreaterThan(1);
  for (const type of ["unsubscribe", "subscribe"]) command(heard, type, BOOK);
  await rig.settle();
  const { bids, asks } = rig.simulator.ledger.book("perp", 1);
  expect(updatesIn(heard, BOOK).at(-1).orderbook).toEqual({ bids, asks });
});

test("duplicate-frame sends matching updates twice, one right after the other", async () => {
  const faults = [{ kind: "duplicate-frame", channels: "trades/*", probability: 1 }];
  const { rig, heard } = await openFaulty(faults, TRADES, BBO);
  await rig.pass(5000);
  const trades = updatesIn(heard, TRADES);
  expect(trades.length).toBeGreaterThan(10);
  for (let i = 0; i < trades.length; i += 2) expect(trades[i + 1]).toEqual(trades[i]);
  const others = updatesIn(heard, BBO).map((frame) => JSON.stringify(frame));
  expect(new Set(others).size).toBe(others.length);
});

test("reorder-frames swaps a frame with the one after it", async () => {
  const faults = [{ kind: "reorder-frames", channels: TRADES, probability: 0.2 }];
  const { rig, heard } = await openFaulty(faults, TRADES, BOOK);
  await rig.pass(30_000);
  const sequences = updatesIn(heard, TRADES).map(({ sequence }) => Number(sequence));
  const swaps = sequences.filter((sequence, i) => sequence < (sequences[i - 1] ?? 0)).length;
  expect(swaps).toBeGreaterThan(10);
  expect(rig.struck.get("reorder-frames")).toBeGreaterThanOrEqual(swaps);
  expect(gapsIn(heard, BOOK)).toBe(0);
});

test("late-frame repeats the last frame of the subscription before", async () => {
  const { rig, heard } = await openFaulty([{ kind: "late-frame", probability: 1 }], BOOK);
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
  const faults = [{ kind: "silence", channels: "bbo/*", when }];
  const { rig, heard } = await openFaulty(faults, BBO, BOOK);
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

test("delay-frames holds matching updates back for a time", async () => {
  const faults = [{ kind: "delay-frames", channels: "orderbook/*", delay_ms: 2500 }];
  const { rig, heard } = await openFaulty(faults, BOOK, BBO);
  await rig.pass(2000);
  expect(updatesIn(heard, BOOK)).toHaveLength(0);
  expect(updatesIn(heard, BBO).length).toBeGreaterThan(10);
  await rig.pass(8000);
  const { timestamp_ns } = updatesIn(heard, BOOK).at(-1);
  const lateMs = rig.clock.wall() - Number(BigInt(timestamp_ns) / 1_000_000n);
  expect(lateMs).toBeGreaterThanOrEqual(2500);
  expect(lateMs).toBeLessThan(3500);
});

test("delay-frames within its time never lets a later frame overtake", async () => {
  const when = { after_ms: 1000, for_ms: 3000, every_ms: 6000 };
  const { rig, heard } = await openFaulty([{ kind: "delay-frames", delay_ms: 1500, when }], BOOK);
  await rig.pass(30_000);
  expect(updatesIn(heard, BOOK).length).toBeGreaterThan(100);
  expect(gapsIn(heard, BOOK)).toBe(0);
  expect(rig.struck.get("delay-frames")).toBe(5);
});

// biome-ignore lint/suspicious/noExplicitAny: what a frame holds is what the tests find out
const countIn = (heard: Heard, isSpoiled: (frame: any) => boolean) =>
  updatesIn(heard, BOOK).filter(isSpoiled).length;

test.each([
  ["truncate-frame", unreadable],
  ["wrong-type", (heard: Heard) => countIn(heard, (f) => typeof f.timestamp_ns !== "string")],
  ["missing-field", (heard: Heard) => countIn(heard, (f) => f.orderbook === undefined)],
  ["extra-field", (heard: Heard) => countIn(heard, (f) => /"x_/.test(JSON.stringify(f)))],
] as const)("%s spoils some of the updates", async (kind, count) => {
  const { rig, heard } = await openFaulty([{ kind, probability: 0.3 }], BOOK);
  await rig.pass(20_000);
  expect(count(heard)).toBeGreaterThan(5);
  expect(rig.struck.get(kind)).toBeGreaterThanOrEqual(count(heard));
});

test("clock-skew shifts server times and nothing else", async () => {
  const { rig, heard } = await openFaulty([{ kind: "clock-skew", skew_ms: -3_600_000 }], BBO);
  await rig.pass(5000);
  const ns = BigInt(updatesIn(heard, BBO).at(-1).timestamp_ns);
  const aheadMs = rig.clock.wall() - Number(ns / 1_000_000n);
  expect(aheadMs).toBeGreaterThanOrEqual(3_600_000);
  expect(aheadMs).toBeLessThan(3_605_000);
});

test("wrong-version names another version in hello", async () => {
  const { heard } = await openFaulty("wrong-version");
  expect(JSON.parse(heard.texts[0] ?? "")).toMatchObject({ type: "hello", protocol_version: 2 });
});

test("crossed-book puts a bid above the best ask of matching channels only", async () => {
  const fault = { kind: "crossed-book", probability: 1 };
  const faults = [
    { ...fault, channels: "orderbook/spot/*" },
    { ...fault, channels: BOOK, when: { after_ms: 2000 } },
  ];
  const { rig, heard } = await openFaulty(faults, BOOK);
  await rig.pass(1500);
  expect(rig.struck.size).toBe(0);
  while (!rig.struck.has("crossed-book")) await rig.pass(100);
  const book = new FoldedBook();
  for (const { orderbook } of updatesIn(heard, BOOK)) book.fold(orderbook);
  expect(book.isCrossed()).toBe(true);
});

test.each(["delta", "whole"])("false-book takes the best bid out of %s frames", async (book) => {
  const rig = await startFaultRig([{ kind: "false-book", probability: 0.2 }], { book });
  const heard = await rig.connect(BOOK, BBO);
  let seen = 0;
  for (let i = 0; i < 40; i++) {
    const before = rig.struck.get("false-book") ?? 0;
    await rig.pass(100);
    if (rig.struck.get("false-book") === before) continue;
    const shown = new FoldedBook();
    const frames = updatesIn(heard, BOOK);
    for (const { orderbook } of book === "whole" ? frames.slice(-1) : frames) shown.fold(orderbook);
    const best = shown.whole().bids[0]?.price_ticks;
    if (best !== updatesIn(heard, BBO).at(-1).bbo.bid.price_ticks) seen++;
  }
  expect(seen).toBeGreaterThan(5);
});

test("in a pattern only the star is special", () => {
  expect(createPattern("orderbook/*")("orderbook/perp/1")).toBe(true);
  expect(createPattern("orderbook/*")("my-orderbook/perp/1")).toBe(false);
  expect(createPattern("*")("anything")).toBe(true);
  expect(createPattern("a.c+")("abcc")).toBe(false);
  expect(createPattern("a.c+")("a.c+")).toBe(true);
});

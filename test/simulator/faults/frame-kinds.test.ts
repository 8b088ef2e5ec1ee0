// Each kind of fault that concerns frames, as a client on the wire meets it.
import { expect, test } from "vitest";
import { createPattern } from "../../../src/simulator/faults/fault.ts";
import { FoldedBook } from "../folding.ts";
import type { Client } from "../rig.ts";
import { openFaulty, startFaultRig } from "./fault-rig.ts";

const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const BBO = "bbo/perp/1";

test("drop-frame loses frames of matching sequenced channels and no others, never a first one", async () => {
  const faults = [{ kind: "drop-frame", channels: "orderbook/*", probability: 0.1 }];
  const { rig, client } = await openFaulty(faults, BOOK, TRADES, BBO);
  for (const name of [BOOK, TRADES, BBO]) expect(client.updates(name)).toHaveLength(1);
  await rig.pass(30_000);
  expect(client.gaps(BOOK)).toBeGreaterThan(20);
  expect(client.gaps(TRADES)).toBe(0);
});

test("the scenario gaps makes gaps that a new subscribe mends", async () => {
  const { rig, client } = await openFaulty("gaps", BOOK);
  await rig.pass(60_000);
  expect(client.gaps(BOOK)).toBeGreaterThan(1);
  for (const type of ["unsubscribe", "subscribe"]) client.command(type, BOOK);
  await rig.settle();
  const { bids, asks } = rig.simulator.ledger.book("perp", 1);
  expect(client.updates(BOOK).at(-1).orderbook).toEqual({ bids, asks });
});

test("duplicate-frame sends matching updates twice, one right after the other", async () => {
  const faults = [{ kind: "duplicate-frame", channels: "trades/*", probability: 1 }];
  const { rig, client } = await openFaulty(faults, TRADES, BBO);
  await rig.pass(5000);
  const trades = client.updates(TRADES);
  expect(trades.length).toBeGreaterThan(10);
  for (let i = 0; i < trades.length; i += 2) expect(trades[i + 1]).toEqual(trades[i]);
  const others = client.updates(BBO).map((frame) => JSON.stringify(frame));
  expect(new Set(others).size).toBe(others.length);
});

test("reorder-frames swaps a frame with the one after it", async () => {
  const faults = [{ kind: "reorder-frames", channels: TRADES, probability: 0.2 }];
  const { rig, client } = await openFaulty(faults, TRADES, BOOK);
  await rig.pass(30_000);
  const sequences = client.updates(TRADES).map(({ sequence }) => Number(sequence));
  const swaps = sequences.filter((sequence, i) => sequence < (sequences[i - 1] ?? 0)).length;
  expect(swaps).toBeGreaterThan(10);
  expect(rig.struck.get("reorder-frames")).toBeGreaterThanOrEqual(swaps);
  expect(client.gaps(BOOK)).toBe(0);
});

test("late-frame repeats the last frame of the subscription before", async () => {
  const { rig, client } = await openFaulty([{ kind: "late-frame", probability: 1 }], BOOK);
  await rig.pass(2000);
  const last = client.updates(BOOK).at(-1);
  client.command("unsubscribe", BOOK);
  await rig.settle();
  await rig.pass(1000);
  client.command("subscribe", BOOK);
  await rig.settle();
  const [first, late] = client.updates(BOOK).slice(-2);
  expect(first.previous_sequence).toBeNull();
  expect(late).toEqual(last);
  expect(rig.struck.get("late-frame")).toBe(1);
});

test("silence holds updates back and nothing else, while it lasts", async () => {
  const when = { after_ms: 5000, for_ms: 10_000 };
  const faults = [{ kind: "silence", channels: "bbo/*", when }];
  const { rig, client } = await openFaulty(faults, BBO, BOOK);
  await rig.pass(5000);
  const [before, books] = [client.updates(BBO).length, client.updates(BOOK).length];
  client.socket.ping();
  await rig.pass(9500);
  expect(client.updates(BBO)).toHaveLength(before);
  expect(client.updates(BOOK).length).toBeGreaterThan(books);
  expect(client.pongs).toBe(1);
  await rig.pass(5000);
  expect(client.updates(BBO).length).toBeGreaterThan(before);
});

test("delay-frames holds matching updates back for a time", async () => {
  const faults = [{ kind: "delay-frames", channels: "orderbook/*", delay_ms: 2500 }];
  const { rig, client } = await openFaulty(faults, BOOK, BBO);
  await rig.pass(2000);
  expect(client.updates(BOOK)).toHaveLength(0);
  expect(client.updates(BBO).length).toBeGreaterThan(10);
  await rig.pass(8000);
  const { timestamp_ns } = client.updates(BOOK).at(-1);
  const lateMs = rig.clock.wall() - Number(BigInt(timestamp_ns) / 1_000_000n);
  expect(lateMs).toBeGreaterThanOrEqual(2500);
  expect(lateMs).toBeLessThan(3500);
});

test("delay-frames within its time never lets a later frame overtake", async () => {
  const when = { after_ms: 1000, for_ms: 3000, every_ms: 6000 };
  const { rig, client } = await openFaulty([{ kind: "delay-frames", delay_ms: 1500, when }], BOOK);
  await rig.pass(30_000);
  expect(client.updates(BOOK).length).toBeGreaterThan(100);
  expect(client.gaps(BOOK)).toBe(0);
  expect(rig.struck.get("delay-frames")).toBe(5);
});

// biome-ignore lint/suspicious/noExplicitAny: what a frame holds is what the tests find out
const countIn = (client: Client, isSpoiled: (frame: any) => boolean) =>
  client.updates(BOOK).filter(isSpoiled).length;

test.each([
  ["truncate-frame", (client: Client) => client.unreadable],
  ["wrong-type", (client: Client) => countIn(client, (f) => typeof f.timestamp_ns !== "string")],
  ["missing-field", (client: Client) => countIn(client, (f) => f.orderbook === undefined)],
  ["extra-field", (client: Client) => countIn(client, (f) => /"x_/.test(JSON.stringify(f)))],
] as const)("%s spoils some of the updates", async (kind, count) => {
  const { rig, client } = await openFaulty([{ kind, probability: 0.3 }], BOOK);
  await rig.pass(20_000);
  expect(count(client)).toBeGreaterThan(5);
  expect(rig.struck.get(kind)).toBeGreaterThanOrEqual(count(client));
});

test("clock-skew shifts server times and nothing else", async () => {
  const { rig, client } = await openFaulty([{ kind: "clock-skew", skew_ms: -3_600_000 }], BBO);
  await rig.pass(5000);
  const ns = BigInt(client.updates(BBO).at(-1).timestamp_ns);
  const aheadMs = rig.clock.wall() - Number(ns / 1_000_000n);
  expect(aheadMs).toBeGreaterThanOrEqual(3_600_000);
  expect(aheadMs).toBeLessThan(3_605_000);
});

test("wrong-version names another version in hello", async () => {
  const { client } = await openFaulty("wrong-version");
  expect(JSON.parse(client.texts[0] ?? "")).toMatchObject({ type: "hello", protocol_version: 2 });
});

test("crossed-book puts a bid above the best ask of matching channels only", async () => {
  const fault = { kind: "crossed-book", probability: 1 };
  const faults = [
    { ...fault, channels: "orderbook/spot/*" },
    { ...fault, channels: BOOK, when: { after_ms: 2000 } },
  ];
  const { rig, client } = await openFaulty(faults, BOOK);
  await rig.pass(1500);
  expect(rig.struck.size).toBe(0);
  while (!rig.struck.has("crossed-book")) await rig.pass(100);
  const book = new FoldedBook();
  for (const { orderbook } of client.updates(BOOK)) book.fold(orderbook);
  expect(book.isCrossed()).toBe(true);
});

test.each(["delta", "whole"])("false-book takes the best bid out of %s frames", async (book) => {
  const rig = await startFaultRig([{ kind: "false-book", probability: 0.2 }], { book });
  const client = await rig.connect(BOOK, BBO);
  let seen = 0;
  for (let i = 0; i < 40; i++) {
    const before = rig.struck.get("false-book") ?? 0;
    await rig.pass(100);
    if (rig.struck.get("false-book") === before) continue;
    const shown = new FoldedBook();
    const frames = client.updates(BOOK);
    for (const { orderbook } of book === "whole" ? frames.slice(-1) : frames) shown.fold(orderbook);
    const best = shown.whole().bids[0]?.price_ticks;
    if (best !== client.updates(BBO).at(-1).bbo.bid.price_ticks) seen++;
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

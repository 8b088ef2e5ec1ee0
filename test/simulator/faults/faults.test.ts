import { request } from "undici";
import { describe, expect, test } from "vitest";
import { createPattern } from "../../../src/simulator/faults/fault-timing.ts";
import { type Client, startRig } from "../rig.ts";

/** Frames of a chained channel whose previous_sequence is not the sequence of the one before. */
function gapsOf(client: Client, channel: string): number {
  const frames = client.updates(channel);
  return frames.slice(1).filter((frame, i) => frame.previous_sequence !== frames[i].sequence)
    .length;
}

describe("drop-frame", () => {
  test("loses frames of matching chained channels and no others, never a first one", async () => {
    const faults = [{ kind: "drop-frame", channels: "orderbook/*", probability: 0.1 }];
    const rig = await startRig({ seed: 2, scenario: { faults } });
    const client = await rig.connect();
    const names = ["orderbook/perp/1", "trades/perp/1", "bbo/perp/1"];
    await client.subscribe(...names);
    for (const name of names) expect(client.updates(name)).toHaveLength(1);
    await rig.pass(30_000);
    expect(gapsOf(client, "orderbook/perp/1")).toBeGreaterThan(20);
    expect(gapsOf(client, "trades/perp/1")).toBe(0);
  });

  test("the scenario gaps makes gaps that a new subscribe mends", async () => {
    const rig = await startRig({ seed: 2, scenario: "gaps" });
    const client = await rig.connect();
    await client.subscribe("orderbook/perp/1");
    await rig.pass(60_000);
    expect(gapsOf(client, "orderbook/perp/1")).toBeGreaterThan(1);
    await client.say({ type: "unsubscribe", channel: "orderbook/perp/1" });
    await client.subscribe("orderbook/perp/1");
    const { bids, asks } = rig.simulator.ledger.book("perp", 1);
    expect(client.updates("orderbook/perp/1").at(-1).orderbook).toEqual({ bids, asks });
  });

  test("which frames are lost depends on the seed alone", async () => {
    const run = async (seed: number) => {
      const rig = await startRig({ seed, scenario: "gaps" });
      const client = await rig.connect();
      await client.subscribe("orderbook/perp/1", "trades/perp/1");
      await rig.pass(20_000);
      return client.frames.map(({ text }) => text);
    };
    const first = await run(5);
    expect(await run(5)).toEqual(first);
    expect(await run(6)).not.toEqual(first);
  });
});

describe("duplicate-frame", () => {
  test("sends matching updates twice, one right after the other", async () => {
    const faults = [{ kind: "duplicate-frame", channels: "trades/*", probability: 1 }];
    const rig = await startRig({ seed: 2, scenario: { faults } });
    const client = await rig.connect();
    await client.subscribe("trades/perp/1", "bbo/perp/1");
    await rig.pass(5000);
    const trades = client.updates("trades/perp/1");
    expect(trades.length).toBeGreaterThan(10);
    for (let i = 0; i < trades.length; i += 2) expect(trades[i + 1]).toEqual(trades[i]);
    const stamps = client.updates("bbo/perp/1").map((frame) => JSON.stringify(frame));
    expect(new Set(stamps).size).toBe(stamps.length);
  });
});

describe("delay-frames", () => {
  test("holds matching updates back for a time and keeps their order", async () => {
    const faults = [{ kind: "delay-frames", channels: "orderbook/*", delay_ms: 2500 }];
    const rig = await startRig({ seed: 2, scenario: { faults } });
    const client = await rig.connect();
    await client.subscribe("orderbook/perp/1", "bbo/perp/1");
    await rig.pass(2000);
    expect(client.updates("orderbook/perp/1")).toHaveLength(0);
    expect(client.updates("bbo/perp/1").length).toBeGreaterThan(10);
    await rig.pass(8000);
    expect(client.updates("orderbook/perp/1").length).toBeGreaterThan(50);
    expect(gapsOf(client, "orderbook/perp/1")).toBe(0);
    const { timestamp_ns } = client.updates("orderbook/perp/1").at(-1);
    const lateMs = rig.clock.wall() - Number(BigInt(timestamp_ns) / 1_000_000n);
    expect(lateMs).toBeGreaterThanOrEqual(2500);
    expect(lateMs).toBeLessThan(3500);
  });
});

describe("drops", () => {
  test("connections end with a close code and without a word, and a new one is as good as the first", async () => {
    const rig = await startRig({ seed: 1, scenario: "drops" });
    const codes: number[] = [];
    for (let i = 0; i < 12; i++) {
      const client = await rig.connect();
      const closed = new Promise<number>((resolve) => client.socket.once("close", resolve));
      await client.subscribe("bbo/perp/1");
      expect(client.updates("bbo/perp/1")).toHaveLength(1);
      while (client.isOpen) await rig.pass(1000);
      codes.push(await closed);
    }
    expect(new Set(codes)).toEqual(new Set([1001, 1006]));
  });
});

describe("unavailable", () => {
  test("a stream that is switched off answers 503 to every subscribe", async () => {
    const rig = await startRig({ scenario: "unavailable" });
    const client = await rig.connect();
    for (let i = 0; i < 3; i++) {
      const [answer] = await client.say({ type: "subscribe", channel: "mark-candles/1/1m" });
      expect(answer?.value).toMatchObject({
        type: "error",
        code: 503,
        channel: "mark-candles/1/1m",
      });
      await rig.pass(30_000);
    }
  });

  test("a stream that is away at first answers 503, and is there afterwards", async () => {
    const rig = await startRig({ scenario: "unavailable" });
    const client = await rig.connect();
    const command = { type: "subscribe", channel: "orderbook/perp/1" };
    const [early] = await client.say(command);
    expect(early?.value).toMatchObject({ code: 503 });
    await rig.pass(8000);
    const [late] = await client.say(command);
    expect(late?.value).toMatchObject({ type: "update", channel: "orderbook/perp/1" });
  });

  test("a subscribed stream ends with 503 in mid-stream, and again in each period", async () => {
    const rig = await startRig({ scenario: "unavailable" });
    const client = await rig.connect();
    const channel = "trades/perp/1";
    const errors = () =>
      client.frames.filter(({ value }) => value.type === "error" && value.channel === channel)
        .length;
    await client.subscribe(channel);
    await rig.pass(19_000);
    expect(errors()).toBe(0);
    await rig.pass(2000);
    expect(errors()).toBe(1);
    const count = client.updates(channel).length;
    await rig.pass(3000);
    expect(client.updates(channel)).toHaveLength(count);
    await rig.pass(4000);
    await client.subscribe(channel);
    expect(client.updates(channel).at(-1).previous_sequence).toBeNull();
    await rig.pass(60_000);
    expect(errors()).toBe(2);
  });
});

describe("rest-error", () => {
  test("matching requests are refused with the status and Retry-After that were asked for", async () => {
    const faults = [
      {
        kind: "rest-error",
        paths: "*/liquidations",
        probability: 1,
        status: 429,
        retry_after_s: 3,
      },
    ];
    const rig = await startRig({ scenario: { faults } });
    const { base_url } = rig.simulator.announcement;
    const refused = await request(`${base_url}/markets/1/liquidations`);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBe("3");
    await refused.body.dump();
    const fine = await request(`${base_url}/markets/1/trades`);
    expect(fine.statusCode).toBe(200);
    await fine.body.dump();
  });
});

test("in a pattern only the star is special", () => {
  expect(createPattern("orderbook/*")("orderbook/perp/1")).toBe(true);
  expect(createPattern("orderbook/*")("my-orderbook/perp/1")).toBe(false);
  expect(createPattern("*")("anything")).toBe(true);
  expect(createPattern("a.c+")("abcc")).toBe(false);
  expect(createPattern("a.c+")("a.c+")).toBe(true);
});

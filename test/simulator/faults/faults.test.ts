// Each of the twelve faults, as a client on the wire meets it.
import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { loadScenario } from "../../../src/simulator/scenarios/scenario.ts";
import { settleLoopback, watchLoopback } from "../../support/loopback.ts";
import { FoldedBook } from "../folding.ts";
import { Client, startRig } from "../rig.ts";

const STEP_MS = 100;
const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const BBO = "bbo/perp/1";

async function startFaulty(...faults: readonly object[]) {
  watchLoopback();
  const { simulator, clock } = await startRig({ seed: 3, scenario: { faults } });
  return {
    simulator,
    clock,
    /** Lets time pass; what happened then has arrived. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(STEP_MS, left));
        await settleLoopback();
      }
    },
    /** Opens a client, subscribes, and waits for what comes at once. */
    async connect(...channels: string[]): Promise<Client> {
      const socket = new WebSocket(simulator.announcement.ws_url, { perMessageDeflate: false });
      onTestFinished(() => socket.terminate());
      const client = new Client(socket);
      await settleLoopback();
      for (const channel of channels) client.command("subscribe", channel);
      await settleLoopback();
      return client;
    },
    async command(client: Client, type: string, channel: string): Promise<void> {
      client.command(type, channel);
      await settleLoopback();
    },
  };
}

describe("frames", () => {
  test("gap loses numbered frames of matching channels, never a first one; a new subscribe mends it", async () => {
    const rig = await startFaulty({ kind: "gap", channels: "orderbook/*", probability: 0.1 });
    const client = await rig.connect(BOOK, TRADES, BBO);
    for (const name of [BOOK, TRADES, BBO]) expect(client.updates(name)).toHaveLength(1);
    await rig.pass(30_000);
    expect(client.gaps(BOOK)).toBeGreaterThan(20);
    expect(client.gaps(TRADES)).toBe(0);
    for (const type of ["unsubscribe", "subscribe"]) await rig.command(client, type, BOOK);
    const { bids, asks } = rig.simulator.ledger.book("perp", 1);
    expect(client.updates(BOOK).at(-1).orderbook).toEqual({ bids, asks });
  });

  test("duplicate sends matching updates twice, one right after the other", async () => {
    const rig = await startFaulty({ kind: "duplicate", channels: "trades/*" });
    const client = await rig.connect(TRADES, BBO);
    await rig.pass(5000);
    const trades = client.updates(TRADES);
    expect(trades.length).toBeGreaterThan(10);
    for (let i = 0; i < trades.length; i += 2) expect(trades[i + 1]).toEqual(trades[i]);
    const others = client.updates(BBO).map((frame) => JSON.stringify(frame));
    expect(new Set(others).size).toBe(others.length);
  });

  test("bad-frame cuts off some of the updates", async () => {
    const rig = await startFaulty({ kind: "bad-frame", probability: 0.3 });
    const client = await rig.connect(BOOK);
    await rig.pass(5000);
    expect(client.unreadable).toBeGreaterThan(5);
    expect(client.updates(BOOK).length).toBeGreaterThan(5);
  });

  test("crossed-book puts a bid above the best ask, within its times", async () => {
    const rig = await startFaulty({ kind: "crossed-book", after_ms: 3000 });
    const client = await rig.connect(BOOK, BBO);
    const isCrossed = () => {
      const book = new FoldedBook();
      for (const { orderbook } of client.updates(BOOK)) book.fold(orderbook);
      return book.isCrossed();
    };
    await rig.pass(2900);
    expect(isCrossed()).toBe(false);
    await rig.pass(3000);
    expect(isCrossed()).toBe(true);
  });

  test("late-first-frame holds back what a subscription brings, and then all of it comes in order", async () => {
    const rig = await startFaulty({ kind: "late-first-frame", channels: BOOK, delay_ms: 2000 });
    const client = await rig.connect(BOOK, BBO);
    await rig.pass(1900);
    expect(client.updates(BOOK)).toEqual([]);
    expect(client.updates(BBO).length).toBeGreaterThan(10);
    await rig.pass(2000);
    expect(client.updates(BOOK)[0].previous_sequence).toBeNull();
    expect(client.updates(BOOK).length).toBeGreaterThan(20);
    expect(client.gaps(BOOK)).toBe(0);
  });

  test("slow brings everything late and in order, while it lasts", async () => {
    const times = { after_ms: 1000, for_ms: 3000, every_ms: 6000 };
    const rig = await startFaulty({ kind: "slow", delay_ms: 1500, ...times });
    const client = await rig.connect(BOOK);
    const lateMs = () => {
      const { timestamp_ns } = client.updates(BOOK).at(-1);
      return rig.clock.wall() - Number(BigInt(timestamp_ns) / 1_000_000n);
    };
    await rig.pass(900);
    expect(lateMs()).toBeLessThan(500);
    await rig.pass(2500);
    expect(lateMs()).toBeGreaterThanOrEqual(1500);
    await rig.pass(2500);
    expect(lateMs()).toBeLessThan(500);
    await rig.pass(20_000);
    expect(client.gaps(BOOK)).toBe(0);
  });
});

describe("subscriptions", () => {
  test("unavailable: a stream that is away answers 503, ends in mid-stream, and is there in between", async () => {
    const times = { after_ms: 2000, for_ms: 3000, every_ms: 10_000 };
    const rig = await startFaulty({ kind: "unavailable", channels: "trades/*", ...times });
    const client = await rig.connect(TRADES, BOOK);
    const errors = () => client.frames.filter(({ value }) => value.code === 503).length;
    await rig.pass(2500);
    expect(errors()).toBe(1);
    const count = client.updates(TRADES).length;
    await rig.command(client, "subscribe", TRADES);
    expect(errors()).toBe(2);
    await rig.pass(3000);
    expect(client.updates(TRADES)).toHaveLength(count);
    await rig.command(client, "subscribe", TRADES);
    expect(client.updates(TRADES).at(-1).previous_sequence).toBeNull();
    await rig.pass(8000);
    expect(errors()).toBe(3);
    expect(client.gaps(BOOK)).toBe(0);
  });

  test("unsubscribed: a subscription ends with a frame that nobody asked for", async () => {
    const rig = await startFaulty({ kind: "unsubscribed", channels: "bbo/*", after_ms: 2000 });
    const client = await rig.connect(BBO, BOOK);
    await rig.pass(2500);
    const ends = client.frames.filter(({ value }) => value.type === "unsubscribed");
    expect(ends.map(({ value }) => value.channel)).toEqual([BBO]);
    const [quotes, books] = [client.updates(BBO).length, client.updates(BOOK).length];
    await rig.pass(2000);
    expect(client.updates(BBO)).toHaveLength(quotes);
    expect(client.updates(BOOK).length).toBeGreaterThan(books);
    await rig.command(client, "subscribe", BBO);
    expect(client.updates(BBO)).toHaveLength(quotes + 1);
  });
});

describe("connections", () => {
  test("lost-connection cuts them, and a new one is as good as the first", async () => {
    const rig = await startFaulty({ kind: "lost-connection", after_ms: 1000, every_ms: 5000 });
    const client = await rig.connect(BBO);
    await rig.pass(1100);
    expect(client.closeCode).toBe(1006);
    const second = await rig.connect(BBO);
    await rig.pass(4800);
    expect(second.closeCode).toBeUndefined();
    expect(second.updates(BBO).length).toBeGreaterThan(10);
    await rig.pass(200);
    expect(second.closeCode).toBe(1006);
  });

  test("refused answers an upgrade with 503", async () => {
    const rig = await startFaulty({ kind: "refused", retry_after_s: 7, for_ms: 1000 });
    expect((await rig.connect()).refused).toEqual([503, "7"]);
    await rig.pass(1000);
    expect((await rig.connect()).texts).toHaveLength(1);
  });
});

test("rest-429 and rest-500 refuse requests of matching paths", async () => {
  const { simulator } = await startFaulty(
    { kind: "rest-429", paths: "*/trades", retry_after_s: 2 },
    { kind: "rest-500", paths: "*/2/liquidations" },
  );
  const ask = async (path: string) => {
    const answer = await request(`${simulator.announcement.base_url}${path}`);
    await answer.body.dump();
    return [answer.statusCode, answer.headers["retry-after"]];
  };
  expect(await ask("/markets/1/trades")).toEqual([429, "2"]);
  expect(await ask("/markets/2/liquidations")).toEqual([500, undefined]);
  expect(await ask("/markets/1/liquidations")).toEqual([200, undefined]);
});

test("in a pattern only the star is special", async () => {
  const rig = await startFaulty({ kind: "duplicate", channels: "b.o/*" });
  const client = await rig.connect(BBO);
  expect(client.updates(BBO)).toHaveLength(1);
});

test("the scenario storm has every kind of fault", () => {
  expect(new Set(loadScenario("storm").faults.map(({ kind }) => kind)).size).toBe(12);
});

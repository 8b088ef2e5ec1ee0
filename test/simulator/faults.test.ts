// Each of the twelve faults, as a client on the wire meets it.
import { describe, expect, test } from "vitest";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { bookOf, START_MS, scenarioOf, startRig } from "./rig.ts";

const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const BBO = "bbo/perp/1";

/** Long timers come a little later than they are due, and so behind shorter ones, as Node's do. */
function createCoarseClock() {
  const clock = createVirtualClock(START_MS);
  return {
    ...clock,
    after: (ms: number, callback: () => void) => clock.after(ms > 500 ? ms + 20 : ms, callback),
  };
}

async function startFaulty(...faults: readonly object[]) {
  const rig = await startRig({ seed: 3, scenario: { faults }, clock: createCoarseClock() });
  return {
    ...rig,
    pass: (ms: number) => rig.pass(ms, 100),
    async connect(...channels: string[]) {
      const client = await rig.connect();
      await client.settle();
      if (client.refused === undefined) await client.subscribe(...channels);
      return client;
    },
  };
}

describe("frames", () => {
  test("gap loses numbered frames of matching channels, never a first one; a new subscribe mends it", async () => {
    const rig = await startFaulty({ kind: "gap", on: "orderbook/*", probability: 0.1 });
    const client = await rig.connect(BOOK, TRADES, BBO);
    for (const name of [BOOK, TRADES, BBO]) expect(client.updates(name)).toHaveLength(1);
    await rig.pass(30_000);
    expect(client.gaps(BOOK)).toBeGreaterThan(20);
    expect(client.gaps(TRADES)).toBe(0);
    for (const type of ["unsubscribe", "subscribe"]) await client.say({ type, channel: BOOK });
    expect(client.updates(BOOK).at(-1).orderbook).toEqual(bookOf(rig.world, 0));
  });

  test("duplicate sends matching updates twice, one right after the other", async () => {
    const rig = await startFaulty({ kind: "duplicate", on: "trades/*" });
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
      const { bids, asks } = client.book(BOOK);
      return Number(bids[0]?.price_ticks) >= Number(asks[0]?.price_ticks);
    };
    await rig.pass(2900);
    expect(isCrossed()).toBe(false);
    await rig.pass(3000);
    expect(isCrossed()).toBe(true);
  });

  test("late-first-frame holds back what a subscription brings, and then all of it comes in order", async () => {
    const rig = await startFaulty({ kind: "late-first-frame", on: BOOK, delay_ms: 2000 });
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
    const rig = await startFaulty({ kind: "unavailable", on: "trades/*", ...times });
    const client = await rig.connect(TRADES, BOOK);
    const errors = () => client.frames.filter(({ code }) => code === 503).length;
    await rig.pass(2500);
    expect(errors()).toBe(1);
    const count = client.updates(TRADES).length;
    await client.subscribe(TRADES);
    expect(errors()).toBe(2);
    await rig.pass(3000);
    expect(client.updates(TRADES)).toHaveLength(count);
    await client.subscribe(TRADES);
    expect(client.updates(TRADES).at(-1).previous_sequence).toBeNull();
    await rig.pass(8000);
    expect(errors()).toBe(3);
    expect(client.gaps(BOOK)).toBe(0);
  });

  test("unsubscribed: a subscription ends with a frame that nobody asked for", async () => {
    const rig = await startFaulty({ kind: "unsubscribed", on: "bbo/*", after_ms: 2000 });
    const client = await rig.connect(BBO, BOOK);
    await rig.pass(2500);
    const ends = client.frames.filter(({ type }) => type === "unsubscribed");
    expect(ends.map(({ channel }) => channel)).toEqual([BBO]);
    const [quotes, books] = [client.updates(BBO).length, client.updates(BOOK).length];
    await rig.pass(2000);
    expect(client.updates(BBO)).toHaveLength(quotes);
    expect(client.updates(BOOK).length).toBeGreaterThan(books);
    await client.subscribe(BBO);
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
    const rig = await startFaulty({ kind: "refused", for_ms: 1000 });
    expect((await rig.connect()).refused).toEqual([503, "1"]);
    await rig.pass(1000);
    expect((await rig.connect()).texts).toHaveLength(1);
  });
});

test("rest-429 and rest-500 refuse requests of matching paths", async () => {
  const { get } = await startFaulty(
    { kind: "rest-429", on: "*/trades" },
    { kind: "rest-500", on: "*/2/liquidations" },
  );
  const ask = async (path: string) => {
    const { status, headers } = await get(path);
    return [status, headers["retry-after"]];
  };
  expect(await ask("/markets/1/trades")).toEqual([429, "1"]);
  expect(await ask("/markets/2/liquidations")).toEqual([500, undefined]);
  expect(await ask("/markets/1/liquidations")).toEqual([200, undefined]);
});

test("in a pattern only the star is special", async () => {
  const rig = await startFaulty({ kind: "duplicate", on: "b.o/*" });
  const client = await rig.connect(BBO);
  expect(client.updates(BBO)).toHaveLength(1);
});

test("the scenario storm has every kind of fault", () => {
  expect(new Set(scenarioOf("storm").faults.map(({ kind }) => kind)).size).toBe(12);
});

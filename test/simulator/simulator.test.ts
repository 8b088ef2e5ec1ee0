import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { startTruthfulSimulator } from "./ledger.ts";
import { startRig } from "./rig.ts";

describe("the announcement", () => {
  test("says where the service is and what is there, on the loopback address only", async () => {
    const rig = await startRig();
    const { announcement } = rig.simulator;
    expect(Object.keys(announcement)).toEqual(["ws_url", "base_url", "markets", "account"]);
    expect(announcement.ws_url).toMatch(/^ws:\/\/127\.0\.0\.1:[0-9]+\/v1\/ws$/);
    expect(announcement.base_url).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+$/);
    expect(announcement.markets).toEqual([
      { type: "perp", id: 1 },
      { type: "perp", id: 2 },
      { type: "spot", id: 1 },
    ]);
    expect(announcement.account).toEqual({
      address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/),
      owner: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      subaccount_id: 0,
    });
  });

  test("a port that is taken is an error with a code of its own", async () => {
    const rig = await startRig();
    const port = Number(new URL(rig.simulator.announcement.base_url).port);
    const clock = createVirtualClock();
    const second = startSimulator({
      seed: 1,
      scenario: loadScenario("steady"),
      history: 0,
      port,
      clock,
    });
    await expect(second).rejects.toMatchObject({
      name: "MonitorError",
      code: "port-in-use",
      message: `port ${port} is in use`,
    });
    expect(clock.pending).toBe(0);
  });
});

test("closes although a client keeps its end of a refused upgrade open", async () => {
  const { simulator } = await startRig();
  const port = Number(new URL(simulator.announcement.base_url).port);
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => {
    client.destroy();
  });
  client.on("error", () => {});
  client.write(
    "GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  );
  const [answer] = await once(client, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
  await simulator.close();
});

describe("the past", () => {
  test("has the trades that were asked for, ends now, and live time goes on without a seam", async () => {
    const startMs = Date.UTC(2026, 6, 1, 12, 34, 56, 789);
    const rig = await startRig({ history: 5000, clock: createVirtualClock(startMs) });
    const { ledger } = rig.simulator;
    const markets = rig.simulator.announcement.markets;
    const all = () =>
      markets
        .flatMap(({ type, id }) => ledger.trades(type, id))
        .sort((a, b) => Number(BigInt(a.record.trade_id) - BigInt(b.record.trade_id)));
    const past = all();
    expect(past.length).toBeGreaterThanOrEqual(5000);
    const lastMs = past.at(-1)?.record.timestamp_ms ?? 0;
    expect(lastMs).toBeLessThanOrEqual(startMs);
    expect(lastMs).toBeGreaterThan(startMs - 2000);
    await rig.pass(60_000);
    const now = all();
    expect(now.length).toBeGreaterThan(past.length + 300);
    expect(now.slice(0, past.length)).toEqual(past);
    const ids = now.map(({ record }) => Number(record.trade_id));
    expect(ids).toEqual(ids.map((_, i) => (ids[0] ?? 0) + i));
    const waits = now
      .slice(1)
      .map(({ record }, i) => record.timestamp_ms - (now[i]?.record.timestamp_ms ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waits)).toBeLessThan(5000);
  });

  test("two simulated minutes pass at once, in turns that keep to the clock", async () => {
    const rig = await startRig();
    let transactions = 0;
    let last = 0n;
    rig.simulator.ledger.onTransaction((_, timestampNs) => {
      transactions++;
      last = BigInt(timestampNs);
      expect(last / 1_000_000n).toBeLessThanOrEqual(BigInt(Math.ceil(rig.clock.wall())));
    });
    rig.clock.advance(120_000);
    expect(transactions).toBeGreaterThan(6000);
    expect(Number(last / 1_000_000n)).toBeGreaterThan(rig.clock.wall() - 1000);
  });

  test("live time catches up with what making the past has cost", async () => {
    const clock = createVirtualClock();
    const slow = {
      ...clock,
      wall() {
        const wall = clock.wall();
        clock.advance(700);
        return wall;
      },
    };
    const simulator = await startTruthfulSimulator({
      seed: 1,
      scenario: loadScenario("steady"),
      history: 0,
      port: 0,
      clock: slow,
    });
    onTestFinished(() => simulator.close());
    let lastNs = 0n;
    simulator.ledger.onTransaction((_, timestampNs) => {
      lastNs = BigInt(timestampNs);
    });
    clock.advance(1000);
    expect(Number(lastNs / 1_000_000n)).toBeGreaterThan(clock.wall() - 300);
    expect(Number(lastNs / 1_000_000n)).toBeLessThanOrEqual(clock.wall());
  });
});

describe("the scenario busy", () => {
  test("sends a client of one market's four live channels 10,000 updates a second", async () => {
    const rig = await startRig({ scenario: "busy" });
    const client = await rig.connect();
    await client.subscribe("bbo/perp/1", "orderbook/perp/1", "trades/perp/1", "candles/perp/1/1m");
    const before = client.frames.length;
    await rig.pass(1000);
    expect(client.frames.length - before).toBeGreaterThan(10_000);
  });
});

describe("a client that does not read", () => {
  test("is dropped when it has left 16 MiB unread, and others go on", async () => {
    // A thousand trades in each first frame.
    const readings = { trades_backlog: 1000 };
    const rig = await startRig({ history: 3000, scenario: { readings } });
    const reader = await rig.connect();
    const sleeper = await rig.connect();
    await reader.subscribe("bbo/perp/2");
    sleeper.socket.pause();
    const closed = new Promise<number>((resolve) => sleeper.socket.once("close", resolve));
    for (let i = 0; i < 40; i++) {
      for (let again = 0; again < 20; again++) {
        sleeper.command("subscribe", "trades/perp/1");
        sleeper.command("unsubscribe", "trades/perp/1");
      }
      rig.clock.advance(100);
      await reader.settle();
    }
    sleeper.socket.resume();
    expect([1006, 1013]).toContain(await closed);
    const before = reader.updates("bbo/perp/2").length;
    rig.clock.advance(1000);
    await reader.settle();
    expect(reader.updates("bbo/perp/2").length).toBeGreaterThan(before);
  });
});

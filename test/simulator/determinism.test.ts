import { describe, expect, test } from "vitest";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { type Rig, startRig } from "./rig.ts";
import { openWorld } from "./world-rig.ts";

/** The transactions of a live simulator as they happen: index and time since the first one, in nanoseconds. */
function record({ simulator }: Rig): { at: bigint; index: number }[] {
  const seen: { at: bigint; index: number }[] = [];
  simulator.ledger.onTransaction((index, timestampNs) => {
    seen.push({ at: BigInt(timestampNs), index });
  });
  return seen;
}

/** Everything that a market did: trades by simulated time, and the book at the end. */
function story(rig: Rig, epochNs: bigint): string {
  const { ledger } = rig.simulator;
  return JSON.stringify([
    ...ledger
      .trades("perp", 1)
      .map(({ index, trade, record: { timestamp_ms, ...rest } }) => [
        index,
        String(BigInt(trade.timestamp_ns) - epochNs),
        rest,
      ]),
    ledger.book("perp", 1),
    ledger.book("spot", 1),
  ]);
}

const WALL = Date.UTC(2026, 2, 3, 4, 5, 6);

describe("the same seed and scenario make the same market", () => {
  test("whether time comes in small or large steps, and whoever is connected", async () => {
    const calm = await startRig({ seed: 99, clock: createVirtualClock(WALL) });
    const busy = await startRig({ seed: 99, clock: createVirtualClock(WALL) });
    const seen = [record(calm), record(busy)] as const;
    const client = await busy.connect();
    await client.subscribe("orderbook/perp/1", "bbo/perp/1", "trades/spot/1", "market-stats/perp");
    calm.clock.advance(40_000);
    for (let i = 0; i < 400; i++) {
      busy.clock.advance(i % 2 === 0 ? 3 : 197);
      if (i % 50 === 0) await client.settle();
    }
    expect(seen[0].length).toBeGreaterThan(2500);
    expect(seen[1]).toEqual(seen[0]);
    expect(story(busy, 0n)).toBe(story(calm, 0n));
  });

  test("whenever it is started, apart from how far it has come", async () => {
    const early = await startRig({ seed: 7, clock: createVirtualClock(WALL) });
    const late = await startRig({ seed: 7, clock: createVirtualClock(WALL + 86_400_000 * 3) });
    early.clock.advance(20_000);
    late.clock.advance(20_000);
    expect(story(late, 86_400_000n * 3n * 1_000_000n)).toBe(story(early, 0n));
  });

  test("with a history or without: a longer history is the same market, further on", async () => {
    const short = openWorld(13).simulation;
    const long = openWorld(13).simulation;
    short.runUntil(90_000_000);
    while (long.exchange.trades.length < 4000) long.step();
    const rows = short.exchange.trades.since(0);
    expect(rows.length).toBeGreaterThan(500);
    expect(long.exchange.trades.since(0).slice(0, rows.length)).toEqual(rows);
  });

  test("and another seed makes another one", async () => {
    const one = await startRig({ seed: 1, clock: createVirtualClock(WALL) });
    const two = await startRig({ seed: 2, clock: createVirtualClock(WALL) });
    expect(story(one, 0n)).not.toBe(story(two, 0n));
    const { account } = one.simulator.announcement;
    expect(two.simulator.announcement.account.address).not.toBe(account.address);
  });
});

test("a fault changes what clients receive and nothing in the market", async () => {
  const calm = await startRig({ seed: 99, clock: createVirtualClock(WALL) });
  const faulty = await startRig({ seed: 99, scenario: "gaps", clock: createVirtualClock(WALL) });
  const client = await faulty.connect();
  await client.subscribe("orderbook/perp/1", "trades/perp/1");
  await faulty.pass(20_000);
  calm.clock.advance(20_000);
  expect(story(faulty, 0n)).toBe(story(calm, 0n));
});

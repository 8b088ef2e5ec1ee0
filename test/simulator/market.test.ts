// The market itself: the same for the same seed, and full of life.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { getMargin } from "../../src/simulator/exchange/money.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { bookOf, fillsOf, type Rig, START_MS, scenarioOf, startRig, tradesOf } from "./rig.ts";

/** Everything that a market did: trades by simulated time, and the books at the end. */
function story({ world }: Rig, startMs = START_MS): string {
  const trades = world.exchange.trades
    .since(0)
    .map(({ index, timeUs, ...rest }) => [timeUs - startMs * 1000, rest]);
  const text = JSON.stringify([trades, bookOf(world, 0), bookOf(world, 2)]);
  return createHash("sha256").update(text).digest("hex");
}

describe("the same seed and scenario make the same market", () => {
  test("whether time comes in small or large steps, and whoever is connected", async () => {
    const calm = await startRig({ seed: 99 });
    const busy = await startRig({ seed: 99 });
    const client = await busy.connect();
    await client.subscribe("orderbook/perp/1", "bbo/perp/1", "trades/spot/1", "market-stats/perp");
    calm.clock.advance(40_000);
    for (let i = 0; i < 400; i++) busy.clock.advance(i % 2 === 0 ? 3 : 197);
    expect(story(busy)).toBe(story(calm));
    expect(busy.world.exchange.lastIndex).toBe(calm.world.exchange.lastIndex);
  });

  test("whenever it is started, also when funding settles in between", async () => {
    const lateMs = START_MS + 36_000_000 + 1_234_567;
    const early = await startRig({ seed: 7 });
    const late = await startRig({ seed: 7, clock: createVirtualClock(lateMs) });
    for (const { clock } of [early, late]) clock.advance(20_000);
    expect(story(late, lateMs)).toBe(story(early));
  });

  test("and another seed makes another one", async () => {
    const one = await startRig({ seed: 1 });
    const two = await startRig({ seed: 2 });
    expect(story(one)).not.toBe(story(two));
    expect(two.announcement.account.address).not.toBe(one.announcement.account.address);
  });

  test("a fault changes what clients receive and nothing in the market", async () => {
    const faults = [
      { kind: "gap", probability: 0.1 },
      { kind: "bad-frame", probability: 0.1 },
    ];
    const calm = await startRig({ seed: 99 });
    const faulty = await startRig({ seed: 99, scenario: { faults } });
    const client = await faulty.connect();
    await client.subscribe("orderbook/perp/1", "trades/perp/1");
    await faulty.pass(10_000);
    calm.clock.advance(10_000);
    expect(client.unreadable).toBeGreaterThan(3);
    expect(story(faulty)).toBe(story(calm));
  });
});

test("each market looks alive: many levels, a narrow spread, trades of many sizes, books never crossed", async () => {
  const { world, clock } = await startRig({ seed: 2 });
  const { markets, trades } = world.exchange;
  const past = trades.length;
  const spreads = markets.map((): number[] => []);
  const levels = markets.map((): number[] => []);
  for (let i = 0; i < 600; i++) {
    clock.advance(100);
    for (const { index, book } of markets) {
      spreads[index]?.push(
        (book.best(false)?.priceTicks ?? 0) - (book.best(true)?.priceTicks ?? 0),
      );
      levels[index]?.push(book.side(true).length, book.side(false).length);
    }
  }
  const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  for (const { index, spec } of markets) {
    expect(Math.min(...(spreads[index] ?? [])), spec.symbol).toBeGreaterThan(0);
    expect(median(spreads[index] ?? []), spec.symbol).toBeLessThanOrEqual(12);
    expect(median(levels[index] ?? []), spec.symbol).toBeGreaterThanOrEqual(15);
  }
  const live = trades.since(0).slice(past);
  expect(live.length).toBeGreaterThan(300);
  expect(new Set(live.map(({ takerLots }) => takerLots)).size).toBeGreaterThan(150);
});

test("what somebody is long somebody else is short, and the open interest is their sum", async () => {
  const { world, clock } = await startRig({ seed: 5, scenario: "volatile" });
  const past = world.exchange.liquidations.length;
  for (let i = 0; i < 30; i++) {
    clock.advance(4000);
    for (const { index, isPerp, openInterestLots } of world.exchange.markets) {
      const lots = world.exchange.accounts.map(({ positions }) => positions[index]?.lots ?? 0);
      const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
      if (isPerp) expect(sum(lots)).toBe(0);
      if (isPerp) expect(openInterestLots).toBe(sum(lots.filter((each) => each > 0)));
    }
  }
  // Accounts with too little margin have been closed in the books.
  expect(world.exchange.liquidations.length).toBeGreaterThan(past + 3);
});

describe("the past", () => {
  test("fills the stage: twenty markets, a year, own fills on three subaccounts, liquidations everywhere", async () => {
    const { world, announcement } = await startRig({ scenario: "steady", history: 3000 });
    const { markets, liquidations, trades } = world.exchange;
    expect(announcement.markets).toHaveLength(20);
    expect(markets.some(({ isPerp }) => !isPerp)).toBe(true);
    // Nobody is liquidated for what the past has brought: that would empty a side of a book.
    for (const account of world.exchange.accounts)
      expect(getMargin(account, markets).equityAtoms).toBeGreaterThanOrEqual(0);
    for (const { index, isPerp, spec } of markets) {
      const times = tradesOf(world, index).map(({ timeUs }) => START_MS - timeUs / 1000);
      expect(times[0], spec.symbol).toBeGreaterThan(364 * 86_400_000);
      expect(times.filter((ageMs) => ageMs < 7_200_000).length).toBeGreaterThan(200);
      const own = liquidations.since(0, { value: index, in: ["market"] });
      if (isPerp) expect(own.length, spec.symbol).toBeGreaterThan(100);
    }
    for (const subaccount of [0, 1, 2]) {
      const fills = fillsOf(world, subaccount);
      expect(fills.length).toBeGreaterThan(100);
      const days = new Set(fills.map(({ timeUs }) => Math.floor(timeUs / 86_400_000_000)));
      expect(days.size).toBeGreaterThan(25);
    }
    const rows = trades.since(0);
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, i) => (ids[0] ?? 0) + i));
    const waits = rows.slice(1).map(({ timeUs }, i) => timeUs - (rows[i]?.timeUs ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
  });

  test("has as many trades as asked for, and the price makes no leaps at its end", async () => {
    const { world } = await startRig({ history: 30_000 });
    expect(world.exchange.trades.length).toBeGreaterThanOrEqual(30_000);
    const prices = tradesOf(world, 0)
      .slice(-3000)
      .map(({ priceTicks }) => priceTicks);
    const moves = prices.slice(1).map((price, i) => Math.abs(price / (prices[i] ?? price) - 1));
    expect(Math.max(...moves)).toBeLessThan(0.01);
  });

  test("settles funding at every whole hour, before the start and after it", async () => {
    const rig = await startRig();
    await rig.pass(36 * 60_000, 60_000);
    for (const { isPerp, settledFunding } of rig.world.exchange.markets) {
      if (!isPerp) continue;
      const times = settledFunding.map(({ timeUs }) => timeUs / 3_600_000_000);
      expect(times.at(-1)).toBe(Math.floor(rig.clock.wall() / 3_600_000));
      expect(times).toEqual(times.map((_, i) => (times[0] ?? 0) + i));
      expect(times.length).toBeGreaterThan(150);
    }
  });

  test("ends now, and live time catches up with what making it has cost", async () => {
    const clock = createVirtualClock(START_MS);
    const slow = {
      ...clock,
      wall() {
        const wall = clock.wall();
        clock.advance(700);
        return wall;
      },
    };
    const { signal: abandoned } = new AbortController();
    const setup = { seed: 1, scenario: scenarioOf({}), port: 0, clock: slow, abandoned };
    const simulator = await startSimulator(setup);
    onTestFinished(() => simulator.close());
    clock.advance(1000);
    const lateMs = clock.wall() - simulator.world.exchange.nowUs / 1000;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(100);
  });
});

describe("the service", () => {
  test("says where it is and what is there, on the loopback address only", async () => {
    const { announcement } = await startRig();
    expect(announcement).toEqual({
      ws_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:[0-9]+\/v1\/ws$/),
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+$/),
      markets: [
        { type: "perp", id: 1 },
        { type: "perp", id: 2 },
        { type: "spot", id: 1 },
      ],
      account: {
        address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{44}$/),
        owner: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        subaccount_id: 0,
      },
    });
  });

  test("a port that is taken is an error with a code of its own", async () => {
    const { announcement } = await startRig();
    const port = Number(new URL(announcement.base_url).port);
    const clock = createVirtualClock(START_MS);
    const { signal: abandoned } = new AbortController();
    const second = startSimulator({ seed: 1, scenario: scenarioOf({}), port, clock, abandoned });
    await expect(second).rejects.toMatchObject({ name: "MonitorError", code: "port-in-use" });
    expect(clock.pending).toBe(0);
  });

  test("closes every connection, also one whose refused upgrade is kept half open", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    const port = Number(new URL(rig.announcement.base_url).port);
    const halfOpen = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => {
      halfOpen.destroy();
    });
    halfOpen.on("error", () => {});
    halfOpen.write(
      "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    const [answer] = await once(halfOpen, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
    const closed = once(client.socket, "close");
    await rig.simulator.close();
    await closed;
    expect(rig.clock.pending).toBe(0);
  });
});

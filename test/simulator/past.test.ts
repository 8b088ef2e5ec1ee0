import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INTERVAL_MS } from "../../src/simulator/ledger/candles.ts";
import { INTERVALS } from "../../src/wire/channels.ts";
import type { LiquidationRecord } from "../../src/wire/rest/liquidations.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { candlesOf, exact } from "./candles-of.ts";
import { type Rig, type RigOptions, startRig } from "./rig.ts";
import { openWorld } from "./world-rig.ts";

const DAY_MS = INTERVAL_MS["1d"];
/** A start in mid-period of every interval but the minute. */
const START_MS = Date.UTC(2026, 4, 17, 11, 58, 13, 777);

/** As it is without `--history`; cursors are ids. */
const startDemo = (seed: number, startMs: number, more: RigOptions = {}) =>
  startRig({
    seed,
    history: undefined,
    scenario: { readings: { cursor: "id" } },
    clock: createVirtualClock(startMs),
    ...more,
  });

/** A whole listing, newest first, page by page. */
async function listed<R extends object>(rig: Rig, path: string, idOf: (row: R) => string) {
  const rows: R[] = [];
  for (;;) {
    const last = rows.at(-1);
    const before = last === undefined ? "" : `&before=${idOf(last)}`;
    const url = `${rig.simulator.announcement.base_url}${path}limit=1000${before}`;
    const page = (await (await request(url, { reset: true })).body.json()) as R[];
    rows.push(...page);
    if (page.length < 1000) return rows;
  }
}

describe("the past of a simulated exchange that was not told how long it is", () => {
  let rig: Rig;
  const closers: (() => unknown)[] = [];
  beforeAll(async () => {
    rig = await startDemo(2, START_MS, { onEnd: (close) => closers.push(close) });
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });

  test("has about 12,000 trades over 120 days, dense at its end, of a price that makes no leaps", () => {
    const { simulator } = rig;
    const past = simulator.announcement.markets.map(({ type, id }) =>
      simulator.ledger.trades(type, id).map(({ record: { timestamp_ms, price } }) => {
        return { age: START_MS - timestamp_ms, price: Number(price) };
      }),
    );
    expect(past.flat().length).toBeGreaterThan(11_000);
    expect(past.flat().length).toBeLessThan(13_500);
    for (const trades of past) {
      const younger = (ms: number) => trades.filter(({ age }) => age <= ms).length;
      expect(younger(119.5 * DAY_MS)).toBeLessThan(trades.length);
      expect(younger(121 * DAY_MS)).toBe(trades.length);
      expect(younger(INTERVAL_MS["1h"])).toBeGreaterThan(360);
      expect(younger(INTERVAL_MS["1h"])).toBeGreaterThan(younger(DAY_MS) / 3);
      const steps = trades.slice(1).map(({ age, price }, i) => {
        const before = trades[i] ?? { age, price };
        const hours = (before.age - age) / INTERVAL_MS["1h"];
        expect(hours).toBeGreaterThanOrEqual(0);
        return Math.abs(price / before.price - 1) / (0.003 + 0.05 * Math.sqrt(hours));
      });
      expect(Math.max(...steps)).toBeLessThan(1);
      const prices = trades.map(({ price }) => price);
      expect(Math.max(...prices) / Math.min(...prices)).toBeGreaterThan(1.05);
    }
  });

  test("has 100 candles of every interval up to now, none left out, just as the listed trades make them", async () => {
    const { ledger, announcement } = rig.simulator;
    for (const { type, id } of announcement.markets) {
      const path = `/markets/${id}/trades?market_type=${type}&`;
      const records = (await listed<TradeRecord>(rig, path, (row) => row.trade_id)).reverse();
      expect(records).toEqual(ledger.trades(type, id).map(({ record }) => record));
      for (const interval of INTERVALS) {
        const candles = ledger.candles(type, id, interval);
        expect(candles.map(exact), `${type}/${id} ${interval}`).toEqual(
          candlesOf(records, interval),
        );
        const periodMs = INTERVAL_MS[interval];
        const now = Math.floor(START_MS / periodMs) * periodMs;
        expect(candles.slice(-101).map(({ open_time_ms }) => open_time_ms)).toEqual(
          Array.from({ length: 101 }, (_, i) => now - (100 - i) * periodMs),
        );
      }
    }
  });

  test("has liquidations in every perpetual market, each with the trade that closed the position", async () => {
    const { ledger } = rig.simulator;
    const truth = ledger.liquidations().reverse();
    for (const id of [1, 2]) {
      const path = `/markets/${id}/liquidations?`;
      const rows = await listed<LiquidationRecord>(rig, path, (row) => row.liquidation_id);
      const isOurs = ({ market_id }: { market_id: number }) => market_id === id;
      const ours = truth.filter(({ record }) => record.positions.some(isOurs));
      expect(rows).toEqual(ours.map(({ record }) => record));
      expect(rows.length).toBeGreaterThan(10);
      expect(rows.length).toBeLessThan(300);
      const trades = ledger.trades("perp", id);
      for (const { index, record } of ours) {
        const closing = trades.filter((trade) => trade.index === index);
        const quantity = closing.reduce((sum, trade) => sum + Number(trade.record.quantity), 0);
        const position = record.positions.find(isOurs);
        expect(quantity).toBeCloseTo(Number(position?.size), 6);
        for (const trade of closing) {
          expect(trade.record.taker_address).toBe(record.liquidatee);
          expect(trade.record.taker_is_bid).toBe(position?.side === "short");
        }
      }
    }
  });

  test("is the same for the same seed, whenever it is started", async () => {
    const story = async (startMs: number) => {
      const { ledger } = (await startDemo(7, startMs)).simulator;
      const past = [ledger.trades("perp", 2), ledger.liquidations()].map((rows) =>
        rows.map(({ record: { timestamp_ms, ...rest } }) => [timestamp_ms - startMs, rest]),
      );
      return JSON.stringify([past, ledger.book("spot", 1)]);
    };
    expect(await story(START_MS + 3 * DAY_MS)).toBe(await story(START_MS));
  });

  test("is followed by the same market as a past of another length, apart from ids and sequences", () => {
    const old = openWorld(13, "steady", true).simulation;
    const fresh = openWorld(13).simulation;
    const before = old.exchange.trades.length;
    for (const simulation of [old, fresh]) simulation.runUntil(90_000_000);
    const rows = fresh.exchange.trades.since(0);
    expect(rows.length).toBeGreaterThan(500);
    expect(old.exchange.trades.since(0).slice(before)).toMatchObject(
      rows.map(({ id, index, maker, taker, ...trade }) => trade),
    );
  });
});

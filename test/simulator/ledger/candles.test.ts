import { expect, test } from "vitest";
import { INTERVALS } from "../../../src/wire/channels.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { candlesOf, exact } from "../candles-of.ts";
import { millionths } from "../folding.ts";
import { startRig } from "../rig.ts";

test("candles of all periods follow from the trades, those of the past included", async () => {
  // A start in mid-period of every interval but the minute.
  const clock = createVirtualClock(Date.UTC(2026, 4, 17, 11, 58, 13, 777));
  const rig = await startRig({ seed: 5, history: 6000, clock });
  await rig.pass(100_000);
  for (const [type, id] of [
    ["perp", 1],
    ["perp", 2],
    ["spot", 1],
  ] as const) {
    const records = rig.simulator.ledger.trades(type, id).map(({ record }) => record);
    for (const interval of INTERVALS) {
      const candles = rig.simulator.ledger.candles(type, id, interval);
      expect(candles.map(exact), `${type}/${id} ${interval}`).toEqual(candlesOf(records, interval));
    }
    expect(records.length).toBeGreaterThan(500);
  }
});

test("mark candles of all periods follow from the mark prices", async () => {
  const rig = await startRig({ seed: 6, history: 3000 });
  const client = await rig.connect();
  await client.subscribe(
    "market-stats/perp/1",
    ...INTERVALS.map((each) => `mark-candles/1/${each}`),
  );
  await rig.pass(125_000);
  const marks = client
    .updates("market-stats/perp/1")
    .slice(1)
    .map(({ timestamp_ns, market_stats: [{ mark_price }] }) => ({
      minute: Number(BigInt(timestamp_ns) / 60_000_000_000n),
      price: mark_price,
    }));
  const last = Math.max(...marks.map(({ minute }) => minute));
  const samples = marks.filter(({ minute }) => minute === last - 1).map(({ price }) => price);
  const sorted = samples.toSorted((a, b) => Number(millionths(a) - millionths(b)));
  expect(rig.simulator.ledger.markCandles(1, "1m").at(-2)).toEqual({
    open_time_ms: (last - 1) * 60_000,
    open: samples[0],
    high: sorted.at(-1),
    low: sorted[0],
    close: samples.at(-1),
    samples: 60,
  });
  const minutes = rig.simulator.ledger.markCandles(1, "1m");
  for (const interval of INTERVALS) {
    const candles = rig.simulator.ledger.markCandles(1, interval);
    const counted = candles.reduce((sum, each) => sum + (each.samples ?? 0), 0);
    expect(counted).toBe(minutes.reduce((sum, each) => sum + (each.samples ?? 0), 0));
    expect(candles.at(-1)?.close).toBe(minutes.at(-1)?.close);
    expect(client.updates(`mark-candles/1/${interval}`).at(-1).candles.at(-1)).toEqual(
      candles.at(-1),
    );
  }
});

test("day figures of market-stats follow from the trades of the last 1440 minutes", async () => {
  const rig = await startRig({ seed: 8, history: 8000 });
  const client = await rig.connect();
  await client.subscribe("market-stats/perp/1");
  await rig.pass(2000);
  const update = client.updates("market-stats/perp/1").at(-1);
  const [stats] = update.market_stats;
  const records = rig.simulator.ledger
    .trades("perp", 1)
    .filter(({ trade }) => BigInt(trade.timestamp_ns) <= BigInt(update.timestamp_ns))
    .map(({ record }) => record);
  const [day] = candlesOf(
    records.map((record) => ({ ...record, timestamp_ms: 0 })),
    "1d",
  ) as [Record<string, string>];
  expect(stats).toMatchObject({
    last_price: day.close,
    high_24h: day.high,
    low_24h: day.low,
    trades_24h: day.trades,
  });
  expect(millionths(stats.volume_base_24h)).toBe(day.volume_base);
  expect(millionths(stats.volume_quote_24h)).toBe(day.volume_quote);
  const change = millionths(day.close ?? "") - millionths(day.open ?? "");
  expect(millionths(stats.price_change_24h)).toBe(change);
});

// What opening a market asks of the REST listing, whatever its cursor means and however busy the market is: a few
// requests at once, the rest in the background; and a chart that never shows a candle of which a trade is missing.
import { expect, onTestFinished, test } from "vitest";
import { fillChart } from "../../src/commands/screen/fill-chart.ts";
import { ScaleProbe } from "../../src/live/scale-probe.ts";
import { marketView } from "../../src/screen/views/market/market.tsx";
import type { LastCandle } from "../../src/wire/channels/candles.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  BASE_MS,
  budgetedListing,
  createRuledMarket,
  inNoField,
  MINUTE_MS,
  NOW_MINUTE,
  NOW_MS,
  type RuledMarketOptions,
} from "./ruled-market.ts";

function open(options: RuledMarketOptions) {
  const clock = createVirtualClock(NOW_MS);
  const service = createRuledMarket(options);
  const asked: number[] = [];
  const source = budgetedListing(clock, (request) => {
    asked.push(clock.now());
    return service.page(request);
  });
  const market = { type: "perp", id: "1" } as const;
  const trades = {
    of: () => source,
    sourceOf: () => source as never,
    close() {},
  };
  const feed = new MarketFeed();
  const { dashboard } = openDashboard(feed, { now: () => clock.now() });
  dashboard.open(market);
  feed.link("open", { skewMs: 0 });
  for (const channel of [CHANNELS.candles, CHANNELS.trades])
    feed.say({ type: "subscribing", channel });
  feed.candle(NOW_MINUTE, "10", "10", "10", "10");
  const trade = { price_ticks: "5", size_base_lots: "1", timestamp_ns: `${NOW_MS}000000` };
  const tape = [{ ...trade, taker_is_bid: true }];
  feed.update(CHANNELS.trades, { previous_sequence: null, sequence: null, trades: tape });
  const past = fillChart(dashboard, trades, clock);
  past.follow();
  const scale = new ScaleProbe({
    store: feed.store,
    clock,
    market,
    scales: dashboard.scales,
    listing: source,
    onReceived: () => {},
  });
  onTestFinished(() => {
    past.stop();
    scale.stop();
  });
  const chart = () => {
    const data = dashboard.modelOf(marketView).data?.candles;
    if (data === undefined) throw new Error("no chart");
    return data;
  };
  const expectTruth = () => {
    for (const candle of chart().candles as readonly LastCandle[]) {
      if (!chart().rebuilt.has(candle.open_time_ms)) continue;
      const { trades: count, open: first, close } = service.candleAt(candle.open_time_ms);
      expect(candle.trades).toBe(count);
      expect([candle.open, candle.close].map((text) => BigInt(text.replace(".", "")))).toEqual([
        first,
        close,
      ]);
    }
  };
  return {
    asked,
    model: dashboard.modelOf(marketView),
    chart,
    expectTruth,
    /** Lets time pass; whatever is asked meanwhile is answered at once. */
    async pass(ms: number, stepMs = 50) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(stepMs);
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
      }
    },
  };
}

/** The largest count of requests in any span of so many milliseconds. */
function mostWithin(asked: readonly number[], ms: number): number {
  return Math.max(
    0,
    ...asked.map((from) => asked.filter((at) => at >= from && at <= from + ms).length),
  );
}

const usual: RuledMarketOptions = { everyMs: 100, count: 60_000, indexOf: inNoField };

test.each([
  ["an index in no field", usual],
  ["the trade id", { ...usual, indexOf: (n: number) => BigInt(n) }],
  ["an index in no field, pages of 40 rows", { ...usual, cap: 40 }],
  ["an index in no field, 5,000 trades a second", { ...usual, everyMs: 0.2, count: 900_000 }],
])(
  "at most 9 requests in the first second and 15 in three, where the cursor is %s",
  async (_, options) => {
    const { asked, pass, expectTruth } = open(options);
    await pass(3000);
    expect(asked.filter((at) => at <= 1000).length).toBeLessThanOrEqual(9);
    expect(asked.length).toBeLessThanOrEqual(15);
    expect(asked.length).toBeGreaterThan(5);
    await pass(17_000);
    expect(mostWithin(asked, 1000)).toBeLessThanOrEqual(9);
    expect(asked.length).toBeLessThanOrEqual(7 + 2 * 20);
    expectTruth();
  },
);

/** A page is 100 s of it. */
const hundredMinutes = { everyMs: 400, count: 15_000, indexOf: inNoField, cap: 250 };

test("a chart is filled in the background, and says how far back it is", async () => {
  const { chart, pass, expectTruth } = open(hundredMinutes);
  await pass(1000);
  expect(chart()).toMatchObject({ isFilling: true });
  let known = 0;
  for (let step = 0; step < 12; step++) {
    await pass(10_000, 250);
    expectTruth();
    const { fromMs = NOW_MS } = chart();
    const minutes = (BASE_MS + NOW_MINUTE * MINUTE_MS - fromMs) / MINUTE_MS;
    expect(minutes).toBeGreaterThanOrEqual(known);
    known = minutes;
  }
  // Of 100 minutes the oldest is cut.
  expect(known).toBeGreaterThanOrEqual(99);
  expect(chart().rebuilt.size).toBeGreaterThanOrEqual(99);
});

test("a market of 1,000 trades a second has no candle before all of its 60,000 trades have been read", async () => {
  const { asked, chart, pass, expectTruth } = open({
    everyMs: 1,
    count: 180_000,
    indexOf: (number) => BigInt(number),
  });
  while (chart().rebuilt.size === 0 && asked.length < 120) {
    await pass(2000, 500);
    expectTruth();
  }
  expect(asked.length).toBeGreaterThan(80);
  expect(chart().rebuilt.size).toBe(1);
  expect(chart().fromMs).toBe(BASE_MS + (NOW_MINUTE - 1) * MINUTE_MS);
});

test("who walks back through the chart finds what lies further back filled, too", async () => {
  const { chart, model, pass, expectTruth } = open({ ...usual, everyMs: 1000 });
  await pass(60_000, 250);
  const filled = chart().rebuilt.size;
  expect(filled).toBeGreaterThanOrEqual(239);
  expect(filled).toBeLessThan(300);
  const times = { columns: 100, pitch: 1, intervalMs: MINUTE_MS, newestMs: NOW_MS } as const;
  const parts = { volumeRows: 0, profileColumns: 0, obstacle: undefined };
  const place = { left: 0, top: 0, rows: 10, crosshairRow: undefined, ...parts, ...times };
  model.change({ scroll: { ...model.choices.scroll, candles: 200 } });
  model.panes.candles.painted = { wanted: 200, scrolled: 200, chart: place };
  await pass(60_000, 250);
  expect(chart().rebuilt.size).toBeGreaterThanOrEqual(599);
  expectTruth();
});

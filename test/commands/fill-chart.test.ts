// The chart's past against the simulated exchange and its ledger: real sockets and real HTTP, one virtual clock.
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { fillChart } from "../../src/commands/screen/fill-chart.ts";
import { openBackgroundListings } from "../../src/live/background-listings.ts";
import { marketView } from "../../src/screen/views/market/market.tsx";
import { parseDecimal, trimDecimal } from "../../src/units/decimal.ts";
import { createRandom } from "../../src/units/random.ts";
import type { LastCandle } from "../../src/wire/channels/candles.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

/** A third of a minute before a period ends. */
const START_MS = Date.UTC(2026, 0, 1, 0, 0, 40);

/** A listing's answer that is on its way arrives before time passes: by the virtual clock no machine is slow. */
beforeEach(watchLoopback);

async function start(signal: AbortSignal, history: number | undefined, prefix = "") {
  const rig = await startLiveRig({
    scenario: "steady",
    seed: 3,
    history,
    clock: createVirtualClock(START_MS),
  });
  const { store, stream, simulator, clock } = rig;
  const { dashboard } = openDashboard({ store, nowMs: 0 }, { now: () => clock.now() });
  const context = { clock, random: createRandom(1), options: {} };
  const { base_url, ws_url } = simulator.announcement;
  const trades = openBackgroundListings(context, {
    url: ws_url,
    baseUrl: `${base_url}${prefix}`,
    headers: {},
  });
  const past = fillChart(dashboard, trades, clock);
  onTestFinished(() => {
    past.stop();
    trades?.close();
  });
  dashboard.open({ type: "perp", id: "1" });
  for (const channel of dashboard.channels) stream.subscribe(channel);
  dashboard.changes.subscribe(() => past.follow());
  past.follow();
  const chart = () => {
    const data = dashboard.modelOf(marketView).data?.candles;
    if (data === undefined) throw new Error("no chart");
    return data;
  };
  /** Lets time pass until the chart is as wanted; real answers come in between. Ends with the test's time. */
  const until = async (isMet: () => boolean) => {
    while (!isMet() && !signal.aborted) {
      await rig.pass(200);
      await settleLoopback();
    }
  };
  return { ...rig, dashboard, chart, until };
}

/** A candle with its numbers as numbers: `1.50` is `1.5`. */
function numbers({
  open_time_ms,
  open,
  high,
  low,
  close,
  volume_base,
  volume_quote,
  trades,
}: LastCandle) {
  const read = (text: string) => {
    const value = parseDecimal(text);
    return value && trimDecimal(value);
  };
  return [open_time_ms, trades, ...[open, high, low, close, volume_base, volume_quote].map(read)];
}

test("the chart begins with the exchange's own candles of the time before the subscription", async ({
  signal,
}) => {
  const { chart, until, simulator } = await start(signal, 5000);
  await until(() => chart().rebuilt.size > 1);
  const { candles, rebuilt } = chart();
  const truth = new Map(
    simulator.ledger.candles("perp", 1, "1m").map((candle) => [candle.open_time_ms, candle]),
  );
  for (const candle of candles as readonly LastCandle[]) {
    const own = truth.get(candle.open_time_ms);
    expect(own && numbers(candle)).toEqual(own && numbers(own));
    expect(own).toBeDefined();
  }
  // Without a gap: the simulated exchange trades in every minute.
  const times = candles.map(({ open_time_ms }) => open_time_ms);
  expect(times).toEqual(times.map((_, i) => (times[0] ?? 0) + i * 60_000));
  // The stream tells one candle, or two at the turn of a minute.
  expect([1, 2]).toContain(candles.length - rebuilt.size);
});

test("what was rebuilt is compared with the stream's own candles once a period has ended", async ({
  signal,
}) => {
  const { chart, until } = await start(signal, 500);
  await until(() => chart().compared > 0);
  expect(chart()).toMatchObject({ differing: 0, obstacle: "" });
});

test("where the listing does not answer there is no past, and the chart says why", async ({
  signal,
}) => {
  const { chart, until } = await start(signal, 200, "/nowhere");
  await until(() => chart().obstacle !== "");
  expect(chart().obstacle).toMatch(/nowhere\/markets\/1\/trades.* answers 404/);
  expect(chart().rebuilt.size).toBe(0);
});

test("another market gets a past of its own", async ({ signal }) => {
  const { chart, until, dashboard, stream } = await start(signal, 2000);
  await until(() => chart().rebuilt.size > 0);
  const before = chart();
  dashboard.open({ type: "perp", id: "2" });
  for (const channel of dashboard.channels) stream.subscribe(channel);
  expect(chart().rebuilt.size).toBe(0);
  await until(() => chart().rebuilt.size > 0);
  expect(chart().candles[0]).not.toEqual(before.candles[0]);
});

test.for([
  ["1m", 10],
  ["1d", 15],
] as const)(
  "in the demo the chart of %s has a hundred candles of past in %i s",
  async ([interval, seconds], { signal }) => {
    const { chart, until, dashboard, stream, clock } = await start(signal, undefined);
    const since = clock.now();
    dashboard.modelOf(marketView).change({ interval });
    for (const channel of dashboard.channels) stream.subscribe(channel);
    await until(() => chart().rebuilt.size > 100);
    expect(clock.now() - since).toBeLessThan(seconds * 1000);
  },
);

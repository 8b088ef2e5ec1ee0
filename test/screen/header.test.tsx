// The head of a market's view: what stands in it at which width, and that it stands still.
import { expect, test } from "vitest";
import type { DashboardOptions } from "../../src/screen/dashboard.ts";
import { Display } from "../../src/select/display.ts";
import { CHANNELS, level, MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

function open(columns = 200, options: Partial<DashboardOptions> = {}) {
  const feed = new MarketFeed();
  const { dashboard, model } = openMarket(
    {
      display: new Display(),
      isSimulated: true,
      watchlist: [{ type: "perp", id: "1" }],
      wall: () => START_MS + feed.nowMs,
      ...options,
    },
    feed,
  );
  feed.link("open", { roundTripMs: 0.43 });
  const own = { market_id: 1, market_type: "perp", symbol: "BTC-PERP" };
  const record = { ...own, base_asset: "BTC", tick_size: "0.01", lot_size: "0.0001" };
  feed.first(CHANNELS.markets, { markets: [record] });
  const stats = (fields: object, sequence: string) =>
    feed.first(CHANNELS.stats, { market_stats: [{ ...own, ...fields }] }, sequence);
  stats(
    {
      mark_price: "97113.42",
      volume_quote_24h: "34912345.67",
      open_interest_base: "50.91",
      high_24h: "97188.00",
      low_24h: "96941.00",
      price_change_ratio_24h: "0.0012",
    },
    "1",
  );
  feed.book([[9_711_398, 1000]], [[9_711_400, 2000]], 1, true);
  const best = (bid: number, ask: number, size = 1000) =>
    feed.update(CHANNELS.bbo, { bbo: { bid: level(bid, size), ask: level(ask, size * 2) } });
  best(9_711_398, 9_711_400);
  feed.trade(9_711_400, 10, true);
  const app = mountDashboard(dashboard, { columns, rows: 40 });
  const lines = async () => (await app.lines()).slice(1, 3);
  return { ...app, feed, model, best, stats, lines };
}

/** Three rates of one schedule, the newest last; when the next is due. */
function giveRates(feed: MarketFeed, intervalMs: number, nextMs: number) {
  const rates = [2, 1, 0].map((before) => ({
    timestamp_ms: START_MS + nextMs - intervalMs * (before + 1),
    funding_rate: before === 0 ? "0.000013" : "0.5",
  }));
  feed.first(CHANNELS.fundingRates, { funding_rates: rates });
}

test("the last price leads, with the change of a day, best prices, spread, state and the simulator's sign", async () => {
  const { lines, feed } = open();
  giveRates(feed, HOUR_MS, 23 * 60_000 + 11_000);
  const [first = "", second = ""] = await lines();
  expect(first).toMatch(
    /^ ★ BTC-PERP perp\/1 {2}▲ 97,114\.00 {2}\+0\.12% {2}97,113\.98 × 0\.1000 │ 97,114\.00 × 0\.2000 {2}spread 0\.02 \(0\.0021 bp\) {2}mid 97,113\.99 +● live 0\.4 ms {3}SIM$/,
  );
  expect(second).toBe(
    " mark 97,113.42 -0.58 (-0.06 bp)  funding +0.0013%/h in 23:11  OI 50.91 BTC  24h vol 34.9M  high 97,188.00  low 96,941.00  tick 0.01 lot 0.0001 market, untested",
  );
});

test.each([
  [
    120,
    /^ ★ BTC-PERP perp\/1 {2}▲ 97,114\.00 {2}\+0\.12% {2}97,113\.98 × 0\.1000 │ 97,114\.00 × 0\.2000 .*● live/,
  ],
  [
    80,
    /^ ★ BTC-PERP perp\/1 {2}▲ 97,114\.00 {2}\+0\.12% {2}97,113\.98 │ 97,114\.00 +● live {3}SIM$/,
  ],
  [60, /^ ★ BTC-PERP perp\/1 {2}▲ 97,114\.00 {2}\+0\.12% .*● live {3}SIM$/],
  [40, /^ BTC-PERP {2}▲ 97,114\.00 {2}\+0\.12% +● {2}SIM$/],
  [30, /^ ★ BTC-PERP {2}▲ 97,114\.00 +●$/],
  [20, /^ ▲ 97,114\.00 +●$/],
])("at %i columns words go first, then sizes, the last price last", async (columns, expected) => {
  const { lines } = open(columns);
  expect((await lines())[0]).toMatch(expected);
});

test.each([
  [40, /^ ★ BTC-PERP {2}▲ 97,114\.00 +FROZEN {3}SIM$/],
  [20, /^ ▲ 97,114\.00 +F$/],
  [16, /^ ▲ 97,114\.00 {2}F$/],
])(
  "frozen it says so beside the price, and so does a price of the past: %i columns",
  async (columns, expected) => {
    const { lines, dashboard } = open(columns);
    dashboard.press("f");
    expect((await lines())[0]).toMatch(expected);
    dashboard.press("f");
    expect((await lines())[0]).toMatch(/ ▲ 97,114\.00 .*●/);
  },
);

test.each([
  [15, /^ +FROZEN( +SIM)?$/],
  [13, /^ +FROZEN( +SIM)?$/],
  [8, /^ +FROZEN( +SIM)?$/],
  [5, /^ +F$/],
])(
  "a frozen price is not shown where there is no room to say so: %i columns",
  async (columns, expected) => {
    const { lines, dashboard } = open(columns);
    dashboard.press("f");
    expect((await lines())[0]).toMatch(expected);
  },
);

test("nothing is counted down while the screen is frozen", async () => {
  const { lines, dashboard, feed } = open(200, {
    past: { startMs: 0, open: () => undefined },
  });
  giveRates(feed, HOUR_MS, 23 * 60_000 + 11_000);
  dashboard.press("f");
  feed.nowMs += 5000;
  dashboard.tick();
  expect((await lines())[1]).toContain("in 23:11");
  dashboard.press("f");
  expect((await lines())[1]).toContain("in 23:06");
});

test("what is frozen looks as it did, whatever becomes of the connection", () => {
  const { dashboard, feed, model } = open();
  expect(model.statusOf("bbo").state).toBe("live");
  dashboard.perform("freeze");
  feed.link("waiting", { retryAtMs: 9000 });
  expect([model.statusOf("bbo").state, model.figureStates.stats]).toEqual(["live", "live"]);
  dashboard.perform("freeze");
  expect([model.statusOf("bbo").state, model.figureStates.stats]).toEqual(["offline", "offline"]);
});

test("a recording says what it is beside its price, at any width", async () => {
  for (const [columns, word] of [
    [200, /● live .* REPLAY$/],
    [20, /^ ▲ 97,114\.00 +● {2}R$/],
  ] as const) {
    const store = new MarketFeed().store;
    const still = { store, atMs: 0, wallMs: 0, startMs: 0, endMs: 1, words: "", isPaused: true };
    const none = { goTo() {}, step() {}, togglePause() {}, changeSpeed() {} };
    const { lines } = open(columns, { isSimulated: false, replay: { ...still, ...none } });
    expect((await lines())[0]).toMatch(word);
  }
});

test("a number that grows or shrinks moves no other one, once there is room for it", async () => {
  const { lines, best, stats } = open();
  best(9_711_398, 9_711_500, 123_456_789);
  await lines();
  const placeOf = (line = "") => ["│", "spread", "● live", "SIM"].map((word) => line.indexOf(word));
  const before = placeOf((await lines())[0]);
  best(9_711_399, 9_711_400, 1);
  expect(placeOf((await lines())[0])).toEqual(before);
  const figures = async () => ((await lines())[1] ?? "").indexOf("tick 0.01");
  stats({ mark_price: "97113.42", open_interest_base: "1.5" }, "2");
  const without = await figures();
  stats({ mark_price: "7113.4", open_interest_base: "1.51234" }, "3");
  stats({ mark_price: "97113.42", open_interest_base: "1.5" }, "4");
  expect(await figures()).toBe(without);
});

test.each([
  [8 * HOUR_MS, 7 * HOUR_MS + 59_000, "%/8h in 7:00:59"],
  [60_000, 5000, "%/min in 00:05"],
  [HOUR_MS, -1000, "%/h due"],
])("funding of every %i ms is counted down", async (intervalMs, nextMs, words) => {
  const { lines, feed } = open();
  giveRates(feed, intervalMs, nextMs);
  expect((await lines())[1]).toContain(`funding +0.0013${words}`);
});

test("nothing is counted down where the schedule does not follow from the rates", async () => {
  const { lines, feed } = open();
  const funding_rates = [{ timestamp_ms: START_MS - 1000, funding_rate: "0.000013" }];
  feed.first(CHANNELS.fundingRates, { funding_rates });
  expect((await lines())[1]).toContain("funding +0.0013%  ");
});

test("what is old says how old it is, what is frozen says so instead of its state", async () => {
  const { lines, feed, dashboard } = open(120);
  feed.link("waiting", { retryAtMs: 9000 });
  feed.advance(3500);
  dashboard.tick();
  expect((await lines())[0]).toContain("× offline 3.5s old");
  dashboard.perform("freeze");
  feed.advance(2000);
  dashboard.tick();
  expect((await lines())[0]).toContain(" FROZEN 2.0s ");
  expect((await lines())[0]).not.toContain("offline");
});

test("before the first trade the price that the service names stands there, without a direction", async () => {
  const { lines, dashboard, feed, stats } = open();
  dashboard.open({ type: "perp", id: "2" });
  feed.subscribe("market-stats/perp/2");
  stats({}, "5");
  const record = { market_id: 2, market_type: "perp", last_price: "3400.47" };
  feed.first("market-stats/perp/2", { market_stats: [record] });
  expect((await lines())[0]).toMatch(/^ perp\/2 {4}3,400\.47 /);
});

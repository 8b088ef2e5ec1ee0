// Ticks, lots and what they are worth, as the user of the dashboard sees them.
import { expect, test } from "vitest";
import { CHANNELS } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";
import { restTrade, type Sizes } from "../support/two-tapes.ts";

const CENTS: Sizes = { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 4 };
const START_NS = 1_800_000_000_000_000_000n;

function open(fields: object) {
  const { feed, dashboard } = openMarket();
  const record = { market_id: 1, market_type: "perp", ...fields };
  feed.first(CHANNELS.markets, { markets: [record] });
  feed.book([[12345, 7]], [[12348, 20_000]], 1, true);
  feed.bbo(12345, 12348, 7);
  const trades = Array.from({ length: 30 }, (_, i) => ({
    timeNs: START_NS + BigInt(i) * 20_000_000n,
    ticks: 12345n + BigInt(i % 4),
    lots: 50_001n,
    takerIsBid: true,
  }));
  for (const { ticks, lots, timeNs } of trades) feed.trade(ticks, lots, true, `${timeNs}`);
  return {
    ...mountDashboard(dashboard, { columns: 120, rows: 30 }),
    /** The listing tells the same trades. */
    list(sizes: Sizes) {
      dashboard.scales.observe(
        "perp/1",
        trades.map((trade) => restTrade(trade, sizes)),
      );
      dashboard.tick();
    },
  };
}

test("prices and sizes are exact decimals everywhere, with the source in the header", async () => {
  const { screen } = open({ tick_size: "0.01", lot_size: "0.0001" });
  const text = await screen();
  expect(text).toContain("123.45 × 0.0007 │ 123.48 × 0.0007");
  expect(text).toContain("spread 0.03 ");
  expect(text).toContain("mid 123.465");
  expect(text).toContain("tick 0.01 lot 0.0001 market, untested");
  expect(text).toMatch(/123\.48 +2\.0000 +2\.0000/);
  expect(text).toMatch(/▲ 123\.46 \+5\.0001/);
  expect(text).not.toContain("ticks");
});

test("ticks and lots are labelled in header, book and tape while nothing tells what they are worth", async () => {
  const { screen, list } = open({});
  const text = await screen();
  expect(text).toContain("12345 × 7 │ 12348 × 7");
  expect(text).toContain("ticks, lots, 0 of 20 trades");
  expect(text).toMatch(/Order book +ticks, lots/);
  expect(text).toMatch(/Trades +ticks, lots/);
  list(CENTS);
  const measured = await screen();
  expect(measured).toContain("123.45 × 0.0007 │ 123.48 × 0.0007");
  expect(measured).toContain("tick 0.01 lot 0.0001 ✓ measured, 28 trades");
});

test("a scale that trades contradict is dropped before the eyes of the user, who is told why", async () => {
  const { screen, list } = open({ tick_size: "0.5", lot_size: "0.0001" });
  expect(await screen()).toContain("6172.5 × 0.0007 │");
  list(CENTS);
  const text = await screen();
  expect(text).toContain("123.45 × 0.0007 │ 123.48 × 0.0007");
  expect(text).toContain(
    "scale measured: market says tick 0.5 lot 0.0001, trades say tick 0.01 lot 0.0001",
  );
});

test("what is frozen keeps its scale", async () => {
  const { screen, list, dashboard } = open({});
  dashboard.toggleFrozen();
  list(CENTS);
  expect(await screen()).toContain("12345 × 7 │ 12348 × 7");
  dashboard.toggleFrozen();
  expect(await screen()).toContain("123.45 × 0.0007 │ 123.48 × 0.0007");
});

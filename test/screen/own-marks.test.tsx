// What an account has in a market, on the screen of that market.
import { expect, test } from "vitest";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const ACCOUNT = `account/${address}/0`;

function open() {
  const { feed, dashboard, model } = openMarket({ account: { address, subaccountId: "0" } });
  feed.subscribe(ACCOUNT);
  feed.book("9000:5 8990:7", "9010:6", 1, true);
  feed.bbo(9000, 9010, 5);
  feed.candle(0, "89", "91", "88.5", "90.5");
  feed.advance(1_000_000_000_000);
  feed.trade(9000, 2, false);
  feed.first(ACCOUNT, {
    orders: [
      { order_id: 1, market_id: 1, side: "bid", price_ticks: "8990", size_base_lots: "4" },
      { order_id: 2, market_id: 1, side: "ask", price_ticks: "9010", size_base_lots: "6" },
    ],
    fills: [
      {
        trade_id: 1,
        market_id: 1,
        side: "sell",
        role: "taker",
        price_ticks: "9000",
        timestamp_ns: `${feed.nowMs}000000`,
      },
    ],
    positions: [
      {
        market_id: 1,
        side: "long",
        size_base_lots: "3",
        entry_price: "89.5",
        liquidation_price: "40",
      },
    ],
  });
  return { ...mountDashboard(dashboard, { columns: 130, rows: 40 }), feed, model };
}

test("own orders stand in the ladder, own fills in the tape, entry and liquidation on the chart", async () => {
  const { screen, dashboard } = open();
  const text = await screen();
  expect(dashboard.channels).toContain(ACCOUNT);
  expect(text).toMatch(/◆ +8990 +7 +12 /);
  expect(text).toMatch(/◆ +9010 +6 +6 /);
  expect(text).toMatch(/│ +9000 +5 +5 +[^◆0-9]/);
  expect(text).not.toContain("own ");
  expect(text).toMatch(/◆\S+ ▼ +9000 +-2/);
  expect(text).toContain("entry 89.5┄┄┄");
  expect(text).toContain("liquidation 40 ↓");
});

test("an order and a position that newer frames leave open are marked as such", async () => {
  const { screen, feed } = open();
  feed.next(ACCOUNT, 2, {
    orders: [{ order_id: 2, market_id: 1, side: "ask", price_ticks: "9010", size_base_lots: "6" }],
    positions: [
      { market_id: 2, side: "long", size_base_lots: "1", entry_price: "7", liquidation_price: "3" },
    ],
  });
  const text = await screen();
  expect(text).toMatch(/\? +8990 +7 +12 /);
  expect(text).toMatch(/◆ +9010 +6 +6 /);
  expect(text).toContain("entry? 89.5┄┄┄");
  expect(text).toContain("liquidation? 40 ↓");
});

test("the price of a position stays whole where candles stand on its line", async () => {
  const { screen, feed } = open();
  for (let i = 1; i <= 90; i++) feed.candle(i, "89", "91", "88.5", "90.5");
  const text = await screen();
  expect(text).toMatch(/│[ ╿│┃]*entry 89\.5[^0-9]/);
});

test("the cursor says how large own orders are; the mask hides that, not where they are", async () => {
  const { screen, dashboard, press } = open();
  await screen();
  expect(await press("c", "down")).toMatch(/sell 12 at 8994\.17 [\s\S]* own 4 /);
  dashboard.perform("mask");
  const text = await screen();
  expect(text).toMatch(/◆▸ *8990 +7 +12 /);
  expect(text).toContain("own order");
  expect(text).not.toContain("own 4");
});

test("what is frozen keeps its marks", async () => {
  const { screen, feed, dashboard } = open();
  dashboard.perform("freeze");
  feed.next(ACCOUNT, 2, {
    orders: [{ order_id: 1, market_id: 1, side: "bid", price_ticks: "8990", size_base_lots: "0" }],
  });
  expect(await screen()).toMatch(/◆ +8990/);
  dashboard.perform("freeze");
  expect(await screen()).not.toMatch(/◆ +8990/);
});

test("marks cost no column: numbers stand where they stood without them", async () => {
  const { screen, feed } = open();
  const rows = (text: string) => text.replaceAll("◆", " ").match(/│ +(?:8990|9000|9010) +.*│/g);
  const before = rows(await screen());
  expect(before).toHaveLength(3);
  feed.first(ACCOUNT, { orders: [], fills: [] }, "2");
  expect(rows(await screen())).toEqual(before);
});

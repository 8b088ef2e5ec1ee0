// Alerts on a terminal without a window.

import { expect, test } from "vitest";
import { Display } from "../../../src/select/display.ts";
import { openScales } from "../../../src/select/scale.ts";
import { alertRule, openAlerts } from "../../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../../support/market-feed.ts";
import { mountDashboard } from "../../support/mount-dashboard.tsx";
import { openMarket } from "../../support/open-dashboard.ts";

function open(...rules: readonly string[]) {
  const feed = new MarketFeed();
  const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 3 } };
  const scales = openScales(feed.store, { "perp/1": scale });
  const alerts = openAlerts(feed, scales);
  const { dashboard } = openMarket({ alerts, scales }, feed);
  alerts.onChange = () => dashboard.notify();
  for (const text of rules) alerts.add(alertRule(text), "screen");
  return { ...mountDashboard(dashboard, { columns: 140, rows: 40 }), feed, alerts };
}

test("a price that is waited for stands on the chart as numbers do that the user has chosen", async () => {
  const { feed, dashboard, screen } = open("perp/1 last > 1236.50");
  feed.candle(0, "1230", "1235", "1228", "1233");
  for (const [numbers, words] of [
    ["grouped", "last > 1,236.5"],
    ["plain", "last > 1236.5"],
  ] as const) {
    dashboard.shown.display = new Display({ ...dashboard.shown.display.choice, numbers });
    dashboard.notify();
    expect(await screen()).toContain(`alert ${words} not evaluated ↑`);
  }
});

test("when an alert has fired is said in the user's time zone", async () => {
  const { feed, dashboard, alerts, press } = open("perp/1 last > 90");
  dashboard.shown.display = new Display({
    ...dashboard.shown.display.choice,
    timeZone: "Asia/Tokyo",
  });
  feed.nowMs = Date.UTC(2026, 10, 23, 1, 32, 9);
  for (const price of [8990, 9010]) {
    feed.trade(price, 1);
    alerts.observe(CHANNELS.trades);
  }
  const lines = await press("N");
  expect(lines).toMatch(/Last fired at GMT\+9/);
  expect(lines).toContain("2026-11-23 10:32:09");
});

test("prices that are waited for stand on the chart and in the ladder, with what became of them", async () => {
  const { feed, alerts, screen, press } = open(
    "perp/1 last > 90.10",
    "perp/1 bid < 8990 ticks",
    "perp/1 mark > 95",
    "perp/1 index > 96",
    "perp/2 last > 90",
    "perp/1 spread > 5",
  );
  feed.book("9000:5 8980:7", "9011:6 9005:2", 1, true);
  feed.bbo(9000, 9005, 5);
  feed.candle(0, "89", "91", "88.5", "90.5");
  const trade = (price: number) => {
    feed.advance(10);
    feed.trade(price, 2);
    alerts.observe(CHANNELS.trades);
  };
  trade(9000);
  const before = await screen();
  expect(before).toContain("alert last > 90.1┄┄");
  expect(before).toContain("alert bid < 89.9 not evaluated");
  expect(before).toMatch(/alert mark > 95 not evaluated ↑ {2}alert index > 96 not evaluated ↑/);
  expect(before).not.toContain("alert last > 90 ");
  // No row has either price: each stands at the next lower one.
  expect(before).toMatch(/⚑ 90\.05 +0\.002 +0\.002 /);
  expect(before).toMatch(/⚑ 89\.80 +0\.007 +0\.012 /);
  expect(before).toMatch(/│ {2}90\.00 +0\.005 +0\.005 /);
  expect(await press("c", "down")).toContain("alert <89.9?");
  alerts.observe(CHANNELS.bbo);
  expect(await screen()).toMatch(/alert <89\.9 /);
  trade(9012);
  const after = await screen();
  expect(after).toContain("alert last > 90.1 fired");
  expect(await press("up", "up")).toContain("alert >90.1!");
});

test("the mask hides the address, the levels and the values of alerts on an account, and no price", async () => {
  const address = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
  const account = `account/${address}/3`;
  const { feed, alerts, screen, press } = open(
    `${account} equity < 1000 hysteresis 15`,
    `${account} position perp/1 > 42`,
    "perp/1 last > 65000",
  );
  feed.subscribe(account);
  feed.first(account, { account: { equity: "1234.5" } });
  alerts.observe(account);
  const before = await press("N");
  for (const text of [`account/${address.slice(0, 8)}`, "1234.5"]) expect(before).toContain(text);
  expect(await press("return")).toContain(`account/${address}/3 equity < 1000 hysteresis 15`);
  const masked = await press("p");
  expect(masked).toContain("account/•••/3 equity < ••• hysteresis •••");
  const list = await press("escape");
  expect(list).toMatch(/account\/•••\/3 position perp.*\n.*perp\/1 last > 65000/);
  feed.next(account, 2, { account: { equity: "987.5" } });
  alerts.observe(account);
  const fired = await screen();
  expect(fired).toContain(" alert: account/•••/3 equity < ••• ");
  for (const each of [masked, list, fired]) {
    for (const secret of [address.slice(0, 8), "1000", "234.5", "87.5", "> 42"]) {
      expect(each).not.toContain(secret);
    }
  }
  expect(await press("p")).toContain("987.5");
});

test("a program of an alert that has failed is named in the list and in the status line, until one runs", async () => {
  const { dashboard, alerts, lines } = open("perp/1 last > 65000");
  dashboard.press("N");
  expect((await lines()).join("\n")).not.toContain("program");
  alerts.noteFault("/no/such\u001b[2J: not found");
  const shown = await lines();
  expect(shown.join("\n")).toContain("program failed: /no/such\\x1b[2J: not found");
  expect(shown.at(-1)).toContain("alert program: /no/such\\x1b[2J: not found");
  alerts.noteFault(undefined);
  expect((await lines()).join("\n")).not.toContain("program");
});

test("the list says how many alerts are too many to be watched", async () => {
  const { alerts, press } = open();
  for (let i = 0; i < 202; i++) alerts.add(alertRule("perp/1 last > 5"), "option");
  expect(await press("N")).toContain("Alerts 200  2 more are not watched: too many");
});

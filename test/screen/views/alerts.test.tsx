// Alerts on a terminal without a window.
import { expect, test } from "vitest";
import { AlertManager } from "../../../src/alerts/alert-manager.ts";
import { openScales } from "../../../src/select/scale.ts";
import { alertRule } from "../../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../../support/market-feed.ts";
import { mountDashboard } from "../../support/mount-dashboard.tsx";
import { openDashboard } from "../../support/open-dashboard.ts";

function openAlerts(...rules: readonly string[]) {
  const feed = new MarketFeed();
  const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 3 } };
  const scales = openScales(feed.store, { "perp/1": scale });
  const alerts = new AlertManager({
    store: feed.store,
    scales,
    now: () => feed.nowMs,
    wall: () => feed.nowMs,
  });
  const { dashboard } = openDashboard(feed, { alerts, scales });
  alerts.onChange = () => dashboard.notify();
  for (const words of rules) {
    alerts.add(alertRule(words), "screen");
  }
  const app = mountDashboard(dashboard, { columns: 140, rows: 40 });
  const screen = async () => (await app.shown()).text().join("\n");
  return { ...app, feed, dashboard, alerts, screen };
}

test("a price that is waited for stands on the chart as numbers do that the user has chosen", async () => {
  const { feed, dashboard, screen } = openAlerts("perp/1 last > 1236.50");
  dashboard.open({ type: "perp", id: "1" });
  feed.link("open");
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  feed.candle(0, "1230", "1235", "1228", "1233");
  for (const [numbers, words] of [
    ["grouped", "last > 1,236.5"],
    ["plain", "last > 1236.5"],
  ] as const) {
    dashboard.setDisplay({ ...dashboard.shown.display.choice, numbers });
    expect(await screen()).toContain(`alert ${words} not evaluated ↑`);
  }
});

test("when an alert has fired is said in the user's time zone", async () => {
  const { feed, dashboard, alerts, screen } = openAlerts("perp/1 last > 90");
  dashboard.setDisplay({ ...dashboard.shown.display.choice, timeZone: "Asia/Tokyo" });
  feed.nowMs = Date.UTC(2026, 10, 23, 1, 32, 9);
  feed.link("open");
  feed.say({ type: "subscribing", channel: CHANNELS.trades });
  for (const price of [8990, 9010]) {
    feed.trade(price, 1);
    alerts.observe(CHANNELS.trades);
  }
  dashboard.press("N");
  const lines = await screen();
  expect(lines).toMatch(/Last fired at GMT\+9/);
  expect(lines).toContain("2026-11-23 10:32:09");
});

test("prices that are waited for stand on the chart and in the ladder, with what became of them", async () => {
  const { feed, dashboard, alerts, screen } = openAlerts(
    "perp/1 last > 90.10",
    "perp/1 bid < 8990 ticks",
    "perp/1 mark > 95",
    "perp/1 index > 96",
    "perp/2 last > 90",
    "perp/1 spread > 5",
  );
  dashboard.open({ type: "perp", id: "1" });
  feed.link("open");
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  feed.book(
    [
      [9000, 5],
      [8980, 7],
    ],
    [
      [9011, 6],
      [9005, 2],
    ],
    1,
    true,
  );
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
  for (const key of ["c", "down"]) dashboard.press(key);
  expect(await screen()).toContain("alert <89.9?");
  alerts.observe(CHANNELS.bbo);
  expect(await screen()).toMatch(/alert <89\.9 /);
  trade(9012);
  const after = await screen();
  expect(after).toContain("alert last > 90.1 fired");
  for (const key of ["up", "up"]) dashboard.press(key);
  expect(await screen()).toContain("alert >90.1!");
});

test("the mask hides the address, the levels and the values of alerts on an account, and no price", async () => {
  const address = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
  const account = `account/${address}/3`;
  const { feed, dashboard, alerts, screen } = openAlerts(
    `${account} equity < 1000 hysteresis 15`,
    `${account} position perp/1 > 42`,
    "perp/1 last > 65000",
  );
  const update = (equity: string, sequence: number) => {
    const chain = { previous_sequence: sequence === 1 ? null : "1", sequence: `${sequence}` };
    feed.update(account, { ...chain, account: { equity } }, sequence === 1);
    alerts.observe(account);
  };
  feed.link("open");
  feed.say({ type: "subscribing", channel: account });
  update("1234.5", 1);
  dashboard.press("N");
  const open = await screen();
  for (const text of [`account/${address.slice(0, 8)}`, "1234.5"]) expect(open).toContain(text);
  dashboard.press("return");
  expect(await screen()).toContain(`account/${address}/3 equity < 1000 hysteresis 15`);
  dashboard.press("p");
  const masked = await screen();
  expect(masked).toContain("account/•••/3 equity < ••• hysteresis •••");
  dashboard.press("escape");
  const list = await screen();
  expect(list).toMatch(/account\/•••\/3 position perp.*\n.*perp\/1 last > 65000/);
  update("987.5", 2);
  const fired = await screen();
  expect(fired).toContain(" alert: account/•••/3 equity < ••• ");
  for (const each of [masked, list, fired]) {
    for (const secret of [address.slice(0, 8), "1000", "234.5", "87.5", "> 42"]) {
      expect(each).not.toContain(secret);
    }
  }
  dashboard.press("p");
  expect(await screen()).toContain("987.5");
});

test("a program of an alert that has failed is named in the list and in the status line, until one runs", async () => {
  const feed = new MarketFeed();
  const alerts = new AlertManager({
    store: feed.store,
    scales: openScales(feed.store, {}),
    now: () => feed.nowMs,
    wall: () => feed.nowMs,
  });
  const { dashboard } = openDashboard(feed, { alerts });
  alerts.onChange = () => dashboard.notify();
  alerts.add(alertRule("perp/1 last > 65000"), "config");
  const app = mountDashboard(dashboard, { columns: 140, rows: 12 });
  dashboard.press("N");
  const screen = async () => (await app.shown()).text();
  expect((await screen()).join("\n")).not.toContain("program");
  alerts.noteFault("/no/such\u001b[2J: not found");
  const lines = await screen();
  expect(lines.join("\n")).toContain("program failed: /no/such\\x1b[2J: not found");
  expect(lines.at(-1)).toContain("alert program: /no/such\\x1b[2J: not found");
  alerts.noteFault(undefined);
  expect((await screen()).join("\n")).not.toContain("program");
});

test("the list says how many alerts are too many to be watched", async () => {
  const { dashboard, alerts, screen } = openAlerts();
  for (let i = 0; i < 202; i++) alerts.add(alertRule("perp/1 last > 5"), "option");
  dashboard.press("N");
  expect(await screen()).toContain("Alerts 200  2 more are not watched: too many");
});

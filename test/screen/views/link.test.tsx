// The view about the session itself: the link with every channel on it, and the log.
import { describe, expect, test } from "vitest";
import type { DashboardOptions } from "../../../src/screen/dashboard.ts";
import { openAlerts } from "../../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../../support/market-feed.ts";
import { mountDashboard } from "../../support/mount-dashboard.tsx";
import { openDashboard } from "../../support/open-dashboard.ts";
import { words } from "../../support/words.ts";

function open(
  key: string,
  {
    columns = 240,
    rows = 30,
    ...more
  }: Partial<DashboardOptions> & { columns?: number; rows?: number } = {},
) {
  const feed = new MarketFeed();
  const wall = () => Date.UTC(2026, 0, 1) + feed.nowMs;
  const { dashboard } = openDashboard(feed, { wall, ...more });
  dashboard.open({ type: "perp", id: "1" });
  const held = dashboard.channels;
  feed.link("open", { roundTripMs: 4.2, reconnects: 2, skewMs: 7000 });
  feed.subscribe(CHANNELS.orderbook, CHANNELS.trades);
  feed.book([[10, 1]], [[12, 1]], 77, true);
  feed.say({ type: "gap", channel: CHANNELS.orderbook, held: "77", previous: "80" });
  const fault = { reason: "wrong-shape", path: "sequence", detail: "not text" };
  const rejection = { ...fault, sample: "{", channel: undefined };
  feed.say({ type: "rejected", channel: CHANNELS.orderbook, rejection });
  const message = "unknown\u001b[2Jmarket";
  feed.say({ type: "refused", channel: CHANNELS.trades, code: 404, message });
  feed.advance(2000);
  dashboard.press(key);
  return { ...mountDashboard(dashboard, { columns, rows }), feed, held };
}

describe("the view of the link", () => {
  test("shows each channel with its state, faults, first example, interpretation and sequence", async () => {
    const { screen } = open("L");
    const text = await screen();
    expect(text).toContain("open 4.2 ms");
    expect(text).toContain("reconnects 2");
    expect(text).toContain("our clock +7.0s");
    const book = text.split("\n").find((line) => line.includes("orderbook/perp/1")) ?? "";
    expect(book).toMatch(/(?:live|quiet) +2\.0s.* 1 .*changes, assumed +bbo has not confirmed/);
    expect(book).toContain("77");
    expect(book).toContain("wrong-shape sequence: not text".slice(0, 20));
    const trades = text.split("\n").find((line) => line.includes("trades/perp/1")) ?? "";
    expect(trades).toMatch(/refused/);
    expect(text).not.toContain("\u001b[2J");
  });

  test("holds the channels of the view before it, so that looking changes nothing", () => {
    const { dashboard, held } = open("L");
    expect(dashboard.channels).toEqual(held);
    dashboard.press("D");
    expect(dashboard.channels).toEqual(held);
  });
});

test("a line of the log has the same time whenever it is drawn, until the clock is set", async () => {
  const clock = { reads: 0, setMs: 0 };
  const wall = () => Date.UTC(2026, 0, 1) + clock.setMs + (clock.reads++ % 7);
  const { screen, dashboard } = open("L", { wall });
  const times = async () => [...(await screen()).matchAll(/\d\d:\d\d:\d\d\.\d{3}/g)].map(String);
  const first = await times();
  expect(first.length).toBeGreaterThan(3);
  for (let i = 0; i < 5; i++) {
    dashboard.notify();
    expect(await times()).toEqual(first);
  }
  clock.setMs = 60_000;
  dashboard.notify();
  expect(await times()).not.toEqual(first);
});

test("the selected line of the log stays selected when others come above it", async () => {
  const { screen, dashboard, feed } = open("L");
  dashboard.press("tab");
  const selected = async () => {
    const line = (await screen()).split("\n").findLast((each) => each.includes("▸")) ?? "";
    return line.replace(/ +/g, " ");
  };
  await screen();
  dashboard.press("down");
  dashboard.press("down");
  const line = await selected();
  expect(line).toContain("▸ 00:00:00.000");
  feed.say({ type: "resync", channel: CHANNELS.orderbook, reason: "a gap" });
  dashboard.notify();
  expect(await selected()).toBe(line);
});

test("the mask hides addresses in channels and log, also while they are frozen", async () => {
  const address = "Demo1Address1Demo1Address1Demo1Addr";
  const { screen, dashboard, feed, press } = open("L");
  for (const channel of [`account/${address}/3`, `accounts/${address}`]) {
    feed.subscribe(channel);
    feed.say({ type: "refused", channel, code: 404, message: `no ${address} here` });
  }
  dashboard.watch({ address, subaccountId: "3" });
  expect(await screen()).toContain("Demo1");
  const text = await press("f", "p");
  expect(text).not.toContain("Demo1");
  expect(text.match(/accounts\/•••/g)).toHaveLength(2);
  expect(text.match(/account\/•••\/3/g)).toHaveLength(2);
});

test("the mask hides addresses in the palette, the status line and the frames, too", async () => {
  const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
  const other = "8JNe3gtSFx2ZaJMqyRzT3mWJrDvC9wPbLkHnUeQaXsVo";
  const { screen, dashboard, feed } = open("A", {
    account: { address, subaccountId: "3" },
    history: [`account ${other} 0`],
  });
  const channel = `account/${address}/3`;
  feed.subscribe(channel);
  feed.say({ type: "refused", channel, code: 404, message: `no ${address}` });
  feed.say({ type: "service-error", code: 400, message: `what is ${other}?` });
  for (const typed of ["", "channel account", `account ${address}`, "account x"]) {
    dashboard.press(":");
    dashboard.paste(typed);
    expect(await screen()).toMatch(/gtSF|8JNe/);
    dashboard.press("return");
    dashboard.toggleMask();
    expect(await screen()).not.toMatch(/gtSF|8JNe/);
    dashboard.toggleMask();
    dashboard.press("escape");
  }
});

test("only what stands still says that it is frozen: alerts and listings go on", async () => {
  const { press } = open("L", { alerts: openAlerts(new MarketFeed()) });
  expect(await press("f")).toContain("FROZEN");
  expect(await press("f", "N", "f")).toMatch(/Alerts .* ● live/);
});

describe("the log", () => {
  test("shows what happened, newest first, with the time of day, and every control character spelled out", async () => {
    const { screen } = open("L", { columns: 120 });
    const lines = (await screen()).split("\n").filter((line) => /00:00:\d\d\.\d{3}/.test(line));
    expect(lines.map((line) => /(?:debug|info|warn|error) +([a-z-]+)/.exec(line)?.[1])).toEqual(
      words("refused rejected gap connected"),
    );
    expect(lines[0]).toContain("404: unknown");
  });

  test("stands still while it is frozen", async () => {
    const { screen, dashboard, feed, press } = open("L", { columns: 120 });
    await screen();
    dashboard.press("f");
    feed.say({ type: "resync", channel: CHANNELS.orderbook, reason: "later" });
    dashboard.tick();
    expect(await screen()).not.toContain("later");
    expect(await press("f")).toContain("later");
  });
});

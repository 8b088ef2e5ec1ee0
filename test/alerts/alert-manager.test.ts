import { describe, expect, test } from "vitest";
import { setConfigAlerts } from "../../src/alerts/alert-run.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS } from "../support/market-feed.ts";
import { ACCOUNT, CENTS, openAlerts, START_WALL_MS } from "./alert-rig.ts";

const openInCents = () => {
  const rig = openAlerts({ scale: CENTS });
  const trades = (...prices: number[]) => {
    for (const price of prices) rig.feed.trade(price, 1);
  };
  return { ...rig, trades };
};

describe("alerts on a market", () => {
  test("fire once at a crossing, with the exact price, and not at the start", () => {
    const { set, trades, fired, manager, conditions } = openInCents();
    trades(6_600_000);
    set("perp/1 last > 65000");
    trades(6_700_000);
    expect(fired).toEqual([]);
    trades(6_500_000, 6_500_001, 6_400_000, 6_600_000);
    expect(fired).toEqual(["perp/1 last > 65000: 65000.01"]);
    expect(conditions()).toEqual(["fired"]);
    expect(manager.channels).toEqual([]);
  });

  test("wait for what a tick is worth, and can be set in ticks", () => {
    const { set, feed, fired, whyNot } = openAlerts();
    feed.trade(99, 1);
    set("perp/1 last > 1");
    set("perp/1 last > 100 ticks");
    feed.trade(101, 1);
    expect(fired).toEqual(["perp/1 last > 100 ticks: 101"]);
    expect(whyNot()[0]).toContain("what a tick is worth is not known");
  });

  test("know best prices, spread, imbalance, funding and mark", () => {
    const { feed, set, stats, fired } = openInCents();
    const market = { market_id: 1, market_type: "perp" };
    feed.bbo(10_000, 10_002);
    feed.book([[9999, 5]], [[10_002, 5]], 1, true);
    stats({ ...market, mark_price: "100", funding_rate: "0.0001" }, true);
    const rules = [
      ...["bid < 100", "ask > 100.02", "spread > 0.02", "spread > 2 bp", "imbalance > 70"],
      ...["funding < 0", "mark < 100"],
    ];
    for (const rule of rules) set(`perp/1 ${rule}`);
    expect(fired).toEqual([]);
    feed.bbo(9999, 10_003);
    feed.book([[10_000, 15]], [], 2);
    stats({ ...market, mark_price: "99.999", funding_rate: "-0.00000001" });
    expect(fired).toEqual([
      "perp/1 bid < 100: 99.99",
      "perp/1 ask > 100.02: 100.03",
      "perp/1 spread > 0.02: 0.04",
      "perp/1 spread > 2 bp: 3.99960004",
      "perp/1 imbalance > 70 %: 80.0000",
      "perp/1 funding < 0: -0.00000001",
      "perp/1 mark < 100: 99.999",
    ]);
  });

  test("know the mark of a record that stands alone without a name, and take none of another market", () => {
    const { set, stats, fired } = openAlerts();
    stats({ mark_price: "100" }, true);
    set("perp/1 mark < 100 every 0s");
    stats({ mark_price: "99" });
    stats({ mark_price: "101" });
    stats({ market_id: 2, market_type: "perp", mark_price: "50" });
    expect(fired).toEqual(["perp/1 mark < 100 every 0s: 99"]);
  });

  test("fire at gaps", () => {
    const { feed, set, seconds, fired } = openAlerts();
    feed.trade(1, 1);
    set("perp/1 gap every 0s");
    seconds(1);
    feed.say({ type: "gap", channel: CHANNELS.trades });
    seconds(2);
    expect(fired).toEqual(["perp/1 trades gap every 0s"]);
  });

  test("come back in the next run as they were: fired ones stay fired", () => {
    const { set, trades, manager } = openInCents();
    trades(100);
    set("perp/1 last > 1");
    set("perp/1 last > 9");
    trades(101);
    const next = openAlerts();
    for (const persisted of manager.persisted()) {
      next.manager.add(alertRule(persisted.text), "screen", { persisted });
    }
    expect(next.conditions()).toEqual(["fired", "not evaluated"]);
    expect(next.manager.alerts[0]?.firedAtWallMs).toBe(START_WALL_MS);
  });
});

describe("alerts on an account", () => {
  const position = (size: string, side: string) => ({ market_id: 1, size, side });

  test("fire at fills, orders that are gone, positions that turn, and any number of the summary", () => {
    const { set, update, fired } = openAlerts();
    const order = (id: string) => ({ order_id: id, market_id: 1, size: "1", price: "5" });
    const fill = (id: string) => ({
      trade_id: id,
      price: "5",
      size: "1",
      timestamp_ns: `${id}000000000`,
    });
    update(ACCOUNT, {
      account: { equity: "1000.5", nested: { ratio: "2" } },
      orders: [order("1"), order("2")],
      // Where a market can be flat, a position that turns is one.
      positions: [position("2", "long"), { ...position("0", "flat"), market_id: 2 }],
      fills: [fill("1")],
    });
    const rules = ["fill", "order-gone", "position perp/1 < 0", "equity < 1000"];
    for (const rule of [...rules, "nested.ratio < 1"]) set(`@ ${rule}`);
    update(ACCOUNT, { orders: [order("1"), order("2"), order("3")] });
    expect(fired).toEqual([]);
    update(ACCOUNT, { fills: [fill("2")] });
    update(ACCOUNT, { orders: [{ ...order("2"), status: "cancelled" }] });
    update(ACCOUNT, { positions: [position("1", "short")] });
    update(ACCOUNT, { account: { equity: "999.99", nested: { ratio: "0.5" } } });
    expect(fired).toEqual([
      "fill",
      "order-gone",
      "position perp/1 < 0: -1",
      "equity < 1000: 999.99",
      "nested.ratio < 1: 0.5",
    ]);
  });

  test("on a position whose rows are in question say so, and do not fire", () => {
    const { set, update, fired, whyNot } = openAlerts();
    update(ACCOUNT, { positions: [position("2", "long")] });
    set("@ position perp/1 < 0");
    update(ACCOUNT, { positions: [position("1", "short")] });
    expect(fired).toEqual([]);
    expect(whyNot()[0]).toContain("in question");
  });
});

test("alerts of the config file, of options and of earlier runs that are too many are counted, not forgotten", () => {
  const { manager, set } = openAlerts();
  const settings = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      return { rule: alertRule(`perp/1 last > ${i + 1}`), exec: undefined };
    });
  manager.replaceFrom("config", settings(203));
  expect([manager.alerts.length, manager.leftOut]).toEqual([200, 3]);
  const persisted = { text: "", setAtWallMs: 0, firings: 0, firedAtWallMs: undefined };
  for (const { rule } of settings(1)) {
    manager.add(rule, "option");
    manager.add(rule, "screen", { persisted });
  }
  expect(manager.leftOut).toBe(5);
  expect(set("perp/1 last > 5")).toBeUndefined();
  expect(manager.leftOut).toBe(5);
  manager.replaceFrom("config", settings(10));
  expect([manager.alerts.length, manager.leftOut]).toEqual([10, 2]);
});

describe("alerts of the config file", () => {
  const when = "perp/1 last > 65000";

  test("that have fired once stay so when the file is saved again", () => {
    const { manager, fired, trades } = openInCents();
    const alerts = [{ when }, { when: "perp/1 last < 64000" }];
    setConfigAlerts(manager, { alerts });
    trades(6_400_000, 6_600_000);
    expect(fired).toEqual([`${when}: 66000.00`]);
    const ids = manager.alerts.map(({ id }) => id);
    setConfigAlerts(manager, { alerts, theme: "dark" });
    setConfigAlerts(manager, { alerts: alerts.toReversed() });
    expect(manager.alerts.map(({ id }) => id)).toEqual(ids);
    trades(6_400_000, 6_600_000);
    expect(fired).toHaveLength(1);
    trades(6_300_000);
    expect(fired.slice(1)).toEqual(["perp/1 last < 64000: 63000.00"]);
  });

  test("with other words or another program begin anew, those that are gone are heard no more", () => {
    const { manager, fired, trades } = openInCents();
    setConfigAlerts(manager, { alerts: [{ when }, { when }, { when: "perp/1 last > 70000" }] });
    trades(6_400_000, 6_600_000);
    expect(fired).toHaveLength(2);
    setConfigAlerts(manager, { alerts: [{ when, exec: ["say", "up"] }, { when }] });
    expect(manager.alerts.map(({ exec }) => exec)).toEqual([undefined, ["say", "up"]]);
    trades(6_400_000, 7_100_000);
    expect(fired).toHaveLength(3);
  });

  test("change none that were set on the screen", () => {
    const { manager, set } = openAlerts();
    set(when);
    setConfigAlerts(manager, { alerts: [{ when }] });
    setConfigAlerts(manager, {});
    expect(manager.alerts.map(({ origin }) => origin)).toEqual(["screen"]);
  });
});

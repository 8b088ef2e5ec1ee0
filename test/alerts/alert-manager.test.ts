import { describe, expect, test } from "vitest";
import {
  type AlertFiring,
  AlertManager,
  selectAlertCondition,
} from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { openScales } from "../../src/select/scale.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const START_WALL_MS = Date.UTC(2026, 0, 1);

/** A manager over a feed that is received; scales as the config says them. */
function open({ isScaled = true } = {}) {
  const feed = new MarketFeed();
  const scale = {
    tickSize: { mantissa: 1n, places: 2 },
    lotSize: { mantissa: 1n, places: 4 },
  };
  const fired: string[] = [];
  const firings: AlertFiring[] = [];
  const manager = new AlertManager({
    store: feed.store,
    scales: openScales(feed.store, isScaled ? { "perp/1": scale } : {}),
    now: () => feed.nowMs,
    wall: () => START_WALL_MS + feed.nowMs,
  });
  manager.onFire = (firing) => {
    fired.push(formatFiring(firing, false));
    firings.push(firing);
  };
  const set = (text: string) => {
    return manager.add(alertRule(text), "screen");
  };
  feed.link("open");
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  const trade = (price: number) => {
    feed.trade(price, 1);
    manager.observe(CHANNELS.trades);
  };
  const bbo = (bid: number, ask: number) => {
    feed.bbo(bid, ask);
    manager.observe(CHANNELS.bbo);
  };
  const second = () => {
    feed.advance(1000);
    manager.tick();
  };
  return { feed, manager, fired, firings, set, trade, bbo, second };
}

describe("alerts on a market", () => {
  test("fire once at a crossing, with the exact price, and not at the start", () => {
    const { set, trade, fired, manager } = open();
    trade(6_600_000);
    set("perp/1 last > 65000");
    trade(6_700_000);
    expect(fired).toEqual([]);
    trade(6_500_000);
    trade(6_500_001);
    trade(6_400_000);
    trade(6_600_000);
    expect(fired).toEqual(["perp/1 last > 65000: 65000.01"]);
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["fired"]);
    expect(manager.channels).toEqual([]);
  });

  test("wait for what a tick is worth, and can be set in ticks", () => {
    const { set, trade, fired, manager } = open({ isScaled: false });
    trade(99);
    set("perp/1 last > 1");
    set("perp/1 last > 100 ticks");
    trade(101);
    expect(fired).toEqual(["perp/1 last > 100 ticks: 101"]);
    expect(manager.alerts[0]?.state.notEvaluated).toContain("what a tick is worth is not known");
  });

  test("are not evaluated from stale data, say so, and tell a crossing that happened meanwhile as such", () => {
    const { feed, set, bbo, second, fired, manager } = open();
    bbo(100, 101);
    set("perp/1 ask < 1");
    bbo(100, 102);
    feed.link("waiting");
    second();
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["not evaluated"]);
    expect(manager.alerts[0]?.state.notEvaluated).toBe("offline");
    feed.link("open");
    feed.say({ type: "subscribing", channel: CHANNELS.bbo });
    second();
    expect(manager.alerts[0]?.state.notEvaluated).toBe("resync");
    expect(fired).toEqual([]);
    bbo(98, 99);
    expect(fired).toEqual(["perp/1 ask < 1: 0.99 (crossed while data were missing)"]);
  });

  test("see every trade of a frame, also those that came while nothing was evaluated", () => {
    const { feed, set, trade, manager, firings } = open();
    trade(100);
    set("perp/1 last > 1.1");
    trade(100);
    feed.trade(120, 1);
    feed.trade(90, 1);
    manager.observe(CHANNELS.trades);
    expect(firings.map(({ value }) => value)).toEqual(["1.20"]);
  });

  test("know spread, imbalance, funding and mark", () => {
    const { feed, set, bbo, manager, fired } = open();
    const stats = (mark: string, funding: string, isFirst = false) => {
      const record = { market_id: 1, market_type: "perp", mark_price: mark, funding_rate: funding };
      const chain = { previous_sequence: null, sequence: null };
      feed.update(CHANNELS.stats, { ...chain, market_stats: [record] }, isFirst);
      manager.observe(CHANNELS.stats);
    };
    bbo(10_000, 10_002);
    feed.book([[9999, 5]], [[10_002, 5]], 1, true);
    stats("100", "0.0001", true);
    for (const rule of [
      "spread > 0.02",
      "spread > 2 bp",
      "imbalance > 70",
      "funding < 0",
      "mark < 100",
    ]) {
      set(`perp/1 ${rule}`);
    }
    expect(fired).toEqual([]);
    bbo(10_000, 10_003);
    feed.book([[10_000, 15]], [], 2);
    manager.observe(CHANNELS.orderbook);
    stats("99.999", "-0.00000001");
    expect(fired).toEqual([
      "perp/1 spread > 0.02: 0.03",
      "perp/1 spread > 2 bp: 2.99955007",
      "perp/1 imbalance > 70 %: 80.0000",
      "perp/1 funding < 0: -0.00000001",
      "perp/1 mark < 100: 99.999",
    ]);
  });

  test("know the mark of a record that stands alone without a name, and take none of another market", () => {
    const { feed, set, manager, fired } = open();
    const stats = (record: object, isFirst = false) => {
      const chain = { previous_sequence: null, sequence: null };
      feed.update(CHANNELS.stats, { ...chain, market_stats: [record] }, isFirst);
      manager.observe(CHANNELS.stats);
    };
    stats({ mark_price: "100" }, true);
    set("perp/1 mark < 100 every 0s");
    stats({ mark_price: "99" });
    stats({ mark_price: "101" });
    stats({ market_id: 2, market_type: "perp", mark_price: "50" });
    expect(fired).toEqual(["perp/1 mark < 100 every 0s: 99"]);
  });

  test("fire at gaps, and feeds that stop", () => {
    const { feed, set, trade, second, fired } = open();
    trade(1);
    set("perp/1 gap every 0s");
    set("perp/1 trades stale");
    second();
    feed.say({ type: "gap", channel: CHANNELS.trades });
    second();
    feed.link("waiting");
    second();
    second();
    expect(fired).toEqual(["perp/1 trades gap every 0s", "perp/1 trades stale"]);
  });

  test("end when their time is over", () => {
    const { set, trade, second, fired, manager } = open();
    trade(100);
    set("perp/1 last > 1 for 2s");
    second();
    second();
    trade(200);
    expect(fired).toEqual([]);
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["expired"]);
  });

  test("come back in the next run as they were: fired ones stay fired", () => {
    const { set, trade, manager } = open();
    trade(100);
    set("perp/1 last > 1");
    set("perp/1 last > 9");
    trade(101);
    const next = open();
    for (const persisted of manager.persisted()) {
      next.manager.add(alertRule(persisted.text), "screen", { persisted });
    }
    expect(next.manager.alerts.map(selectAlertCondition)).toEqual(["fired", "not evaluated"]);
    expect(next.manager.alerts[0]?.firedAtWallMs).toBe(START_WALL_MS);
  });
});

describe("alerts on an account", () => {
  const channel = "account/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU/3";

  function openAccount() {
    const opened = open();
    const { feed, manager } = opened;
    feed.say({ type: "subscribing", channel });
    let sequence = 1;
    const update = (fields: object, isFirst = false) => {
      const chain = {
        previous_sequence: isFirst ? null : `${sequence - 1}`,
        sequence: `${sequence++}`,
      };
      feed.update(channel, { ...chain, ...fields }, isFirst);
      manager.observe(channel);
    };
    return { ...opened, update };
  }

  test("fire at fills, orders that are gone, positions that turn, and any number of the summary", () => {
    const { set, update, fired } = openAccount();
    const order = (id: string) => ({ order_id: id, market_id: 1, size: "1", price: "5" });
    const position = (size: string, side: string) => ({
      market_id: 1,
      market_type: "perp",
      size,
      side,
    });
    const fill = (id: string) => ({
      trade_id: id,
      price: "5",
      size: "1",
      timestamp_ns: `${id}000000000`,
    });
    update(
      {
        account: { equity: "1000.5", nested: { ratio: "2" } },
        orders: [order("1"), order("2")],
        // Where a market can be flat, a position that turns is one.
        positions: [position("2", "long"), { ...position("0", "flat"), market_id: 2 }],
        fills: [fill("1")],
      },
      true,
    );
    for (const rule of [
      "fill",
      "order-gone",
      "position perp/1 < 0",
      "equity < 1000",
      "nested.ratio < 1",
    ]) {
      set(`${channel} ${rule}`);
    }
    update({ orders: [order("1"), order("2"), order("3")] });
    expect(fired).toEqual([]);
    update({ fills: [fill("2")] });
    update({ orders: [{ ...order("2"), status: "cancelled" }] });
    update({ positions: [position("1", "short")] });
    update({ account: { equity: "999.99", nested: { ratio: "0.5" } } });
    expect(fired).toEqual([
      `${channel} fill`,
      `${channel} order-gone`,
      `${channel} position perp/1 < 0: -1`,
      `${channel} equity < 1000: 999.99`,
      `${channel} nested.ratio < 1: 0.5`,
    ]);
  });

  test("on a position whose rows are in question say so, and do not fire", () => {
    const { set, update, fired, manager } = openAccount();
    const position = (size: string, side: string) => ({ market_id: 1, size, side });
    update({ positions: [position("2", "long")] }, true);
    set(`${channel} position perp/1 < 0`);
    update({ positions: [position("1", "short")] });
    expect(fired).toEqual([]);
    expect(manager.alerts[0]?.state.notEvaluated).toContain("in question");
  });
});

test("alerts of the config file, of options and of earlier runs that are too many are counted, not forgotten", () => {
  const { manager, set } = open();
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

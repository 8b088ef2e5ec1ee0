// Alerts on the order flow: sums over a window, the trades of one taker, the change of the price; never over an open hole.
import { expect, test } from "vitest";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { formatAlert, parseAlert } from "../../src/alerts/alert-rule.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const SCALE = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 1 } };

function open({ isScaled = true } = {}) {
  const feed = new MarketFeed();
  feed.nowMs = 10_000_000;
  const fired: string[] = [];
  const manager = new AlertManager({
    store: feed.store,
    scales: openScales(feed.store, isScaled ? { "perp/1": SCALE } : {}),
    now: () => feed.nowMs,
    wall: () => feed.nowMs,
  });
  manager.onFire = (firing) => fired.push(formatFiring(firing, false));
  const subscribe = () => feed.say({ type: "subscribing", channel: CHANNELS.trades });
  feed.link("open");
  subscribe();
  const send = (trades: readonly (readonly [price: number, size: number])[], isFirst = false) => {
    feed.update(
      CHANNELS.trades,
      {
        previous_sequence: null,
        sequence: null,
        trades: trades.map(
          ([price, size]): Trade => ({
            timestamp_ns: `${feed.nowMs}000000`,
            price_ticks: `${price}`,
            size_base_lots: `${Math.abs(size)}`,
            taker_is_bid: size > 0,
          }),
        ),
      },
      isFirst,
    );
    manager.observe(CHANNELS.trades);
  };
  const set = (text: string) => {
    return manager.add(alertRule(text), "screen");
  };
  const seconds = (count: number) => {
    for (let i = 0; i < count; i++) {
      feed.advance(1000);
      manager.tick();
    }
  };
  const reconnect = () => {
    feed.link("waiting");
    feed.link("open");
    subscribe();
  };
  const why = () => manager.alerts.map(({ state }) => state.notEvaluated);
  return { feed, send, set, seconds, reconnect, fired, why };
}

test.each([
  "perp/1 delta 1m < -200 lots",
  "perp/1 delta 90s > 0.5 base every 60s",
  "perp/1 cvd crosses 0 base",
  "perp/1 vwap > 65000",
  "perp/1 trade > 5 quote every 10s",
  "perp/1 change 5m < -1.5 %",
])("%j is read and written as it is", (text) => {
  const parsed = parseAlert(text);
  expect("rule" in parsed && formatAlert(parsed.rule)).toBe(text);
});

test.each([
  ["perp/1 delta > 5", "delta needs a time of 1s to 24h"],
  ["perp/1 change 500ms > 5", "change needs a time"],
  ["perp/1 delta 25h > 5", "delta needs a time"],
  ["perp/1 trade < 5 base", "watched for being large"],
  ["perp/1 vwap > 5 lots", '"lots" is not known'],
])("%j is refused with what is wrong", (text, words) => {
  const parsed = parseAlert(text);
  expect("fault" in parsed && parsed.fault).toContain(words);
});

test("a delta is of its window, and waits until that is covered", () => {
  const { send, set, seconds, fired, why } = open();
  send([[100, 5]], true);
  set("perp/1 delta 10s < -20 lots every 0s");
  seconds(5);
  send([[100, -200]]);
  expect([fired, why()]).toEqual([[], ["60% covered"]]);
  seconds(10);
  send([[100, -15]]);
  expect(fired).toEqual([]);
  seconds(1);
  send([[100, -7]]);
  // What left the window does not count any more.
  seconds(10);
  send([[100, -19]]);
  send([[100, -2]]);
  expect(fired).toEqual([
    "perp/1 delta 10s < -20 lots every 0s: -22",
    "perp/1 delta 10s < -20 lots every 0s: -21",
  ]);
});

test("a cumulative delta and a VWAP are over all that flow covers", () => {
  const { send, set, seconds, fired } = open();
  send([[100, 5]], true);
  seconds(1);
  set("perp/1 cvd > 1 base");
  set("perp/1 vwap > 1.05");
  send([[120, 6]]);
  expect(fired).toEqual(["perp/1 cvd > 1 base: 1.1", "perp/1 vwap > 1.05: 1.1090909091"]);
});

test("an open hole in the window keeps a rule from being evaluated, until it has left the window", () => {
  const { send, set, seconds, reconnect, fired, why } = open();
  send([[100, 1]], true);
  seconds(20);
  set("perp/1 delta 10s > 3 lots");
  set("perp/1 cvd > 3 lots");
  reconnect();
  seconds(2);
  send([[100, 50]], true);
  expect(why()).toEqual(["1 hole 3.0 s", "1 hole 3.0 s"]);
  seconds(12);
  send([[100, 2]]);
  seconds(1);
  send([[100, 2]]);
  expect(fired).toEqual(["perp/1 delta 10s > 3 lots: 4"]);
  expect(why()[1]).toBe("1 hole 3.0 s");
});

test("the trades of one taker count as one, each taker anew, also where they come in two frames", () => {
  const { send, set, seconds, fired } = open();
  send([[100, 90]], true);
  set("perp/1 trade > 5 base every 0s");
  set("perp/1 trade > 40 quote every 0s");
  seconds(1);
  send([[100, 30]]);
  expect(fired).toEqual([]);
  send([[101, 30]]);
  seconds(1);
  send([[100, -60]]);
  seconds(1);
  send([[100, -400]]);
  expect(fired).toEqual([
    "perp/1 trade > 5 base every 0s: 6.0",
    "perp/1 trade > 5 base every 0s: 6.0",
    "perp/1 trade > 5 base every 0s: 40.0",
  ]);
});

test("a change is against the last price before its window", () => {
  const { send, set, seconds, fired, why } = open();
  send([[1000, 1]], true);
  set("perp/1 change 5s > 1 %");
  set("perp/1 change 5s < -1 %");
  expect(why()).toEqual(["20% covered", "20% covered"]);
  seconds(7);
  send([[1005, 1]]);
  seconds(1);
  send([[1015, 1]]);
  seconds(7);
  send([[1000, 1]]);
  expect(fired).toEqual(["perp/1 change 5s > 1 %: 1.5", "perp/1 change 5s < -1 %: -1.47783251"]);
});

test("without a scale lots can be watched", () => {
  const { send, set, seconds, fired, why } = open({ isScaled: false });
  send([[100, 1]], true);
  seconds(1);
  set("perp/1 cvd > 3 base");
  set("perp/1 cvd > 3 lots");
  send([[100, 5]]);
  expect(fired).toEqual(["perp/1 cvd > 3 lots: 6"]);
  expect(why()[0]).toContain("what a lot is worth is not known");
});

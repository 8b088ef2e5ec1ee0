// Alerts on the order flow: sums over a window, the trades of one taker, the change of the price; never over an open hole.
import { expect, test } from "vitest";
import { CHANNELS } from "../support/market-feed.ts";
import { openAlerts, UNNUMBERED } from "./alert-rig.ts";

const SCALE = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 1 } };

function open({ isScaled = true } = {}) {
  const { feed, ...rig } = openAlerts(isScaled ? { scale: SCALE } : {});
  feed.advance(10_000_000);
  return {
    ...rig,
    /** Trades of this moment; a negative size is sold. */
    send(trades: readonly (readonly [price: number, size: number])[], isFirst = false) {
      const sent = trades.map(([price, size]) => ({
        timestamp_ns: `${feed.nowMs}000000`,
        price_ticks: `${price}`,
        size_base_lots: `${Math.abs(size)}`,
        taker_is_bid: size > 0,
      }));
      feed.update(CHANNELS.trades, { ...UNNUMBERED, trades: sent }, isFirst);
    },
    reconnect() {
      feed.link("waiting");
      feed.link("open");
      feed.say({ type: "subscribing", channel: CHANNELS.trades });
    },
  };
}

test("a delta is of its window, and waits until that is covered", () => {
  const { send, set, seconds, fired, whyNot } = open();
  send([[100, 5]], true);
  set("perp/1 delta 10s < -20 lots every 0s");
  seconds(5);
  send([[100, -200]]);
  expect([fired, whyNot()]).toEqual([[], ["60% covered"]]);
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
  const { send, set, seconds, reconnect, fired, whyNot } = open();
  send([[100, 1]], true);
  seconds(20);
  set("perp/1 delta 10s > 3 lots");
  set("perp/1 cvd > 3 lots");
  reconnect();
  seconds(2);
  send([[100, 50]], true);
  expect(whyNot()).toEqual(["1 hole 3.0 s", "1 hole 3.0 s"]);
  seconds(12);
  send([[100, 2]]);
  seconds(1);
  send([[100, 2]]);
  expect(fired).toEqual(["perp/1 delta 10s > 3 lots: 4"]);
  expect(whyNot()[1]).toBe("1 hole 3.0 s");
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
  const { send, set, seconds, fired, whyNot } = open();
  send([[1000, 1]], true);
  set("perp/1 change 5s > 1 %");
  set("perp/1 change 5s < -1 %");
  expect(whyNot()).toEqual(["20% covered", "20% covered"]);
  seconds(7);
  send([[1005, 1]]);
  seconds(1);
  send([[1015, 1]]);
  seconds(7);
  send([[1000, 1]]);
  expect(fired).toEqual(["perp/1 change 5s > 1 %: 1.5", "perp/1 change 5s < -1 %: -1.47783251"]);
});

test("without a scale lots can be watched", () => {
  const { send, set, seconds, fired, whyNot } = open({ isScaled: false });
  send([[100, 1]], true);
  seconds(1);
  set("perp/1 cvd > 3 base");
  set("perp/1 cvd > 3 lots");
  send([[100, 5]]);
  expect(fired).toEqual(["perp/1 cvd > 3 lots: 6"]);
  expect(whyNot()[0]).toContain("what a lot is worth is not known");
});

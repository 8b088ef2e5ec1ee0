// Snapshots in several frames, first ones and those in mid-stream, and backlogs that bring what happened before what is held:
// neither is news for an alert.
import { expect, test } from "vitest";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import { alertRule } from "../support/alert-rule.ts";
import { level } from "../support/market-feed.ts";
import { openStreamRig } from "../support/stream-rig.ts";
import { ACCOUNT } from "./alert-rig.ts";

const TRADES = "trades/perp/1";
const BOOK = "orderbook/perp/1";

/** Alerts on a stream that is connected, with these channels subscribed. */
function open(channels: readonly string[], rules: readonly string[]) {
  const store = new Store();
  const fired: string[] = [];
  let manager: AlertManager | undefined;
  const { clock, service } = openStreamRig(channels, {
    onEvent(event) {
      store.dispatch(event);
      manager?.onEvent(event);
    },
  });
  manager = new AlertManager({
    store,
    scales: openScales(store, {}),
    now: clock.now,
    wall: clock.wall,
  });
  manager.onFire = (firing) => fired.push(formatFiring(firing, false));
  for (const rule of rules) manager.add(alertRule(rule), "config");
  const send = (channel: string, previous: string | null, sequence: string, fields: object) =>
    service.last.send({
      type: "update",
      channel,
      timestamp_ns: "1",
      previous_sequence: previous,
      sequence,
      ...fields,
    });
  const second = () => {
    clock.advance(1000);
    manager.tick();
  };
  /** The service ends the subscription by itself, and it is subscribed again. */
  const renew = (channel: string) => {
    service.last.unsubscribed(channel);
    second();
  };
  return { fired, send, second, renew };
}

const order = (id: string) => ({ order_id: id, market_id: 1, size: "1", price: "5" });
const fill = (id: string) => ({ trade_id: id, price: "5", size: "1", timestamp_ns: `${id}0` });
const trade = (ns: number, price: number) => ({
  ...level(price, 1),
  timestamp_ns: `${ns}`,
  taker_is_bid: true,
});

test("fills in a later part of a first snapshot are none that happened since", () => {
  const { fired, send, second } = open([ACCOUNT], [`${ACCOUNT} fill every 0s`]);
  send(ACCOUNT, null, "10", { account: { equity: "1" } });
  send(ACCOUNT, null, "10", { fills: [fill("1"), fill("2")] });
  second();
  expect(fired).toEqual([]);
  send(ACCOUNT, "10", "11", { fills: [fill("3")] });
  expect(fired).toEqual([`${ACCOUNT} fill every 0s`]);
});

test("a snapshot in mid-stream in parts takes nothing back", () => {
  const { fired, send } = open([ACCOUNT], [`${ACCOUNT} equity < 10`]);
  send(ACCOUNT, null, "10", { account: { equity: "20" } });
  send(ACCOUNT, "10", "11", { account: { equity: "15" } });
  send(ACCOUNT, null, "12", { account: { equity: "15" } });
  send(ACCOUNT, null, "12", { orders: [] });
  send(ACCOUNT, "12", "13", { account: { equity: "5" } });
  expect(fired).toEqual([`${ACCOUNT} equity < 10: 5 (crossed while data were missing)`]);
});

test.each(["in mid-stream", "of a new subscription"])(
  "orders in another part of a snapshot %s are not gone, and half a book is none",
  (which) => {
    const rules = [`${ACCOUNT} order-gone every 0s`, "perp/1 imbalance > 80 every 0s"];
    const { fired, send, second, renew } = open([ACCOUNT, BOOK], rules);
    const book = (sequence: number) => {
      send(BOOK, null, `${sequence}`, { orderbook: { bids: [level(99, 1)], asks: [] } });
      send(BOOK, null, `${sequence}`, { orderbook: { bids: [], asks: [level(101, 1)] } });
    };
    const bids = (sequence: number, size: number) => {
      const orderbook = { bids: [level(99, size)], asks: [] };
      send(BOOK, `${sequence}`, `${sequence + 1}`, { orderbook });
    };
    for (const sequence of [10, 20]) {
      for (const id of ["1", "2"]) send(ACCOUNT, null, `${sequence}`, { orders: [order(id)] });
      book(sequence);
      second();
      if (which === "in mid-stream") {
        send(ACCOUNT, `${sequence}`, `${sequence + 1}`, { account: { equity: "1" } });
        bids(sequence, 2);
      } else for (const channel of [ACCOUNT, BOOK]) renew(channel);
    }
    send(ACCOUNT, null, "30", { orders: [order("2")] });
    book(30);
    expect(fired).toEqual([]);
    // What follows a snapshot shows that it is complete; or time does.
    bids(30, 9);
    second();
    expect(fired).toEqual([
      "perp/1 imbalance > 80 % every 0s: 90.0000 (crossed while data were missing)",
      `${ACCOUNT} order-gone every 0s (crossed while data were missing)`,
    ]);
  },
);

test("prices of a first backlog in parts were there before the alert", () => {
  const { fired, send, second } = open([TRADES], ["perp/1 last > 100 ticks every 0s"]);
  send(TRADES, null, "10", { trades: [trade(5, 99), trade(6, 101), trade(7, 99)] });
  send(TRADES, null, "10", { trades: [trade(1, 99), trade(2, 101), trade(3, 99)] });
  second();
  expect(fired).toEqual([]);
  send(TRADES, "10", "11", { trades: [trade(8, 102)] });
  expect(fired).toEqual(["perp/1 last > 100 ticks every 0s: 102"]);
});

test("a crossing that was seen does not count again when a backlog brings older trades that were not", () => {
  const { fired, send, second, renew } = open([TRADES], ["perp/1 last > 100 ticks every 0s"]);
  send(TRADES, null, "10", { trades: [trade(10, 98)] });
  // One came late: trades before what is held may be missing.
  send(TRADES, "10", "11", { trades: [trade(20, 98)] });
  send(TRADES, "11", "12", { trades: [trade(15, 98)] });
  send(TRADES, "12", "13", { trades: [trade(30, 101)] });
  send(TRADES, "13", "14", { trades: [trade(40, 99)] });
  expect(fired).toEqual(["perp/1 last > 100 ticks every 0s: 101"]);
  renew(TRADES);
  send(TRADES, null, "20", {
    trades: [
      ...[10, 15, 20].map((ns) => trade(ns, 98)),
      ...[25, 26].map((ns) => trade(ns, 97)),
      ...[trade(30, 101), trade(40, 99)],
    ],
  });
  second();
  expect(fired).toHaveLength(1);
});

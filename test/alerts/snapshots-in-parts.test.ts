// Snapshots in several frames, first ones and those in mid-stream, and backlogs that bring what happened before what is held:
// neither is news for an alert.
import { expect, test } from "vitest";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import { alertRule } from "../support/alert-rule.ts";
import { createStreamRig } from "../support/stream-rig.ts";

const ADDRESS = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const ACCOUNT = `account/${ADDRESS}/3`;
const TRADES = "trades/perp/1";
const BOOK = "orderbook/perp/1";

/** Alerts on a stream that is connected, with these channels subscribed. */
function open(channels: readonly string[], rules: readonly string[]) {
  const store = new Store();
  const fired: string[] = [];
  let manager: AlertManager | undefined;
  const rig = createStreamRig({
    onEvent(event) {
      store.dispatch(event);
      manager?.onEvent(event);
    },
  });
  const { clock, service, stream } = rig;
  manager = new AlertManager({
    store,
    scales: openScales(store, {}),
    now: clock.now,
    wall: clock.wall,
  });
  manager.onFire = (firing) => fired.push(formatFiring(firing, false));
  for (const channel of channels) stream.subscribe(channel);
  rig.connect();
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
const level = (price: number, size: number) => ({
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
});
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

test("orders in another part of a snapshot in mid-stream are not gone, and half a book is none", () => {
  const rules = [`${ACCOUNT} order-gone every 0s`, "perp/1 imbalance > 80 every 0s"];
  const { fired, send, second } = open([ACCOUNT, BOOK], rules);
  const bids = { orderbook: { bids: [level(99, 1)], asks: [] } };
  const asks = { orderbook: { bids: [], asks: [level(101, 1)] } };
  const snapshot = (sequence: string) => {
    send(ACCOUNT, null, sequence, { orders: [order("1")] });
    send(ACCOUNT, null, sequence, { orders: [order("2")] });
    send(BOOK, null, sequence, bids);
    send(BOOK, null, sequence, asks);
    second();
  };
  snapshot("10");
  const next = (sequence: string, previous: string) => {
    send(ACCOUNT, previous, sequence, { account: { equity: "1" } });
    send(BOOK, previous, sequence, { orderbook: { bids: [level(99, 2)], asks: [] } });
  };
  next("11", "10");
  snapshot("12");
  next("13", "12");
  expect(fired).toEqual([]);
  send(ACCOUNT, null, "14", { orders: [order("2")] });
  second();
  expect(fired).toEqual([`${ACCOUNT} order-gone every 0s (crossed while data were missing)`]);
});

test("orders that are in another part of a snapshot are not gone", () => {
  const { fired, send, second, renew } = open([ACCOUNT], [`${ACCOUNT} order-gone every 0s`]);
  for (const sequence of ["10", "20"]) {
    send(ACCOUNT, null, sequence, { orders: [order("1")] });
    send(ACCOUNT, null, sequence, { orders: [order("2")] });
    second();
    renew(ACCOUNT);
  }
  send(ACCOUNT, null, "30", { orders: [order("2")] });
  expect(fired).toEqual([]);
  second();
  expect(fired).toEqual([`${ACCOUNT} order-gone every 0s (crossed while data were missing)`]);
});

test("the side of a book that comes first is not all of it", () => {
  const { fired, send, second, renew } = open([BOOK], ["perp/1 imbalance > 80 every 0s"]);
  for (const sequence of ["10", "20"]) {
    send(BOOK, null, sequence, { orderbook: { bids: [level(99, 1)], asks: [] } });
    send(BOOK, null, sequence, { orderbook: { bids: [], asks: [level(101, 1)] } });
    second();
    renew(BOOK);
  }
  send(BOOK, null, "30", { orderbook: { bids: [level(99, 1)], asks: [] } });
  send(BOOK, null, "30", { orderbook: { bids: [], asks: [level(101, 1)] } });
  // What follows a snapshot shows that it is complete.
  send(BOOK, "30", "31", { orderbook: { bids: [level(99, 9)], asks: [] } });
  expect(fired).toEqual([
    "perp/1 imbalance > 80 % every 0s: 90.0000 (crossed while data were missing)",
  ]);
});

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
      trade(10, 98),
      trade(15, 98),
      trade(20, 98),
      trade(25, 97),
      trade(26, 97),
      trade(30, 101),
      trade(40, 99),
    ],
  });
  second();
  expect(fired).toHaveLength(1);
});

// Alerts on what can go wrong with positions, margin, channels and the connection.
import { describe, expect, test } from "vitest";
import { CHANNELS } from "../support/market-feed.ts";
import { ACCOUNT, openAlerts, UNNUMBERED } from "./alert-rig.ts";

/** Firings are told with the state of their data, notices in words. */
function open() {
  const { firings, fired, noticed, update, ...rig } = openAlerts();
  return {
    ...rig,
    fired: () => fired.map((each, i) => `${each} (${firings[i]?.state})`),
    notices: noticed,
    account: (fields: object, isFirst?: boolean) => update(ACCOUNT, fields, isFirst),
  };
}

function position(
  market_id: number,
  side: string,
  mark: string | null,
  liquidation: string | null,
  more: object = {},
) {
  return {
    ...{ market_id, market_type: "perp", side, size: "2", entry_price: "100" },
    ...(mark !== null && { mark_price: mark }),
    ...(liquidation !== null && { liquidation_price: liquidation }),
    ...more,
  };
}

describe("the distance to a liquidation", () => {
  test("is that of the prices that the service names, exactly, and fires when it falls below its level", () => {
    const { account, set, fired, notices } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    account({ positions: [position(1, "long", "88.8888888888888888", "80")] });
    expect([fired(), notices()]).toEqual([[], []]);
    account({ positions: [position(1, "long", "88.8", "80")] });
    account({ positions: [position(1, "long", "88", "80")] });
    expect(fired()).toEqual(["liquidation perp/1 < 10 %: 9.90990991 (live)"]);
  });

  test("that is below the level already is said at once, and fires only after it has been above", () => {
    const { account, set, conditions, fired, notices } = open();
    account({ positions: [position(1, "long", "84", "80")] });
    set("@ liquidation perp/1 < 10% every 0s");
    expect(conditions()).toEqual(["already past"]);
    expect(notices()).toEqual(["already past: 4.76190476"]);
    account({ positions: [position(1, "long", "83", "80")] });
    expect(fired()).toEqual([]);
    account({ positions: [position(1, "long", "100", "80")] });
    account({ positions: [position(1, "long", "84", "80")] });
    expect(fired()).toEqual(["liquidation perp/1 < 10 % every 0s: 4.76190476 (live)"]);
    expect(notices()).toEqual(["already past: 4.76190476"]);
  });

  test("of a position that turns is that of another one, and so is that of one that is opened again", () => {
    const { account, set, fired } = open();
    // Where a market can be flat, a position that turns is one.
    const flat = position(2, "flat", "100", null, { size: "0" });
    account({ positions: [position(1, "long", "100", "80"), flat] });
    set("@ liquidation perp/1 < 10% every 0s");
    account({ positions: [position(1, "long", "84", "80")] });
    account({ positions: [position(1, "short", "84", "88")] });
    account({ positions: [position(1, "short", "84", "88", { size: "0" })] });
    account({ positions: [position(1, "short", "84", "87")] });
    expect(fired().map((each) => each.split(": ")[1])).toEqual([
      "4.76190476 (live)",
      "4.76190476 (live)",
      "3.57142857 (live)",
    ]);
  });

  test("of any position fires for each of them, also while another one is nearer", () => {
    const { account, set, fired, notices } = open();
    const [near, far] = [position(2, "long", "82", "80"), position(3, "short", "100", "150")];
    account({ positions: [near, far] });
    set("@ liquidation any < 10% every 0s");
    expect(notices()).toEqual(["already past: 2.43902439"]);
    account({ positions: [position(3, "short", "145", "150")] });
    expect(fired()).toEqual(["liquidation any < 10 % every 0s: 3.44827586 (live)"]);
  });

  test("is 0 once it has been reached, however far behind it lies", () => {
    const { account, set, fired } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    account({ positions: [position(1, "long", "60", "80")] });
    expect(fired()).toEqual(["liquidation perp/1 < 10 %: 0 (live)"]);
  });

  test.each([
    ["no liquidation price", "100", null],
    ["no mark price", null, "95"],
    ["a liquidation price of 0", "100", "0"],
    ["a negative liquidation price", "100", "-5"],
    ["a mark price of 0", "0", "95"],
  ])("is not guessed where there is %s", (_, mark, liquidation) => {
    const { account, set, fired, whyNot } = open();
    account({ positions: [position(1, "long", mark, liquidation)] });
    set("@ liquidation perp/1 < 10%");
    expect(whyNot()[0]).toMatch(/no position names both prices|waiting/);
    expect(fired()).toEqual([]);
  });

  test("is awaited again where the position is not listed for a while", () => {
    const { account, set, fired, whyNot } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    account({ positions: [position(2, "long", "100", "80")] });
    account({ positions: [position(1, "long", "100", "80"), position(2, "long", "100", "80")] });
    expect([fired(), whyNot()]).toEqual([[], [undefined]]);
  });

  test("is read by the mark price of the market where the position names none, while that is received", () => {
    const { feed, account, stats, set, fired, seconds, conditions, whyNot } = open();
    const market = { market_id: 1, market_type: "perp" };
    account({ positions: [position(1, "long", null, "80")] });
    set("@ liquidation perp/1 < 10%");
    stats({ ...market, mark_price: "100" }, true);
    seconds(1);
    expect(conditions()).toEqual(["armed"]);
    feed.say({ type: "resync", channel: CHANNELS.stats, reason: "" });
    expect(whyNot()[0]).toBe("resync");
    stats({ ...market, mark_price: "85" }, true);
    expect(fired()).toEqual([
      "liquidation perp/1 < 10 %: 5.88235294 (crossed while data were missing) (live)",
    ]);
  });

  test("is not read from data that are not live: what has crossed meanwhile is said when they are again", () => {
    const { feed, account, set, fired, notices, seconds } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    feed.link("waiting");
    seconds(3);
    feed.link("open");
    feed.say({ type: "subscribing", channel: ACCOUNT });
    seconds(1);
    expect([fired(), notices()]).toEqual([[], ["not evaluated: offline"]]);
    account({ positions: [position(1, "long", "84", "80")] }, true);
    expect(fired()).toEqual([
      "liquidation perp/1 < 10 %: 4.76190476 (crossed while data were missing) (live)",
    ]);
    expect(notices()).toEqual(["not evaluated: offline", "evaluated"]);
  });
});

describe("profit and margin", () => {
  test("what a position has lost, as the service names it, fires by position and again when it was closed", () => {
    const { account, set, fired } = open();
    const upnl = (unrealized_pnl: string, more = {}) =>
      account({ positions: [position(1, "long", "100", null, { unrealized_pnl, ...more })] });
    upnl("0");
    set("@ upnl perp/1 < -500 every 0s");
    upnl("-500");
    upnl("-500.01");
    upnl("-900");
    upnl("-900", { size: "0" });
    upnl("-700");
    expect(fired()).toEqual([
      "upnl perp/1 < -500 every 0s: -500.01 (live)",
      "upnl perp/1 < -500 every 0s: -700 (live)",
    ]);
  });

  test("margin in percent is that in use of the equity, margin without percent the amount", () => {
    const { account, set, fired } = open();
    account({ account: { equity: "1000", margin: "700" } });
    set("@ margin > 80%");
    set("@ margin > 900");
    account({ account: { equity: "1000", margin: "800.01" } });
    account({ account: { equity: "2000", margin: "901" } });
    expect(fired()).toEqual(["margin > 80 %: 80.001 (live)", "margin > 900: 901 (live)"]);
    const other = open();
    other.account({ account: { margin: "5" } });
    other.set("@ margin > 80%");
    expect(other.whyNot()[0]).toBe("the summary does not name margin and equity");
  });
});

describe("channels and the connection", () => {
  test("a channel that has not been live or quiet for 30 s is stale, whatever the reason, not after 29", () => {
    const { feed, set, fired, seconds, notices } = open();
    set("perp/1 trades stale 30s every 0s");
    seconds(5);
    feed.trade(1, 1);
    seconds(60);
    expect(fired()).toEqual([]);
    feed.say({ type: "unavailable", channel: CHANNELS.trades, message: "", retryAtMs: 0 });
    seconds(29);
    expect(fired()).toEqual([]);
    seconds(1);
    expect(fired()).toEqual(["perp/1 trades stale 30s every 0s (offline)"]);
    feed.say({ type: "subscribing", channel: CHANNELS.trades });
    feed.trade(2, 1);
    feed.link("waiting");
    seconds(31);
    expect(fired()).toHaveLength(2);
    expect(notices()).toEqual([]);
  });

  test("a channel that is fetched anew in time is not stale", () => {
    const { feed, set, fired, seconds } = open();
    feed.trade(1, 1);
    set("perp/1 trades stale 30s");
    for (let i = 0; i < 5; i++) {
      feed.say({ type: "resync", channel: CHANNELS.trades, reason: "" });
      seconds(25);
      feed.trade(i, 1);
      seconds(1);
    }
    expect(fired()).toEqual([]);
  });

  test("no connection for ten seconds is offline; from the start, too, and again after each connection", () => {
    const { feed, set, fired, seconds, jump } = open();
    feed.link("connecting");
    set("offline 10s every 0s");
    jump(3_600_000);
    seconds(9);
    jump(-7_200_000);
    expect(fired()).toEqual([]);
    seconds(1);
    seconds(20);
    feed.link("open");
    feed.link("waiting");
    seconds(9);
    feed.link("open");
    feed.link("waiting");
    seconds(10);
    expect(fired()).toEqual(["offline 10s every 0s (offline)", "offline 10s every 0s (offline)"]);
  });

  test("offline without a time fires at once, and is said to be so already when it is set offline", () => {
    const { feed, set, fired, notices } = open();
    set("offline every 0s");
    feed.link("waiting");
    set("offline");
    expect(fired()).toEqual(["offline every 0s (offline)"]);
    expect(notices()).toEqual(["already past"]);
  });
});

describe("what cannot be evaluated", () => {
  test("is said at once where it could be before, and after ten seconds where it never could", () => {
    const { feed, set, notices, seconds } = open();
    set("perp/1 last > 1 ticks");
    seconds(9);
    expect(notices()).toEqual([]);
    seconds(2);
    expect(notices()).toEqual(["not evaluated: waiting"]);
    feed.trade(1, 1);
    feed.say({ type: "resync", channel: CHANNELS.trades, reason: "" });
    expect(notices()).toEqual(["not evaluated: waiting", "evaluated", "not evaluated: resync"]);
    feed.link("waiting");
    seconds(5);
    expect(notices()).toHaveLength(3);
  });

  test("because the service refuses its channel is said at once", () => {
    const { feed, set, notices } = open();
    set("perp/1 last > 1");
    feed.say({ type: "refused", channel: CHANNELS.trades, code: 404, message: "" });
    expect(notices()).toEqual(["not evaluated: refused"]);
  });

  test("is said of best prices when a message could not be read: nothing numbers them", () => {
    const { feed, set, notices } = open();
    feed.bbo(1, 2);
    set("perp/1 bid > 5 ticks");
    const rejection = { reason: "not-json", path: "", detail: "", sample: "" };
    feed.say({ type: "rejected", channel: undefined, rejection });
    feed.bbo(1, 2);
    expect(notices()).toEqual(["not evaluated: a frame could not be read", "evaluated"]);
  });
});

describe("clocks that jump", () => {
  test("a length of time is of the monotonic clock, a moment of the wall clock", () => {
    const { feed, set, fired, seconds, jump, conditions, notices } = open();
    feed.trade(1, 1);
    set("perp/1 last > 5 ticks for 1h");
    set("perp/1 last > 6 ticks until 2026-01-01T00:30:00Z");
    jump(-86_400_000);
    seconds(60);
    expect(conditions()).toEqual(["armed", "armed"]);
    jump(86_400_000 + 1_800_000);
    seconds(1);
    expect(conditions()).toEqual(["armed", "expired"]);
    seconds(3600);
    expect(conditions()).toEqual(["expired", "expired"]);
    expect(notices().filter((each) => each.startsWith("expired"))).toEqual([
      "expired: its time is over",
      "expired: its time is over",
    ]);
    feed.trade(9, 1);
    expect(fired()).toEqual([]);
  });

  test("a cool-down is as long as it says, whatever the wall clock does", () => {
    const { feed, set, fired, seconds, jump } = open();
    feed.trade(1, 1);
    set("perp/1 last > 5 ticks every 10s");
    const cross = () => {
      feed.trade(6, 1);
      feed.trade(1, 1);
    };
    cross();
    jump(3_600_000);
    seconds(9);
    cross();
    expect(fired()).toHaveLength(1);
    jump(-7_200_000);
    seconds(1);
    cross();
    expect(fired()).toHaveLength(2);
  });
});

test("each crossing of one frame fires where the rule repeats without a pause, one where it pauses or does not repeat", () => {
  const { feed, set, fired } = open();
  feed.trade(1, 1);
  for (const often of ["every 0s", "every 1s", ""]) set(`perp/1 last > 5 ticks ${often}`);
  const trades = [6, 1, 7, 8, 2, 9].map((price) => ({
    price_ticks: `${price}`,
    size_base_lots: "1",
    timestamp_ns: "1",
    taker_is_bid: true,
  }));
  feed.update(CHANNELS.trades, { ...UNNUMBERED, trades });
  expect(fired()).toEqual([
    ...[6, 7, 9].map((price) => `perp/1 last > 5 ticks every 0s: ${price} (live)`),
    "perp/1 last > 5 ticks every 1s: 6 (live)",
    "perp/1 last > 5 ticks: 6 (live)",
  ]);
});

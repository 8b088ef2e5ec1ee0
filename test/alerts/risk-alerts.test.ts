// Alerts on what can go wrong with positions, margin, channels and the connection.
import { describe, expect, test } from "vitest";
import {
  AlertManager,
  type AlertNotice,
  selectAlertCondition,
} from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { openScales } from "../../src/select/scale.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const ACCOUNT = "account/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU/3";
const START_WALL_MS = Date.UTC(2026, 0, 1);

/** A manager that is notified of whatever the store is. */
function open() {
  const feed = new MarketFeed();
  let jumpedMs = 0;
  const manager = new AlertManager({
    store: feed.store,
    scales: openScales(feed.store, {}),
    now: () => feed.nowMs,
    wall: () => START_WALL_MS + feed.nowMs + jumpedMs,
  });
  const dispatch = feed.store.dispatch.bind(feed.store);
  feed.store.dispatch = (event: StreamEvent) => {
    dispatch(event);
    manager.onEvent(event);
  };
  const fired: string[] = [];
  const notices: string[] = [];
  manager.onFire = (firing) => {
    const { state } = firing;
    fired.push(`${formatFiring(firing, false).replace(`${ACCOUNT} `, "")} (${state})`);
  };
  manager.onNotice = ({ kind, value, why }: AlertNotice) =>
    notices.push([kind, value, why].filter(Boolean).join(": "));
  feed.link("open");
  for (const channel of [...Object.values(CHANNELS), ACCOUNT]) {
    feed.say({ type: "subscribing", channel });
  }
  const set = (rule: string) => {
    return manager.add(alertRule(rule.replace(/^@/, ACCOUNT)), "option");
  };
  let sequence = 1;
  const account = (fields: object, isFirst = sequence === 1) => {
    const previous = isFirst ? null : `${sequence - 1}`;
    feed.update(
      ACCOUNT,
      { previous_sequence: previous, sequence: `${sequence++}`, ...fields },
      isFirst,
    );
  };
  const position = (
    market_id: number,
    side: string,
    mark: string | null,
    liquidation: string | null,
    more: object = {},
  ) => ({
    market_id,
    market_type: "perp",
    side,
    size: "2",
    entry_price: "100",
    ...(mark !== null && { mark_price: mark }),
    ...(liquidation !== null && { liquidation_price: liquidation }),
    ...more,
  });
  const seconds = (count: number) => {
    for (let i = 0; i < count; i++) {
      feed.advance(1000);
      feed.link(feed.store.link?.state ?? "open");
      manager.tick();
    }
  };
  const jump = (ms: number) => {
    jumpedMs += ms;
  };
  return { feed, manager, fired, notices, set, account, position, seconds, jump };
}

describe("the distance to a liquidation", () => {
  test("is that of the prices that the service names, exactly, and fires when it falls below its level", () => {
    const { account, position, set, fired, notices } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    account({ positions: [position(1, "long", "88.8888888888888888", "80")] });
    expect([fired, notices]).toEqual([[], []]);
    account({ positions: [position(1, "long", "88.8", "80")] });
    account({ positions: [position(1, "long", "88", "80")] });
    expect(fired).toEqual(["liquidation perp/1 < 10 %: 9.90990991 (live)"]);
  });

  test("that is below the level already is said at once, and fires only after it has been above", () => {
    const { account, position, set, fired, notices } = open();
    account({ positions: [position(1, "long", "84", "80")] });
    const alert = set("@ liquidation perp/1 < 10% every 0s");
    expect(alert && selectAlertCondition(alert)).toBe("already past");
    expect(notices).toEqual(["already past: 4.76190476"]);
    account({ positions: [position(1, "long", "83", "80")] });
    expect(fired).toEqual([]);
    account({ positions: [position(1, "long", "100", "80")] });
    account({ positions: [position(1, "long", "84", "80")] });
    expect(fired).toEqual(["liquidation perp/1 < 10 % every 0s: 4.76190476 (live)"]);
    expect(notices).toEqual(["already past: 4.76190476"]);
  });

  test("of a position that turns is that of another one, and so is that of one that is opened again", () => {
    const { account, position, set, fired } = open();
    // Where a market can be flat, a position that turns is one.
    const flat = position(2, "flat", "100", null, { size: "0" });
    account({ positions: [position(1, "long", "100", "80"), flat] });
    set("@ liquidation perp/1 < 10% every 0s");
    account({ positions: [position(1, "long", "84", "80")] });
    account({ positions: [position(1, "short", "84", "88")] });
    account({ positions: [position(1, "short", "84", "88", { size: "0" })] });
    account({ positions: [position(1, "short", "84", "87")] });
    expect(fired.map((each) => each.split(": ")[1])).toEqual([
      "4.76190476 (live)",
      "4.76190476 (live)",
      "3.57142857 (live)",
    ]);
  });

  test("of any position fires for each of them, also while another one is nearer", () => {
    const { account, position, set, fired, notices } = open();
    const [near, far] = [position(2, "long", "82", "80"), position(3, "short", "100", "150")];
    account({ positions: [near, far] });
    set("@ liquidation any < 10% every 0s");
    expect(notices).toEqual(["already past: 2.43902439"]);
    account({ positions: [position(3, "short", "145", "150")] });
    expect(fired).toEqual(["liquidation any < 10 % every 0s: 3.44827586 (live)"]);
  });

  test("is 0 once it has been reached, however far behind it lies", () => {
    const { account, position, set, fired } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    account({ positions: [position(1, "long", "60", "80")] });
    expect(fired).toEqual(["liquidation perp/1 < 10 %: 0 (live)"]);
  });

  test.each([
    ["no liquidation price", "100", null],
    ["no mark price", null, "95"],
    ["a liquidation price of 0", "100", "0"],
    ["a negative liquidation price", "100", "-5"],
    ["a mark price of 0", "0", "95"],
  ])("is not guessed where there is %s", (_, mark, liquidation) => {
    const { account, position, set, fired, manager } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    account({ positions: [position(2, "long", "100", "80")] });
    account({ positions: [position(1, "long", "100", "80"), position(2, "long", "100", "80")] });
    const other = open();
    other.account({ positions: [other.position(1, "long", mark, liquidation)] });
    other.set("@ liquidation perp/1 < 10%");
    expect(other.manager.alerts[0]?.state.notEvaluated).toMatch(
      /no position names both prices|waiting/,
    );
    expect([fired, other.fired, manager.alerts[0]?.state.notEvaluated]).toEqual([
      [],
      [],
      undefined,
    ]);
  });

  test("is read by the mark price of the market where the position names none, while that is received", () => {
    const { feed, account, position, set, fired, manager, seconds } = open();
    const stats = (mark_price: string, isFirst = false) => {
      const record = { market_id: 1, market_type: "perp", mark_price };
      feed.update(
        CHANNELS.stats,
        { previous_sequence: null, sequence: null, market_stats: [record] },
        isFirst,
      );
    };
    account({ positions: [position(1, "long", null, "80")] });
    set("@ liquidation perp/1 < 10%");
    stats("100", true);
    seconds(1);
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["armed"]);
    feed.say({ type: "resync", channel: CHANNELS.stats, reason: "" });
    expect(manager.alerts[0]?.state.notEvaluated).toBe("resync");
    stats("85", true);
    expect(fired).toEqual([
      "liquidation perp/1 < 10 %: 5.88235294 (crossed while data were missing) (live)",
    ]);
  });

  test("is not read from data that are not live: what has crossed meanwhile is said when they are again", () => {
    const { feed, account, position, set, fired, notices, seconds } = open();
    account({ positions: [position(1, "long", "100", "80")] });
    set("@ liquidation perp/1 < 10%");
    feed.link("waiting");
    seconds(3);
    feed.link("open");
    feed.say({ type: "subscribing", channel: ACCOUNT });
    seconds(1);
    expect([fired, notices]).toEqual([[], ["not evaluated: offline"]]);
    account({ positions: [position(1, "long", "84", "80")] }, true);
    expect(fired).toEqual([
      "liquidation perp/1 < 10 %: 4.76190476 (crossed while data were missing) (live)",
    ]);
    expect(notices).toEqual(["not evaluated: offline", "evaluated"]);
  });
});

describe("profit and margin", () => {
  test("what a position has lost, as the service names it, fires by position and again when it was closed", () => {
    const { account, position, set, fired } = open();
    const upnl = (unrealized_pnl: string, more = {}) =>
      account({ positions: [position(1, "long", "100", null, { unrealized_pnl, ...more })] });
    upnl("0");
    set("@ upnl perp/1 < -500 every 0s");
    upnl("-500");
    upnl("-500.01");
    upnl("-900");
    upnl("-900", { size: "0" });
    upnl("-700");
    expect(fired).toEqual([
      "upnl perp/1 < -500 every 0s: -500.01 (live)",
      "upnl perp/1 < -500 every 0s: -700 (live)",
    ]);
  });

  test("margin in percent is that in use of the equity, margin without percent the amount", () => {
    const { account, set, fired, manager } = open();
    account({ account: { equity: "1000", margin: "700" } });
    set("@ margin > 80%");
    set("@ margin > 900");
    account({ account: { equity: "1000", margin: "800.01" } });
    account({ account: { equity: "2000", margin: "901" } });
    expect(fired).toEqual(["margin > 80 %: 80.001 (live)", "margin > 900: 901 (live)"]);
    const other = open();
    other.account({ account: { margin: "5" } });
    other.set("@ margin > 80%");
    expect(other.manager.alerts[0]?.state.notEvaluated).toBe(
      "the summary does not name margin and equity",
    );
    expect(manager.alerts.map(({ text }) => text.replace(`${ACCOUNT} `, ""))).toEqual([
      "margin > 80 %",
      "margin > 900",
    ]);
  });
});

describe("channels and the connection", () => {
  test("a channel that has not been live or quiet for 30 s is stale, whatever the reason, not after 29", () => {
    const { feed, set, fired, seconds, notices } = open();
    set("perp/1 trades stale 30s every 0s");
    seconds(5);
    feed.trade(1, 1);
    seconds(60);
    expect(fired).toEqual([]);
    feed.say({ type: "unavailable", channel: CHANNELS.trades, message: "", retryAtMs: 0 });
    seconds(29);
    expect(fired).toEqual([]);
    seconds(1);
    expect(fired).toEqual(["perp/1 trades stale 30s every 0s (offline)"]);
    feed.say({ type: "subscribing", channel: CHANNELS.trades });
    feed.trade(2, 1);
    feed.link("waiting");
    seconds(31);
    expect(fired).toHaveLength(2);
    expect(notices).toEqual([]);
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
    expect(fired).toEqual([]);
  });

  test("no connection for ten seconds is offline; from the start, too, and again after each connection", () => {
    const { feed, set, fired, seconds, jump } = open();
    feed.link("connecting");
    set("offline 10s every 0s");
    jump(3_600_000);
    seconds(9);
    jump(-7_200_000);
    expect(fired).toEqual([]);
    seconds(1);
    seconds(20);
    feed.link("open");
    feed.link("waiting");
    seconds(9);
    feed.link("open");
    feed.link("waiting");
    seconds(10);
    expect(fired).toEqual(["offline 10s every 0s (offline)", "offline 10s every 0s (offline)"]);
  });

  test("offline without a time fires at once, and is said to be so already when it is set offline", () => {
    const { feed, set, fired, notices } = open();
    set("offline every 0s");
    feed.link("waiting");
    set("offline");
    expect(fired).toEqual(["offline every 0s (offline)"]);
    expect(notices).toEqual(["already past"]);
  });
});

describe("what cannot be evaluated", () => {
  test("is said at once where it could be before, and after ten seconds where it never could", () => {
    const { feed, set, notices, seconds } = open();
    set("perp/1 last > 1 ticks");
    seconds(9);
    expect(notices).toEqual([]);
    seconds(2);
    expect(notices).toEqual(["not evaluated: waiting"]);
    feed.trade(1, 1);
    feed.say({ type: "resync", channel: CHANNELS.trades, reason: "" });
    expect(notices).toEqual(["not evaluated: waiting", "evaluated", "not evaluated: resync"]);
    feed.link("waiting");
    seconds(5);
    expect(notices).toHaveLength(3);
  });

  test("because the service refuses its channel is said at once", () => {
    const { feed, set, notices } = open();
    set("perp/1 last > 1");
    feed.say({ type: "refused", channel: CHANNELS.trades, code: 404, message: "" });
    expect(notices).toEqual(["not evaluated: refused"]);
  });

  test("is said of best prices when a message could not be read: nothing numbers them", () => {
    const { feed, set, notices } = open();
    feed.bbo(1, 2);
    set("perp/1 bid > 5 ticks");
    const rejection = { reason: "not-json", path: "", detail: "", sample: "" };
    feed.say({ type: "rejected", channel: undefined, rejection });
    feed.bbo(1, 2);
    expect(notices).toEqual(["not evaluated: a frame could not be read", "evaluated"]);
  });
});

describe("clocks that jump", () => {
  test("a length of time is of the monotonic clock, a moment of the wall clock", () => {
    const { feed, set, manager, seconds, jump, notices } = open();
    feed.trade(1, 1);
    set("perp/1 last > 5 ticks for 1h");
    set("perp/1 last > 6 ticks until 2026-01-01T00:30:00Z");
    jump(-86_400_000);
    seconds(60);
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["armed", "armed"]);
    jump(86_400_000 + 1_800_000);
    seconds(1);
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["armed", "expired"]);
    seconds(3600);
    expect(manager.alerts.map(selectAlertCondition)).toEqual(["expired", "expired"]);
    expect(notices.filter((each) => each.startsWith("expired"))).toEqual([
      "expired: its time is over",
      "expired: its time is over",
    ]);
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
    expect(fired).toHaveLength(1);
    jump(-7_200_000);
    seconds(1);
    cross();
    expect(fired).toHaveLength(2);
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
  feed.update(CHANNELS.trades, { previous_sequence: null, sequence: null, trades });
  const values = (often: string) =>
    fired
      .filter((each) => each.startsWith(`perp/1 last > 5 ticks${often}:`))
      .map((each) => each.slice(-8));
  expect(values(" every 0s")).toEqual(
    ["6 (live)", "7 (live)", "9 (live)"].map((each) => each.padStart(8)),
  );
  expect(values(" every 1s")).toHaveLength(1);
  expect(values("")).toHaveLength(1);
});

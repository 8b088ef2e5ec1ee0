// Alerts on a session whose service does as a test says, in virtual time: each figure once, and nothing fires on old data.
import { expect, test } from "vitest";
import { type AlertEvent, eventJson } from "../../src/alerts/alert.ts";
import { createAlertSet } from "../../src/alerts/alert-set.ts";
import { parseRule } from "../../src/alerts/rule.ts";
import { openSession } from "../../src/live/session.ts";
import { marketCalled } from "../../src/rows/market.ts";
import { addTrade } from "../../src/state/flow.ts";
import { select } from "../../src/state/store.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import { createRandom } from "../../src/units/random.ts";
import { ADDRESS, level } from "../support/frames.ts";
import { type Payload, type Script, ScriptedService } from "../support/scripted-service.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const BBO = "bbo/perp/1";
const TRADES = "trades/perp/1";
const BOOK = "orderbook/perp/1";
const STATS = "market-stats/perp/1";
const ACCOUNT = `account/${ADDRESS}/0`;
const MARKETS = {
  markets: [
    {
      ...{ market_type: "perp", market_id: 1, symbol: "BTC-PERP" },
      tick_size: "0.5",
      lot_size: "0.1",
    },
  ],
};

const bbo = (bid: number, ask: number): Payload => ({
  bbo: { bid: level(bid, 1), ask: level(ask, 1) },
});
const stats = (record: Payload): Payload => ({ market_stats: [{ market_id: 1, ...record }] });
const book = (bid: number, ask: number): Payload => ({
  orderbook: { bids: [level(10, bid)], asks: [level(11, ask)] },
});
const account = (equity: string, size = "2", price = "80"): Payload => ({
  account: { equity, margin_used: "50", free_collateral: equity },
  positions: [
    ...[{ market_id: 1, side: "short", size, entry_price: "100", liquidation_price: price }],
  ],
});

function start(channels: Readonly<Record<string, Payload>>, rule: string, script: Script = {}) {
  const clock = createVirtualClock(NOON);
  const first: Record<string, () => Payload> = { markets: () => MARKETS };
  for (const [channel, payload] of Object.entries(channels)) first[channel] = () => payload;
  const service = new ScriptedService({ clock, channels: first, ...script });
  const events: AlertEvent[] = [];
  const session = openSession({
    url: "ws://service/v1/ws",
    openSocket: service.connect,
    ...{ clock, random: createRandom(1), learnedPath: undefined },
    channels: ["markets", ...Object.keys(channels)],
    onUpdate: (update, place) => alerts.note(update, place),
  });
  const moment = () => ({ store: session.store, nowMs: clock.now(), wallMs: clock.wall() });
  const alerts = createAlertSet({
    moment,
    context: () => ({
      market: "perp/1",
      findMarket: (name) => marketCalled(session.store, name),
    }),
    onEvent: (event) => events.push(event),
  });
  alerts.replace([{ when: rule }]);
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000);
      alerts.tick();
    }
  };
  pass(2);
  return {
    ...{ clock, service, events, alerts, moment, pass, first },
    publish(channel: string, payload: Payload) {
      service.publish(channel, payload);
      pass(1);
    },
    fired: () =>
      events.flatMap((each) => (each.kind === "alert" ? [String(Number(each.value))] : [])),
    kinds: () => events.map(({ kind }) => kind),
  };
}

/** A trade of so many seconds after the start. */
const trade = (seconds: number, price: number, size = 1, isBuy = true) => ({
  timestamp_ns: `${BigInt(NOON + seconds * 1000) * 1_000_000n}`,
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
  taker_is_bid: isBuy,
});
const trades = (...list: ReturnType<typeof trade>[]): Payload => ({ trades: list });
/** What is known reaches back further than any window here. */
const PAST = trades(trade(-1200, 100), trade(-400, 100), trade(-1, 100));

type Row = readonly [rule: string, channel: string, before: Payload, after: Payload, value: string];
const ROWS: readonly Row[] = [
  ["last > 60", TRADES, PAST, trades(trade(2, 130)), "65"],
  ["last > 120 ticks", TRADES, PAST, trades(trade(2, 130)), "130"],
  ["mark > 60", STATS, stats({ mark_price: "50" }), stats({ mark_price: "61" }), "61"],
  ["index < 60", STATS, stats({ index_price: "70" }), stats({ index_price: "59" }), "59"],
  ["funding < 0", STATS, stats({ funding_rate: "0.1" }), stats({ funding_rate: "-0.1" }), "-0.1"],
  ["oi > 10", STATS, stats({ open_interest: "9" }), stats({ open_interest: "11" }), "11"],
  ["bid > 60", BBO, bbo(100, 200), bbo(130, 200), "65"],
  ["bid > 120 ticks", BBO, bbo(100, 200), bbo(130, 200), "130"],
  ["ask < 90", BBO, bbo(100, 200), bbo(100, 170), "85"],
  ["spread > 3", BBO, bbo(100, 102), bbo(100, 110), "5"],
  ["spread > 500 bp", BBO, bbo(100, 102), bbo(100, 110), "1000"],
  ["imbalance > 60%", BOOK, book(1, 1), book(9, 1), "90"],
  ["trade > 5 base", TRADES, PAST, trades(trade(2, 100, 60)), "6"],
  ["trade > 200 quote", TRADES, PAST, trades(trade(2, 100, 60)), "300"],
  ["trade > 50 lots", TRADES, PAST, trades(trade(2, 100, 60)), "60"],
  ["change 5m > 1%", TRADES, PAST, trades(trade(2, 102)), "2"],
  ["delta 5m < -2 base", TRADES, PAST, trades(trade(2, 100, 60, false)), "-5.9"],
  ["cvd < -2", TRADES, PAST, trades(trade(2, 100, 60, false)), "-5.7"],
  ["vwap > 60", TRADES, PAST, trades(trade(2, 200, 100)), "98.5"],
  [`account/${ADDRESS}/0 equity < 1000`, ACCOUNT, account("1001"), account("999"), "999"],
  [`account/${ADDRESS}/0 free_collateral < 1000`, ACCOUNT, account("1001"), account("999"), "999"],
  [`account/${ADDRESS}/0 margin > 80%`, ACCOUNT, account("1000"), account("50"), "100"],
  [`account/${ADDRESS}/0 position BTC-PERP < -2`, ACCOUNT, account("9"), account("9", "3"), "-3"],
];

test.each(ROWS)(
  "%s fires once, at a crossing that was seen",
  (rule, channel, before, after, value) => {
    const run = start({ [channel]: before }, rule);
    expect(run.events).toEqual([]);
    run.publish(channel, after);
    expect(run.fired()).toEqual([value]);
    run.publish(channel, before);
    run.publish(channel, after);
    expect(run.fired()).toHaveLength(1);
  },
);

test.each([
  ["liquidation any < 10%", "70", "52", "4"],
  ["upnl BTC-PERP < -50", "70", "52", "-60"],
])("of an account with a market, %s fires", (rule, liquidation, nearer, value) => {
  const mark = (price: string) => stats({ mark_price: price });
  const run = start(
    { [STATS]: mark("50"), [ACCOUNT]: account("1000", "2", liquidation) },
    `account/${ADDRESS}/0 ${rule}`,
  );
  expect(run.events).toEqual([]);
  if (rule.startsWith("liquidation")) run.publish(ACCOUNT, account("1000", "2", nearer));
  else run.publish(STATS, mark("130"));
  expect(run.fired()).toEqual([value]);
});

/** Of a long of entry 90 and a short of 3: what a service gives for both, of a cross account. */
const cross = (liquidation_price: string): Payload => ({
  positions: [
    { market_id: 1, side: "long", size: "1", entry_price: "90", liquidation_price },
    { market_id: 1, side: "short", size: "3", entry_price: "90", liquidation_price },
  ],
});

test("how near liquidation is, is measured only where the position loses, and where nothing is known that is said", () => {
  const channels = { [STATS]: stats({ mark_price: "100" }), [ACCOUNT]: cross("120") };
  const run = start(channels, `account/${ADDRESS}/0 liquidation any < 10%`);
  expect(run.events).toEqual([]);
  run.publish(ACCOUNT, cross("109"));
  expect(run.events).toMatchObject([{ kind: "alert", name: "BTC-PERP short", value: "9.00" }]);
  const unknown = start(
    { ...channels, [ACCOUNT]: { positions: [{ market_id: 1, side: "long", size: "1" }] } },
    `account/${ADDRESS}/0 liquidation any < 10%`,
  );
  expect(unknown.kinds()).toEqual(["not evaluated"]);
});

const longs = (...prices: string[]): Payload => ({
  positions: prices.map((liquidation_price, i) => ({
    ...{ market_id: 1, side: "long", size: "1", entry_price: "90", position_id: `${i}` },
    liquidation_price,
  })),
});

test("of several positions each is watched; what is past from the start fires for none of them", () => {
  const channels = { [STATS]: stats({ mark_price: "100" }), [ACCOUNT]: longs("95", "94", "50") };
  const run = start(channels, `account/${ADDRESS}/0 liquidation any < 10% every 1s`);
  expect(run.kinds()).toEqual(["already_past", "already_past"]);
  run.publish(ACCOUNT, longs("95", "94", "92"));
  run.publish(ACCOUNT, longs("95", "94", "91"));
  expect(run.fired()).toEqual(["8"]);
  run.publish(ACCOUNT, longs("80", "94", "91"));
  run.publish(ACCOUNT, longs("93", "94", "91"));
  expect(run.fired()).toEqual(["8", "7"]);
  // What is said of the alert is of the one that is in most danger.
  const { value } = run.events[0]?.alert ?? {};
  expect(value && formatDecimal(value)).toMatch(/^6\b/);
});

const used = (equity: string, margin_used: string): Payload => ({
  account: { equity, margin_used },
});

test.each([
  ["margin > 80%", "-25", "150", 1],
  ["margin > 80%", "0", "150", 1],
  ["margin > 80%", "-25", "0", 0],
  ["margin < 20%", "-25", "150", 0],
])(
  "%s with an equity of %s and %s in use fires %s times: margin is more than any share of nothing",
  (rule, equity, margin, times) => {
    const run = start({ [ACCOUNT]: used("400", "150") }, `account/${ADDRESS}/0 ${rule}`);
    run.publish(ACCOUNT, used(equity, margin));
    expect(run.kinds()).toEqual(Array(times).fill("alert"));
    expect(run.events.map((event) => eventJson(event, run.moment()))).toMatchObject(
      Array(times).fill({ value: null }),
    );
  },
);

test("with every, a rule fires again after that time and not before; the line has the contract's fields", () => {
  const run = start({ [BBO]: bbo(100, 200) }, "bid > 60 every 10s");
  const cross = () => {
    run.publish(BBO, bbo(100, 200));
    run.publish(BBO, bbo(130, 200));
  };
  for (let times = 0; times < 3; times++) cross();
  expect(run.fired()).toHaveLength(1);
  run.pass(10);
  cross();
  expect(run.fired()).toHaveLength(2);
  const [event] = run.events;
  expect(event && eventJson(event, run.moment())).toMatchObject({
    ...{ event: "alert", rule: "perp/1 bid > 60 every 10s", market: "perp/1", value: "65.0" },
    ...{ at: expect.stringMatching(/^2026-01-01T12:.*Z$/), state: "live" },
  });
});

test("what is past from the start is said and does not fire, until it has been back", () => {
  const run = start({ [BBO]: bbo(130, 200) }, "bid > 60");
  expect(run.kinds()).toEqual(["already_past"]);
  run.publish(BBO, bbo(131, 200));
  run.publish(BBO, bbo(100, 200));
  expect(run.kinds()).toEqual(["already_past"]);
  run.publish(BBO, bbo(132, 200));
  expect(run.fired()).toEqual(["66"]);
});

test("trades of a first frame are of the past: neither at the start nor after a reconnect do they fire", () => {
  const large = trades(trade(-1200, 100), trade(-1, 100, 90));
  const run = start({ [TRADES]: large }, "trade > 50 lots");
  run.service.last.end();
  run.pass(5);
  expect(run.service.peers.length).toBeGreaterThan(1);
  expect(run.fired()).toEqual([]);
  run.publish(TRADES, trades(trade(9, 100, 51)));
  expect(run.fired()).toEqual(["51"]);
});

test("while the connection is gone, nothing is evaluated, which is said once", () => {
  const run = start({ [BBO]: bbo(100, 200) }, "bid > 60");
  run.service.last.answersPings = false;
  run.pass(14);
  expect(run.kinds()).toEqual(["not evaluated"]);
  run.pass(60);
  expect(run.fired()).toEqual([]);
});

test("a hole in the time of a rule is said, and what was missed does not fire", () => {
  const run = start({ [TRADES]: PAST }, "delta 5m < -2 base");
  run.first[TRADES] = () => trades(trade(6, 100, 90, false));
  // One transaction is lost on the way, and the new first frame does not reach back to it.
  run.service.publish(TRADES, undefined);
  run.publish(TRADES, trades(trade(4, 100, 80, false)));
  run.publish(TRADES, trades(trade(7, 100, 90, false)));
  expect(run.kinds()).toEqual(["not evaluated"]);
});

test("a figure since the first trade that is known does not cross when more of the past becomes known", () => {
  const run = start({ [TRADES]: PAST }, "cvd < -2");
  const tape = select(run.moment().store, "trades", TRADES);
  if (tape === undefined) throw new Error("no tape");
  addTrade(tape.earlier, trade(-3000, 100, 900, false));
  run.pass(1);
  expect(run.kinds()).toEqual(["already_past"]);
});

test("a figure of the last minute crosses its level by time alone", () => {
  const past = trades(trade(-1200, 100), trade(-50, 100, 90, false));
  const run = start({ [TRADES]: past }, "delta 1m > -5 base");
  expect(run.fired()).toEqual([]);
  run.pass(15);
  expect(run.fired()).toEqual(["0"]);
});

test.each(["trades stale 5s", "offline 5s"])("%s: data that stop fire, and not at once", (rule) => {
  const stale = start({ [TRADES]: PAST }, rule, {
    refuse: (connection) => (connection > 1 ? { detail: "no" } : undefined),
  });
  stale.service.last.answersPings = false;
  stale.pass(10);
  expect(stale.fired()).toEqual([]);
  stale.pass(30);
  expect(stale.fired()).toHaveLength(1);
});

test("a rule about a field that the summary lacks is refused with the nearest name; a symbol waits for the list", () => {
  const run = start({ [ACCOUNT]: account("1000") }, `account/${ADDRESS}/0 equty < 5`);
  expect(run.events).toMatchObject([
    { kind: "refused", reason: expect.stringContaining("equity") },
  ]);
  const named = start({ [BBO]: bbo(100, 200) }, "BTC-PERP bid > 60");
  expect(named.alerts.waiting).toEqual([]);
  named.publish(BBO, bbo(130, 200));
  expect(named.fired()).toEqual(["65"]);
});

test.each([
  ["lats > 5", "did you mean last"],
  ["last = 5", "expected > or <"],
  ["last > much", "must be a number"],
  ["change > 1%", "must be a time"],
  ["bid > 5 lots", "bid is in quote, ticks"],
  ["last > 5 every soon", "every must be a time"],
])("%s is refused with what is wrong", (rule, words) => {
  const parsed = parseRule(rule, { market: "perp/1", findMarket: () => undefined });
  expect("fault" in parsed && parsed.fault).toContain(words);
});

test("a rule that names no market, where none is shown, is refused with one that does", () => {
  expect(parseRule("last > 5", { market: undefined, findMarket: () => undefined })).toEqual({
    fault: "it names no market, as in: perp/1 last > 5",
  });
});

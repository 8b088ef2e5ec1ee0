import { expect, test } from "vitest";
import { selectLinkRows } from "../../src/screen/views/link.tsx";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const ACCOUNT = "account/4Nd1mYbG6pZsXq8RwTjK3vLcHfE2uA9oDeBtWxVyMnPk/0";

/** What the link says of how a channel is read. */
function interpretationOf({ store, nowMs }: MarketFeed, channel: string) {
  const row = selectLinkRows(store, nowMs).find((each) => each.channel === channel);
  return [row?.interpretation, row?.evidence];
}

/** Subscribes and tells frames; the first of them starts anew. */
function tell(channel: string, frames: readonly object[], feed = new MarketFeed()): MarketFeed {
  feed.say({ type: "subscribing", channel });
  for (const [i, frame] of frames.entries()) {
    feed.update(channel, { previous_sequence: null, sequence: `${i + 1}`, ...frame }, i === 0);
  }
  return feed;
}

const EMPTY = { leverages: [], fills: [], funding_payments: [], account: {}, balances: [] };
const order = (id: number, price = 1) => ({ order_id: `${id}`, price_ticks: `${price}` });
const position = (id: number, size: string) => ({ market_id: id, size });

test("the link says how the lists of an account are read, and what has shown it", () => {
  const positions = [position(1, "1"), position(2, "1")];
  const whole = { ...EMPTY, orders: [order(1), order(2), order(3)], positions };
  expect(interpretationOf(tell(ACCOUNT, []), ACCOUNT)).toEqual(["", ""]);
  const feed = tell(ACCOUNT, [whole]);
  expect(interpretationOf(feed, ACCOUNT)).toEqual(["changes, assumed", "no frame has shown it"]);
  // Orders that are left out and come back: lists hold what has changed.
  const turns = Array.from({ length: 12 }, (_, i) => ({
    ...EMPTY,
    positions: [position(1, `${i + 2}`)],
    orders: [order((i % 3) + 1, i + 2)],
  }));
  const [interpretation, evidence] = interpretationOf(tell(ACCOUNT, [whole, ...turns]), ACCOUNT);
  expect(interpretation).toMatch(/^positions: .*; orders: changes, inferred; /);
  expect(evidence).toMatch(/^frames judged: .*orders \d+/);
});

test("the link says by what records are told apart, and where nothing tells them apart", () => {
  const markets = [
    { market_type: "perp", market_id: 1 },
    { market_type: "spot", market_id: 1 },
  ];
  expect(interpretationOf(tell(CHANNELS.markets, [{ markets }]), CHANNELS.markets)).toEqual([
    "changes by key, assumed",
    "by market_type/market_id",
  ]);
  const alike = [{ kind: { a: 1 } }, { kind: { a: 1 } }];
  expect(interpretationOf(tell(CHANNELS.markets, [{ markets: alike }]), CHANNELS.markets)).toEqual([
    "newest frame is all, assumed",
    "no field distinguishes records",
  ]);
});

test("the link counts what a break may have cost: ends of candles, stretches of trades", () => {
  const candle = (open_time_ms: number) => ({
    open_time_ms,
    open: "1",
    high: "1",
    low: "1",
    close: "1",
    volume_base: "1",
    volume_quote: "1",
    trades: 1,
  });
  const feed = tell(CHANNELS.candles, [{ candles: [candle(0)] }]);
  expect(interpretationOf(feed, CHANNELS.candles)).toEqual(["latest wins, assumed", ""]);
  tell(CHANNELS.candles, [{ candles: [candle(120_000)] }], feed);
  expect(interpretationOf(feed, CHANNELS.candles)[1]).toBe("may lack their ends: 1");
});

test("the link says of a channel that was given back that it is off", () => {
  const feed = tell(CHANNELS.bbo, [{ bbo: { bid: null, ask: null } }]);
  feed.link("open");
  feed.say({ type: "unsubscribed", channel: CHANNELS.bbo });
  const row = selectLinkRows(feed.store, feed.nowMs).find(
    ({ channel }) => channel === CHANNELS.bbo,
  );
  expect([row?.state, row?.note]).toEqual(["off", ""]);
});

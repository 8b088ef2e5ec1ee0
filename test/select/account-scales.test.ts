import { expect, test } from "vitest";
import { formatScaleSources, marketsInUnits } from "../../src/select/scale.ts";
import type { MarketScale } from "../../src/state/scales.ts";
import { MarketFeed } from "../support/market-feed.ts";

const ADDRESS = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const account = { address: ADDRESS, subaccountId: "0" };
const CHANNEL = `account/${ADDRESS}/0`;

const scale = (part: Partial<MarketScale>): MarketScale => ({
  scale: undefined,
  source: "market",
  evidence: "untested",
  inconsistency: "",
  pairs: 0,
  contradictions: 0,
  ...part,
});
const tested = (pairs: number) => scale({ pairs, evidence: `${pairs} trades` });

test("markets of a subaccount are those of rows in ticks or lots, none twice, and follow what comes and goes", () => {
  const feed = new MarketFeed();
  feed.say({ type: "subscribing", channel: CHANNEL });
  expect(marketsInUnits(feed.store, account)).toEqual([]);
  const order = (id: number, market_id: number, fields: object = { price_ticks: "5" }) => ({
    order_id: id,
    market_id,
    ...fields,
  });
  const chain = { previous_sequence: null, sequence: "1" };
  const orders = [order(1, 4), order(2, 4), order(3, 9, { price: "5.0" })];
  const fills = [{ trade_id: 1, market: "spot/2", size_base_lots: "1" }];
  feed.update(CHANNEL, { ...chain, orders, fills }, true);
  expect(marketsInUnits(feed.store, account)).toEqual(["perp/4", "spot/2"]);
  const changed = [order(3, 9, { price_ticks: "5" })];
  feed.update(CHANNEL, { previous_sequence: "1", sequence: "2", orders: changed });
  expect(marketsInUnits(feed.store, account)).toEqual(["perp/4", "perp/9", "spot/2"]);
});

test.each([
  [{}, ""],
  [{ "perp/1": tested(40) }, "market, 40 trades"],
  [{ "perp/1": tested(40), "perp/2": tested(22) }, "market, 22 trades or more"],
  [{ "perp/1": tested(40), "perp/2": scale({}) }, "market, not all tested"],
  [{ "perp/1": scale({ source: "none" }), "perp/2": scale({ source: "none" }) }, "ticks, lots"],
  [
    {
      "perp/1": tested(40),
      "perp/2": scale({ source: "none", inconsistency: "price 5 is not 7" }),
    },
    "perp/1 market, 40 trades; perp/2 ticks, lots: price 5 is not 7",
  ],
])("the header says of %j how it is known: %s", (scales, words) => {
  expect(formatScaleSources(scales)).toBe(words);
});

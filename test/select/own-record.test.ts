import { expect, test } from "vitest";
import { findOwnRecord } from "../../src/select/market.ts";
import { Aliases } from "../../src/state/aliases.ts";

const aliases = new Aliases();
const MARKET = { type: "perp", id: "1" } as const;
const own = { market_id: 1, mark_price: "100" };
const other = { market_id: 2, mark_price: "50" };
const listed = [
  { market_id: 1, symbol: "BTC-PERP" },
  { market_id: 2, symbol: "ETH-PERP" },
  { market_id: 3, symbol: "BTC-PERP-2" },
];
const unnamed = { mark_price: "70" };

test.each([
  ["the record that names it", [other, own], own],
  ["a record that stands alone and names none", [unnamed], unnamed],
  ["no record of another market", [other], undefined],
  ["none of several that name none", [unnamed, { mark_price: "71" }], undefined],
  ["no record where there is none", [], undefined],
  ["the record with its symbol", [{ ...unnamed, symbol: "BTC-PERP" }], 0],
  ["the record with its symbol in other letters", [{ ...unnamed, symbol: "btc_perp" }], 0],
  ["the record with a part of its symbol", [{ ...unnamed, symbol: "BTC" }], 0],
  ["the record with a name in another field", [{ ...unnamed, name: "Bitcoin" }], 0],
  ["no record with the symbol of another one", [{ ...unnamed, symbol: "ETH-PERP" }], undefined],
  ["no record with a symbol that nobody lists", [{ ...unnamed, symbol: "SOL-PERP" }], undefined],
  ["no record that is named by another symbol", [{ ...unnamed, market: "ETH-PERP" }], undefined],
  [
    "no record with a symbol of which its own is a part",
    [{ ...unnamed, symbol: "BTC-PERP-2" }],
    undefined,
  ],
])("on a channel of a market's own, %s is taken for the market's", (_, records, found) => {
  const taken = findOwnRecord(records, MARKET, { aliases, listed });
  expect(taken).toBe(typeof found === "number" ? records[found] : found);
});

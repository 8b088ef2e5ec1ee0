import { describe, expect, test } from "vitest";
import { findOwnRecord } from "../../src/select/market.ts";
import { Aliases } from "../../src/state/aliases.ts";

const aliases = new Aliases();
const MARKET = { type: "perp", id: "1" } as const;
const own = { market_id: 1, mark_price: "100" };
const other = { market_id: 2, mark_price: "50" };
const unnamed = { mark_price: "70" };

describe("on a channel of a market's own", () => {
  test.each([
    ["the record that names it", [other, own], own],
    ["a record that stands alone and names none", [unnamed], unnamed],
    ["no record of another market", [other], undefined],
    ["none of several that name none", [unnamed, { mark_price: "71" }], undefined],
    ["no record where there is none", [], undefined],
  ])("%s is taken for the market's", (_, records, found) => {
    expect(findOwnRecord(records, MARKET, aliases)).toBe(found);
  });
});

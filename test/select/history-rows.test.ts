import { describe, expect, test } from "vitest";
import { EXACT } from "../../src/select/display.ts";
import {
  addFills,
  fillRow,
  formatTotals,
  liquidationRows,
  NO_FILLS,
} from "../../src/select/listing-rows.ts";
import { ownFill } from "../../src/wire/rest/own-fill.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import liquidations from "../fixtures/rest/liquidations.json" with { type: "json" };
import trades from "../fixtures/rest/trades.json" with { type: "json" };

const model = trades.good[0]?.message?.[0] as TradeRecord;
const own = `0x${"aB".repeat(20)}`;
const owner = { owner: own.toLowerCase(), subaccountId: 3 };
const fill = (changes: Partial<TradeRecord>): TradeRecord => ({
  ...model,
  maker_fee_quote: "-0.10",
  taker_fee_quote: "0.350",
  quote_notional: "100.5",
  ...changes,
});
const asMaker = { maker_address: own, maker_subaccount_id: 3 };
const asTaker = { taker_address: own, taker_subaccount_id: 3 };

test("a row of a fill has the ids of its market in front, or a name in their place and the ids behind", () => {
  const row = fill(asMaker);
  const { market_type, market_id } = row;
  const names = Object.keys(fillRow(row, owner));
  expect(names.slice(0, 4)).toEqual(["timestamp_ms", "market_type", "market_id", "side"]);
  const named = fillRow(row, owner, "BTC-PERP");
  expect(Object.keys(named).slice(0, 3)).toEqual(["timestamp_ms", "market", "side"]);
  expect(named).toMatchObject({ market: "BTC-PERP", market_type, market_id });
});

describe("a fill of a subaccount", () => {
  test.each<[what: string, changes: Partial<TradeRecord>, wanted: object]>([
    [
      "as maker of a buy",
      { ...asMaker, taker_is_bid: true },
      { role: "maker", side: "sell", fee_quote: "-0.10" },
    ],
    [
      "as maker of a sell",
      { ...asMaker, taker_is_bid: false },
      { role: "maker", side: "buy", fee_quote: "-0.10" },
    ],
    [
      "as taker of a buy",
      { ...asTaker, taker_is_bid: true },
      { role: "taker", side: "buy", fee_quote: "0.350" },
    ],
    [
      "as taker of a sell",
      { ...asTaker, taker_is_bid: false },
      { role: "taker", side: "sell", fee_quote: "0.350" },
    ],
    ["with itself", { ...asMaker, ...asTaker }, { role: "both", side: "both", fee_quote: "0.250" }],
    [
      "of another subaccount of the owner",
      { ...asMaker, maker_subaccount_id: 4 },
      { role: "", side: "", fee_quote: "" },
    ],
  ])("%s", (_, changes, wanted) => {
    expect(ownFill(fill(changes), owner)).toEqual(wanted);
  });

  test("sums up exactly", () => {
    const fills = [
      fill({ ...asTaker, taker_is_bid: true, quote_notional: "0.1" }),
      fill({ ...asMaker, taker_is_bid: true, quote_notional: "0.2" }),
      fill({ ...asTaker, taker_is_bid: true, quote_notional: "99999999999999999999.05" }),
    ];
    const totals = addFills(addFills(NO_FILLS, fills.slice(0, 1), owner), fills.slice(1), owner);
    expect(totals.fills).toBe(3);
    expect(formatTotals(totals, EXACT)).toEqual([
      "fees 0.600",
      "volume 99999999999999999999.35",
      "bought 99999999999999999999.15",
      "sold 0.2",
    ]);
  });
});

test("a liquidation unfolds into its positions", () => {
  const [event, none] = [liquidations.good[0]?.message?.[0], liquidations.good[1]?.message?.[0]];
  expect(liquidationRows(event as never, false)).toMatchObject([
    { liquidation_id: "77", positions: 2 },
  ]);
  expect(liquidationRows(event as never, true)).toMatchObject([
    { liquidation_id: "77", position_market_id: 1, position_side: "long" },
    { liquidation_id: "77", position_market_id: 2, position_side: "short" },
  ]);
  expect(liquidationRows(none as never, true)).toHaveLength(1);
});

// Statements of services whose fills are legal and odd: contracts with a multiplier, rows of one transaction in any order.
import { expect, test } from "vitest";
import { StatementFold } from "../../src/statement/fold.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import { listedTrade } from "../support/listed-trade.ts";

const OWNER = `0x${"ab".repeat(20)}`;
const START_MS = Date.UTC(2026, 4, 28);

interface Row {
  readonly side: "buy" | "sell";
  readonly quantity: string;
  readonly price: string;
  readonly value: string;
  readonly tx: number;
}

function foldRows(rows: readonly Row[]): StatementFold {
  const fold = new StatementFold({ owner: OWNER, subaccountId: 0 }, () => "2026-05-28");
  for (const [i, { side, quantity, price, value, tx }] of rows.entries()) {
    const fill = listedTrade({
      trade_id: `${i}`,
      tx_hash: `0x${tx}`,
      timestamp_ms: START_MS + tx,
      price,
      quantity,
      quote_notional: value,
      taker_is_bid: side === "buy",
      taker_address: OWNER,
      taker_subaccount_id: 0,
      maker_subaccount_id: 9,
    });
    fold.add(fill);
  }
  return fold;
}

const realised = (fold: StatementFold) => formatDecimal(fold.statement().totals.realisedQuote);
const row =
  (side: Row["side"]) =>
  (tx: number, quantity: string, price: string, value: string): Row => ({
    side,
    tx,
    quantity,
    price,
    value,
  });
const buy = row("buy");
const sell = row("sell");

test.each([
  [
    "a contract is a thousandth of its price",
    [buy(1, "100", "100", "10"), sell(2, "100", "150", "15")],
    "5",
  ],
  [
    "a short of such contracts is closed",
    [sell(1, "100", "150", "15"), buy(2, "100", "100", "10")],
    "5",
  ],
  ["it is turned", [buy(1, "100", "100", "10"), sell(2, "200", "150", "30")], "5"],
  [
    "it is closed in parts",
    [buy(1, "3", "10", "3"), sell(2, "1", "12", "1.2"), sell(3, "2", "12", "2.4")],
    "0.6",
  ],
  [
    "values are rounded to cents",
    [buy(1, "3", "33.333", "100"), sell(2, "3", "33.333", "99.99")],
    "-0.01",
  ],
] as const)("what is realised is of the value that is listed: %s", (_, rows, expected) => {
  const fold = foldRows(rows);
  expect(realised(fold)).toBe(expected);
  expect(fold.otherValues).toBe(rows.length);
});

test("fills that one transaction bought and sold are counted: nothing says which of them came first", () => {
  const first = buy(1, "1", "100", "100");
  const both = [buy(2, "1", "200", "200"), sell(2, "1", "150", "150")] as const;
  const [asListed, otherwise] = [foldRows([first, ...both]), foldRows([first, both[1], both[0]])];
  expect([realised(asListed), realised(otherwise)]).toEqual(["0", "50"]);
  expect([asListed.unordered, otherwise.unordered]).toEqual([2, 2]);
});

test("of transactions of their own, and of one that only bought, the order does not matter", () => {
  const rows = [
    buy(1, "1", "100", "100"),
    sell(2, "1", "150", "150"),
    buy(3, "1", "1", "1"),
    buy(3, "1", "2", "2"),
  ];
  expect(foldRows(rows).unordered).toBe(0);
});

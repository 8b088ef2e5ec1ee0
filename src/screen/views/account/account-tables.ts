// The tables of a subaccount: one row for each pane, with what tells its rows apart and what comes first in it.

import type { Aliases, Meaning } from "../../../state/aliases.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { AccountPane } from "./account-layout.ts";

interface AccountTableSpec {
  readonly title: string;
  /** What is said while its rows have never come, and where there are none. */
  readonly missing: string;
  readonly empty: string;
  /** Meanings that tell rows apart. */
  readonly key: readonly Meaning[];
  readonly leading: readonly (readonly Meaning[])[];
}

const SIZE: readonly Meaning[] = ["sizeLots", "size"];
const PRICE: readonly Meaning[] = ["priceTicks", "price"];
const MARKET: readonly Meaning[] = ["symbol", "market"];
const NOT_PROVIDED = "not provided by the service so far";

/** By pane. */
export const ACCOUNT_TABLES: Readonly<Record<AccountPane, AccountTableSpec>> = {
  positions: {
    title: "Positions",
    missing: NOT_PROVIDED,
    empty: "no open position",
    key: ["marketType", "market", "symbol", "positionId", "side"],
    leading: [
      MARKET,
      ["side"],
      SIZE,
      ["entryPrice"],
      ["markPrice"],
      ["unrealizedPnl"],
      ["liquidationPrice"],
      ["toLiquidation"],
      ["leverage"],
      ["margin"],
    ],
  },
  orders: {
    title: "Orders",
    missing: NOT_PROVIDED,
    empty: "no open order",
    key: ["marketType", "market", "symbol", "orderId"],
    leading: [
      MARKET,
      ["side"],
      PRICE,
      SIZE,
      ["remainingLots", "remaining"],
      ["status"],
      ["orderType"],
    ],
  },
  fills: {
    title: "Fills",
    missing: NOT_PROVIDED,
    empty: "no fills yet",
    key: ["fillId", "side", "time", "market", "price", "size"],
    leading: [["time"], MARKET, ["side"], PRICE, SIZE, ["role"], ["fee"]],
  },
  funding_payments: {
    title: "Funding payments",
    missing: NOT_PROVIDED,
    empty: "no funding payments yet",
    key: ["paymentId", "marketType", "market", "time"],
    leading: [["time"], MARKET, ["amount"], ["fundingRate"], ["side"], SIZE],
  },
  balances: {
    title: "Balances",
    missing: NOT_PROVIDED,
    empty: "no balances",
    key: ["asset"],
    leading: [["asset"], ["balance"]],
  },
  leverages: {
    title: "Leverages",
    missing: NOT_PROVIDED,
    empty: "no leverages",
    key: ["marketType", "market"],
    leading: [["market"], ["leverage"]],
  },
  subaccounts: {
    title: "Subaccounts",
    missing: "the catalogue has not come",
    empty: "the address has no subaccounts",
    key: ["subaccountId"],
    leading: [],
  },
  delegations: {
    title: "Delegations",
    missing: "the catalogue has not come",
    empty: "nobody else may act for the address",
    key: [],
    leading: [],
  },
  summary: { title: "Summary", missing: NOT_PROVIDED, empty: "", key: [], leading: [] },
};

/** By what a row is known while it moves and changes; undefined when nothing of it is there. Never throws. */
export function rowKey(aliases: Aliases, pane: AccountPane) {
  const { key } = ACCOUNT_TABLES[pane];
  return (record: OpenRecord): string | undefined => {
    if (pane === "delegations") return `${record.subaccount_id} ${record.delegate}`;
    const parts = key.map((meaning) => aliases.text(record, meaning) ?? "");
    return parts.some((part) => part !== "") ? parts.join("/") : undefined;
  };
}

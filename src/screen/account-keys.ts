// Keys of the view of a subaccount: a part of the table of keys.
import type { KeyBinding } from "./keys.ts";

/** As in `KEYS`, of which they are a part. */
export const ACCOUNT_KEYS = [
  { action: "accountAll", keys: ["1"], context: "account", words: "several panes" },
  { action: "accountPositions", keys: ["2"], context: "account", words: "positions alone" },
  { action: "accountOrders", keys: ["3"], context: "account", words: "orders alone" },
  { action: "accountFills", keys: ["4"], context: "account", words: "fills alone" },
  { action: "accountPayments", keys: ["5"], context: "account", words: "funding payments alone" },
  { action: "accountBalances", keys: ["6"], context: "account", words: "balances alone" },
  {
    action: "accountSubaccounts",
    keys: ["7"],
    context: "account",
    words: "subaccounts of the address; Enter watches one",
  },
  {
    action: "accountDelegations",
    keys: ["8"],
    context: "account",
    words: "who else may act for the address",
  },
  { action: "accountSummary", keys: ["9"], context: "account", words: "summary of the subaccount" },
  { action: "accountLeverages", keys: ["0"], context: "account", words: "leverages alone" },
] as const satisfies readonly KeyBinding[];

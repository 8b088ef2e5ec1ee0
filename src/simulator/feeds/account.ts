// account: all lists of a subaccount first, then for each transaction what it changed; or whatever else
// the scenario takes an account frame to be. Fills and funding payments are always new ones only.
import type { AccountUpdate } from "../../wire/channels/account.ts";
import type { Account } from "../accounts/account.ts";
import type { AccountChanges } from "../accounts/account-changes.ts";
import {
  balanceRows,
  fillRow,
  leverageRows,
  orderRow,
  paymentRow,
  positionRows,
  summaryRow,
} from "./account-rows.ts";
import { type Feed, type FeedContext, updateOf } from "./feed.ts";
import { SequenceChain } from "./sequence-chain.ts";
import { newestRows } from "./trades.ts";

/** Past fills and payments in a first frame. */
const BACKLOG = 50;

type Lists = Omit<
  AccountUpdate,
  "type" | "channel" | "timestamp_ns" | "previous_sequence" | "sequence"
>;

/** @returns undefined when there is no such subaccount. Never throws. */
export function openAccountFeed(
  context: FeedContext,
  name: string,
  channel: { readonly address: string; readonly subaccountId: string },
): Feed | undefined {
  const { catalogue, readings } = context;
  if (channel.address !== catalogue.owner.address) return undefined;
  const account = catalogue.accounts.find(
    (each) => String(each.subaccountId) === channel.subaccountId,
  );
  if (account === undefined) return undefined;
  const chain = new SequenceChain(readings, account.sequence);
  const listsOf = { "changed-rows": changedRows, "changed-lists": changedLists, everything }[
    readings.account_lists
  ];
  return {
    isChained: true,
    first: (): AccountUpdate => ({
      ...updateOf(context, name),
      ...chain.first(),
      ...wholeLists(context, account),
      ...backlog(context, account),
    }),
    change(index): AccountUpdate | undefined {
      const { changes } = account;
      if (account.sequence !== index || changes === undefined) return undefined;
      const lists = listsOf(context, account, changes);
      if (Object.keys(lists).length === 0) return undefined;
      return { ...updateOf(context, name), ...chain.next(index), ...lists };
    },
  };
}

/** Every list but fills and payments, with all rows that there are. */
function wholeLists(context: FeedContext, account: Account) {
  const { markets } = context.exchange;
  const open = markets.filter(({ index }) => account.positions[index]?.lots !== 0);
  return {
    account: summaryRow(context, account),
    balances: balanceRows(context, account, markets, true),
    positions: positionRows(context, account, open),
    leverages: leverageRows(account, markets),
    orders: [...account.orders]
      .sort((a, b) => a.id - b.id)
      .map((order) => orderRow(context, order)),
  };
}

function backlog(context: FeedContext, account: Account): Lists {
  const { trades } = context.exchange;
  const rows = newestRows(BACKLOG, trades, (row) => trades.isOf(row, account.index));
  return {
    fills: rows.map((row) => fillRow(context, account, row)),
    funding_payments: account.fundingPayments
      .slice(-BACKLOG)
      .map((payment) => paymentRow(context, payment)),
  };
}

function newRows(context: FeedContext, account: Account, changes: AccountChanges): Lists {
  const { trades, fundingPayments } = changes;
  return {
    ...(trades.length > 0 ? { fills: trades.map((row) => fillRow(context, account, row)) } : {}),
    ...(fundingPayments.length > 0
      ? { funding_payments: fundingPayments.map((payment) => paymentRow(context, payment)) }
      : {}),
  };
}

function changedRows(context: FeedContext, account: Account, changes: AccountChanges): Lists {
  const { markets } = context.exchange;
  const among = (indexes: ReadonlySet<number>) => markets.filter(({ index }) => indexes.has(index));
  const balances = balanceRows(context, account, among(changes.holdings), changes.hasQuote);
  const positions = positionRows(context, account, among(changes.positions));
  const leverages = leverageRows(account, among(changes.leverages));
  const orders = [...changes.orders].map((order) => orderRow(context, order));
  return {
    ...(changes.hasSummary ? { account: summaryRow(context, account) } : {}),
    ...(balances.length > 0 ? { balances } : {}),
    ...(positions.length > 0 ? { positions } : {}),
    ...(leverages.length > 0 ? { leverages } : {}),
    ...(orders.length > 0 ? { orders } : {}),
    ...newRows(context, account, changes),
  };
}

function changedLists(context: FeedContext, account: Account, changes: AccountChanges): Lists {
  const changed = changedRows(context, account, changes);
  const whole = wholeLists(context, account);
  const lists = Object.entries(whole).filter(([list]) => Object.hasOwn(changed, list));
  return { ...Object.fromEntries(lists), ...newRows(context, account, changes) };
}

function everything(context: FeedContext, account: Account, changes: AccountChanges): Lists {
  return { ...wholeLists(context, account), ...newRows(context, account, changes) };
}

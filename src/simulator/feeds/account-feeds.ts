// accounts: the subaccounts and delegations of the published owner first, then delegations as they change.

import { divideInteger, formatDecimal } from "../../units/decimal.ts";
import type { AccountUpdate, Leverage } from "../../wire/channels/account.ts";
import type {
  AccountCatalogEntry,
  AccountDelegation,
  AccountsUpdate,
} from "../../wire/channels/accounts.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Order } from "../engine/order-book.ts";
import type { Account, AccountChanges, Delegation, Position } from "../exchange/account.ts";
import type { Market } from "../exchange/market.ts";
import {
  feeAtoms,
  initialOf,
  liquidationTicks,
  marginOf,
  notionalAtoms,
  QUOTE_PLACES,
  unrealised,
} from "../exchange/money.ts";
import type { FundingPayment } from "../exchange/office.ts";
import { FIRST_TRADE_ID } from "../ledger/tables.ts";
import { type Feed, type FeedContext, SequenceChain, updateOf } from "./feed.ts";
import { fundingText, newestRows } from "./market-feeds.ts";
import { priceText, quoteText, sizeText } from "./text.ts";

/** @returns undefined when nobody of that address is known. */
export function openAccountsFeed(
  context: FeedContext,
  name: string,
  channel: { readonly address: string },
): Feed | undefined {
  const { catalogue, readings } = context;
  if (channel.address !== catalogue.owner.address) return undefined;
  const chain = new SequenceChain(readings, catalogue.sequence);
  return {
    isChained: true,
    first: (): AccountsUpdate => ({
      ...updateOf(context, name),
      ...chain.first(),
      subaccounts: catalogue.accounts.map((account) => entryOf(context, account)),
      delegations: catalogue.delegations.map((delegation) => delegationOf(context, delegation)),
    }),
    change(index): AccountsUpdate | undefined {
      if (catalogue.sequence !== index) return undefined;
      const delegation = catalogue.delegations[catalogue.changed];
      return {
        ...updateOf(context, name),
        ...chain.next(index),
        subaccounts: [],
        delegations: delegation === undefined ? [] : [delegationOf(context, delegation)],
      };
    },
  };
}

function entryOf({ time }: FeedContext, account: Account): AccountCatalogEntry {
  return {
    subaccount_id: account.subaccountId,
    status: account.status,
    created_at_ns: time.ns(account.createdAtUs),
  };
}

function delegationOf({ time }: FeedContext, delegation: Delegation): AccountDelegation {
  const { subaccountId, delegate, permissions, expiresAtUs, name } = delegation;
  return {
    subaccount_id: subaccountId,
    delegate,
    permissions,
    ...(expiresAtUs === undefined ? {} : { expires_at_ns: time.ns(expiresAtUs) }),
    ...(name === undefined ? {} : { name }),
  };
}

/** Past fills and payments in a first frame. */
const BACKLOG = 50;

type Lists = Omit<
  AccountUpdate,
  "type" | "channel" | "timestamp_ns" | "previous_sequence" | "sequence"
>;

/** @returns undefined when there is no such subaccount. */
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

/** Subaccount: what it is worth at mark prices, and the margin that it needs. */
function summaryRow({ exchange, time }: FeedContext, account: Account): OpenRecord {
  const margin = marginOf(account, exchange.markets);
  return {
    subaccount_id: account.subaccountId,
    status: account.status,
    equity: quoteText(margin.equityAtoms),
    unrealized_pnl: quoteText(margin.unrealisedAtoms),
    initial_margin: quoteText(margin.initialAtoms),
    maintenance_margin: quoteText(margin.maintenanceAtoms),
    free_margin: quoteText(margin.equityAtoms - margin.initialAtoms - account.heldAtoms),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

/**
 * Balance: the quote asset where asked for, and the base assets of these markets. `held` backs open spot orders.
 *
 */
function balanceRows(
  { exchange }: FeedContext,
  account: Account,
  markets: readonly Market[],
  withQuote: boolean,
): OpenRecord[] {
  const asset = exchange.markets[0]?.spec.quoteAsset;
  const { quoteAtoms, heldAtoms } = account;
  const quote = {
    asset,
    total: quoteText(quoteAtoms),
    held: quoteText(heldAtoms),
    available: quoteText(quoteAtoms - heldAtoms),
  };
  const bases = markets.flatMap(({ index, isPerp, spec }) => {
    const holding = account.holdings[index];
    if (isPerp || holding === undefined) return [];
    return {
      asset: spec.baseAsset,
      total: sizeText(spec, holding.lots),
      held: sizeText(spec, holding.heldLots),
      available: sizeText(spec, holding.lots - holding.heldLots),
    };
  });
  return withQuote ? [quote, ...bases] : bases;
}

/** Position: a row of size 0 says that it was closed. `side` is `long`, `short` or `flat`. */
function positionRows(
  context: FeedContext,
  account: Account,
  markets: readonly Market[],
): OpenRecord[] {
  return markets.flatMap((market) => {
    const position = account.positions[market.index];
    return position === undefined ? [] : [positionRow(context, account, market, position)];
  });
}

function positionRow(
  { exchange, scale, time }: FeedContext,
  account: Account,
  market: Market,
  position: Position,
): OpenRecord {
  const { spec } = market;
  const { lots } = position;
  const liquidation = liquidationTicks(account, exchange.markets, market);
  return {
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    side: lots === 0 ? "flat" : lots > 0 ? "long" : "short",
    size_base_lots: scale.lots(Math.abs(lots)),
    entry_price: lots === 0 ? null : entryPrice(market, position),
    mark_price: priceText(spec, market.markTicks),
    unrealized_pnl: quoteText(unrealised(market, position)),
    realized_pnl: quoteText(position.realisedAtoms),
    funding_paid: quoteText(-position.fundingAtoms),
    fees_paid: quoteText(position.feesAtoms),
    margin: quoteText(initialOf(account, market, position)),
    margin_mode: "cross",
    leverage: account.leverages[market.index] ?? 1,
    liquidation_price: liquidation === undefined ? null : priceText(spec, liquidation),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

/** Average cost of a unit of base currency, rounded to the atom. */
function entryPrice({ spec }: Market, { lots, costAtoms }: Position): string {
  const { mantissa, places } = spec.lotSize;
  const unitsOfCost = costAtoms * 10n ** BigInt(places);
  const price = divideInteger(unitsOfCost, BigInt(lots) * mantissa, 0);
  return formatDecimal({ mantissa: price?.mantissa ?? 0n, places: QUOTE_PLACES });
}

/** Leverage, for perpetual markets. */
function leverageRows(account: Account, markets: readonly Market[]): Leverage[] {
  return markets
    .filter(({ isPerp }) => isPerp)
    .map(({ index, spec }) => ({
      market_id: spec.id,
      leverage: account.leverages[index] ?? 1,
    }));
}

/** Order: `open`, `partially_filled`, or for the last time `filled`, `canceled` or `rejected`. */
function orderRow({ exchange, scale, time }: FeedContext, order: Order): OpenRecord {
  const spec = exchange.markets[order.market]?.spec;
  return {
    order_id: String(order.id),
    client_order_id: String(order.clientOrderId),
    market_type: spec?.type,
    market_id: spec?.id,
    symbol: spec?.symbol,
    side: order.isBid ? "bid" : "ask",
    order_type: order.terms,
    price_ticks: order.terms === "market" ? null : scale.ticks(order.priceTicks),
    size_base_lots: scale.lots(order.sizeLots),
    remaining_base_lots: scale.lots(order.remainingLots),
    status: order.status,
    created_at_ns: time.ns(order.createdAtUs),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

/**
 * Fill: one trade in which the account took part, as `maker`, `taker` or `both`. `side` is the account's.
 */
function fillRow(
  { exchange, scale, time }: FeedContext,
  account: Account,
  row: number,
): OpenRecord {
  const trade = exchange.trades.at(row);
  const spec = exchange.markets[trade.market]?.spec;
  if (spec === undefined) return {};
  const isTaker = trade.taker === account.index;
  const isMaker = trade.maker === account.index;
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  const makerFee = isMaker ? feeAtoms(notional, spec.makerFeePpm) : 0n;
  const takerFee = isTaker ? feeAtoms(notional, spec.takerFeePpm) : 0n;
  return {
    trade_id: String(FIRST_TRADE_ID + row),
    client_order_id: String(isTaker ? trade.takerClientOrderId : trade.makerClientOrderId),
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    side: trade.takerIsBid === isTaker ? "buy" : "sell",
    role: isTaker && isMaker ? "both" : isTaker ? "taker" : "maker",
    price_ticks: scale.ticks(trade.priceTicks),
    size_base_lots: scale.lots(trade.sizeLots),
    fee_quote: quoteText(makerFee + takerFee),
    timestamp_ns: time.ns(trade.timeUs),
  };
}

/** FundingPayment: `amount_quote` is negative when the account paid. */
function paymentRow({ exchange, scale, time }: FeedContext, payment: FundingPayment): OpenRecord {
  const spec = exchange.markets[payment.market]?.spec;
  return {
    market_type: spec?.type,
    market_id: spec?.id,
    symbol: spec?.symbol,
    side: payment.lots > 0 ? "long" : "short",
    size_base_lots: scale.lots(Math.abs(payment.lots)),
    funding_rate: fundingText(payment.rate),
    mark_price: spec === undefined ? null : priceText(spec, payment.markTicks),
    amount_quote: quoteText(payment.amountAtoms),
    timestamp_ns: time.ns(payment.timeUs),
  };
}

// Feeds of the published owner: the catalogue of subaccounts and delegations, and all lists of a subaccount. Except for Leverage,
// the interface does not show the fields of their rows (2.3): these are plausible ones. Amounts, prices and rates are decimal text;
// ticks and lots are integers in text, as in the order book.

import { divideInteger, formatDecimal } from "../../units/decimal.ts";
import type { Bodies, OpenRecord } from "../../wire/frames.ts";
import type { Order } from "../engine/order-book.ts";
import {
  type Account,
  emptyPosition,
  type FundingPayment,
  isPartyTo,
  type Position,
} from "../exchange/account.ts";
import type { Market } from "../exchange/market.ts";
import {
  feeAtoms,
  getInitial,
  getMargin,
  heldAtoms,
  heldLots,
  liquidationTicks,
  notionalAtoms,
  QUOTE_PLACES,
  unrealised,
} from "../exchange/money.ts";
import type { TradeRow } from "../ledger/log.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";
import { type FeedContext, type OpenFeed, priceText, quoteText, sizeText } from "./feed.ts";
import { fundingText, getName } from "./market-feeds.ts";

/** Only a first frame: neither subaccounts nor delegations change while the simulator runs. */
const openAccounts: OpenFeed<"accounts"> = ({ catalogue, exchange, time }, { address }) => {
  if (address !== catalogue.owner.address) return undefined;
  return {
    sequence: exchange.firstIndex,
    first: () => ({
      subaccounts: catalogue.accounts.map(({ setup: { subaccountId, status, createdAtUs } }) => ({
        subaccount_id: subaccountId,
        status,
        created_at_ns: time.ns(createdAtUs),
      })),
      delegations: catalogue.delegations.map(
        ({ subaccountId, delegate, permissions, expiresAtUs, name }) => ({
          subaccount_id: subaccountId,
          delegate,
          permissions,
          ...(expiresAtUs === undefined ? {} : { expires_at_ns: time.ns(expiresAtUs) }),
          ...(name === undefined ? {} : { name }),
        }),
      ),
    }),
    change: () => undefined,
  };
};

const BACKLOG = 50;

type Lists = Bodies["account"];

/**
 * First all lists, then changed rows or all rows after each transaction. Fills and funding payments are always new ones only.
 */
const openAccount: OpenFeed<"account"> = (context, { address, subaccount }) => {
  const { catalogue, readings, exchange } = context;
  const account = catalogue.accounts.find(({ setup }) => String(setup.subaccountId) === subaccount);
  if (address !== catalogue.owner.address || account === undefined) return undefined;
  const listsOf =
    readings.account_lists === "everything"
      ? () => allLists(context, account)
      : watchRows(context, account);
  return {
    sequence: account.sequence,
    first: () => ({
      ...allLists(context, account),
      ...newRows(
        context,
        account,
        exchange.trades.newest(BACKLOG, (row) => isPartyTo(account, row)).reverse(),
        account.fundingPayments.slice(-BACKLOG),
      ),
    }),
    change(index) {
      if (account.sequence !== index) return undefined;
      const trades = exchange.trades.since(index).filter((row) => isPartyTo(account, row));
      const payments = account.fundingPayments.filter((payment) => payment.index === index);
      const lists = {
        ...listsOf(),
        ...withoutEmpty(newRows(context, account, trades, payments)),
      };
      return Object.keys(lists).length === 0 ? undefined : lists;
    },
  };
};

/** Every list with all its rows, except fills and payments. */
function allLists(context: FeedContext, account: Account) {
  return {
    account: summaryRow(context, account),
    balances: balanceRows(context, account),
    positions: context.exchange.markets.flatMap((market): OpenRecord[] => {
      const position = account.positions[market.index];
      return !market.isPerp || position === undefined || position.lots === 0
        ? []
        : [positionRow(context, account, market, position)];
    }),
    leverages: leverageRows(context, account),
    orders: [...account.orders]
      .sort((a, b) => a.id - b.id)
      .map((order) => orderRow(context, order)),
  };
}

/**
 * Finds the rows changed since the last call, ignoring their time of update. A closed position becomes a row of size 0 on its
 * former side; one that changed sides becomes that row and a new one.
 */
function watchRows(context: FeedContext, account: Account): () => Lists {
  const before = new Map<string, ReadonlySet<string>>();
  let lotsBefore: readonly number[] = [];
  const changed = <R extends object>(list: string, rows: readonly R[]): R[] => {
    const texts = rows.map((row) => JSON.stringify({ ...row, updated_at_ns: undefined }));
    const known = before.get(list);
    before.set(list, new Set(texts));
    return rows.filter((_, i) => !known?.has(texts[i] ?? ""));
  };
  const endedPositions = () => {
    const ended = context.exchange.markets.flatMap((market): OpenRecord[] => {
      if (!market.isPerp) return [];
      const position = account.positions[market.index] ?? emptyPosition();
      const lots = lotsBefore[market.index] ?? 0;
      if (lots === 0 || Math.sign(lots) === Math.sign(position.lots)) return [];
      const closed = { ...position, lots: 0, costAtoms: 0n };
      return [positionRow(context, account, market, closed, lots)];
    });
    lotsBefore = account.positions.map(({ lots }) => lots);
    return ended;
  };
  const collect = (): Lists => {
    const { account: summary, balances, positions, leverages } = allLists(context, account);
    const [changedSummary] = changed("account", [summary]);
    return {
      ...(changedSummary && { account: changedSummary }),
      ...withoutEmpty({
        balances: changed("balances", balances),
        positions: [...endedPositions(), ...changed("positions", positions)],
        leverages: changed("leverages", leverages),
        orders: [...(account.changedOrders ?? [])].map((order) => orderRow(context, order)),
      }),
    };
  };
  collect();
  return collect;
}

function newRows(
  context: FeedContext,
  account: Account,
  trades: readonly TradeRow[],
  payments: readonly FundingPayment[],
) {
  return {
    fills: trades.map((trade) => fillRow(context, account, trade)),
    funding_payments: payments.map((payment) => paymentRow(context, payment)),
  };
}

function withoutEmpty<T extends Readonly<Record<string, readonly unknown[]>>>(
  lists: T,
): Partial<T> {
  const filled = Object.entries(lists).filter(([, rows]) => rows.length > 0);
  return Object.fromEntries(filled) as Partial<T>;
}

/** Subaccount: its value at mark and index prices, and its margin. Only quote currency counts as margin. */
function summaryRow({ exchange, time }: FeedContext, account: Account): OpenRecord {
  const margin = getMargin(account, exchange.markets);
  const coinAtoms = exchange.markets.reduce(
    (sum, { index, isPerp, spec, indexTicks }) =>
      isPerp ? sum : sum + notionalAtoms(spec, indexTicks, account.positions[index]?.lots ?? 0),
    0n,
  );
  return {
    subaccount_id: account.setup.subaccountId,
    status: account.setup.status,
    quote_asset: exchange.markets[0]?.spec.quoteAsset ?? "",
    equity: quoteText(margin.equityAtoms + coinAtoms),
    unrealized_pnl: quoteText(margin.unrealisedAtoms),
    initial_margin: quoteText(margin.initialAtoms),
    maintenance_margin: quoteText(margin.maintenanceAtoms),
    free_margin: quoteText(
      margin.equityAtoms - margin.initialAtoms - heldAtoms(account, exchange.markets),
    ),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

/** Balance: the quote asset, and the base assets of spot markets. `held` backs open spot orders. */
function balanceRows({ exchange }: FeedContext, account: Account): OpenRecord[] {
  const { quoteAtoms, positions } = account;
  const held = heldAtoms(account, exchange.markets);
  const quote = {
    asset: exchange.markets[0]?.spec.quoteAsset ?? "",
    total: quoteText(quoteAtoms),
    held: quoteText(held),
    available: quoteText(quoteAtoms - held),
  };
  const bases = exchange.markets
    .filter(({ isPerp }) => !isPerp)
    .map((market) => {
      const { spec, index } = market;
      const lots = positions[index]?.lots ?? 0;
      const lotsHeld = heldLots(account, market);
      return {
        asset: spec.baseAsset,
        total: sizeText(spec, lots),
        held: sizeText(spec, lotsHeld),
        available: sizeText(spec, lots - lotsHeld),
      };
    });
  return [quote, ...bases];
}

/**
 * Position.
 * @param signedLots lots whose sign decides the side in the row, `long` or `short`
 */
function positionRow(
  { exchange, time }: FeedContext,
  account: Account,
  market: Market,
  position: Position,
  signedLots = position.lots,
): OpenRecord {
  const { spec } = market;
  const isOpen = position.lots !== 0;
  const liquidation = isOpen ? liquidationTicks(account, exchange.markets, market) : undefined;
  return {
    ...getName(spec),
    side: signedLots > 0 ? "long" : "short",
    size_base_lots: String(Math.abs(position.lots)),
    entry_price: isOpen ? entryPrice(spec, position) : null,
    mark_price: priceText(spec, market.markTicks),
    unrealized_pnl: quoteText(unrealised(market, position)),
    realized_pnl: quoteText(position.realisedAtoms),
    funding_paid: quoteText(-position.fundingAtoms),
    fees_paid: quoteText(position.feesAtoms),
    margin: quoteText(getInitial(account, market, position)),
    margin_mode: "cross",
    leverage: account.leverages[market.index] ?? 1,
    liquidation_price: liquidation === undefined ? null : priceText(spec, liquidation),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

function entryPrice({ lotSize }: MarketSpec, { lots, costAtoms }: Position): string {
  const unitsOfCost = costAtoms * 10n ** BigInt(lotSize.places);
  const price = divideInteger(unitsOfCost, BigInt(lots) * lotSize.mantissa, 0);
  return formatDecimal({ mantissa: price?.mantissa ?? 0n, places: QUOTE_PLACES });
}

function leverageRows({ exchange }: FeedContext, { leverages }: Account) {
  return exchange.markets
    .filter(({ isPerp }) => isPerp)
    .map(({ index, spec }) => ({ market_id: spec.id, leverage: leverages[index] ?? 1 }));
}

/** Order: `open`, `partially_filled`, or in its last row `filled`, `canceled` or `rejected`. */
function orderRow({ exchange, time }: FeedContext, order: Order): OpenRecord {
  return {
    order_id: String(order.id),
    client_order_id: String(order.clientOrderId),
    ...getName(exchange.market(order.market).spec),
    side: order.isBid ? "bid" : "ask",
    order_type: order.terms,
    price_ticks: order.terms === "market" ? null : String(order.priceTicks),
    size_base_lots: String(order.sizeLots),
    remaining_base_lots: String(order.remainingLots),
    status: order.status,
    created_at_ns: time.ns(order.createdAtUs),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

/** Fill: a trade of the account as `maker`, `taker` or `both`. `side` is the account's. */
function fillRow({ exchange, time }: FeedContext, { index }: Account, trade: TradeRow): OpenRecord {
  const { spec } = exchange.market(trade.market);
  const isTaker = trade.taker === index;
  const isMaker = trade.maker === index;
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  const makerFee = isMaker ? feeAtoms(notional, spec.makerFeePpm) : 0n;
  const takerFee = isTaker ? feeAtoms(notional, spec.takerFeePpm) : 0n;
  return {
    trade_id: String(trade.id),
    client_order_id: String(isTaker ? trade.takerClientOrderId : trade.makerClientOrderId),
    ...getName(spec),
    side: trade.takerIsBid === isTaker ? "buy" : "sell",
    role: isTaker && isMaker ? "both" : isTaker ? "taker" : "maker",
    price_ticks: String(trade.priceTicks),
    size_base_lots: String(trade.sizeLots),
    fee_quote: quoteText(makerFee + takerFee),
    timestamp_ns: time.ns(trade.timeUs),
  };
}

/** FundingPayment: `amount_quote` is negative if the account paid. */
function paymentRow({ exchange, time }: FeedContext, payment: FundingPayment): OpenRecord {
  const { spec } = exchange.market(payment.market);
  return {
    ...getName(spec),
    side: payment.lots > 0 ? "long" : "short",
    size_base_lots: String(Math.abs(payment.lots)),
    funding_rate: fundingText(payment.rate),
    mark_price: priceText(spec, payment.markTicks),
    amount_quote: quoteText(payment.amountAtoms),
    timestamp_ns: time.ns(payment.timeUs),
  };
}

export const ACCOUNT_FEEDS = { accounts: openAccounts, account: openAccount };

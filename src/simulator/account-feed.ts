// The feed of a published subaccount: first all rows, then after each transaction all but orders and leverages, of which only what
// it changed. Fills and payments are always new ones only. The interface does not show the fields of most of these records (2.3):
// these are plausible ones.
import type { ChannelParts } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/frames.ts";
import type { Account, FundingPayment, Position } from "./exchange/account.ts";
import { BACKLOG, type TradeRow } from "./exchange/log.ts";
import type { Market } from "./exchange/market.ts";
import * as money from "./exchange/money.ts";
import type { Order } from "./exchange/order-book.ts";
import { levelOf, nameOf, nsText, priceText, quoteText, rateText, sizeText } from "./text.ts";
import type { World } from "./world.ts";

/** @returns undefined if there is no such subaccount */
export function openAccountFeed(world: World, { address, subaccount }: ChannelParts) {
  const { owner, accounts } = world.catalogue;
  const account = accounts.find(({ subaccountId }) => String(subaccountId) === subaccount);
  if (address !== owner.address || account === undefined) return undefined;
  const { exchange } = world;
  const { markets, trades } = exchange;
  const own = { value: account.index, in: ["maker", "taker"] } as const;
  return {
    sequence: () => account.sequence,
    body(index?: number) {
      const changed = [...exchange.changedOrders].filter((each) => each.account === account.index);
      const orders = index === undefined ? account.orders : changed;
      const payments = account.payments.filter(
        (each) => index === undefined || each.index === index,
      );
      const lists: Record<string, readonly OpenRecord[]> = {
        balances: balanceRows(world, account),
        positions: markets.flatMap((market) => {
          const position = account.positions[market.index];
          if (!market.isPerp || position === undefined) return [];
          // The open ones, and those that have ended in this transaction, of size 0.
          const isShown = position.lots !== 0 || position.sequence === index;
          return isShown ? [positionRow(world, account, market, position)] : [];
        }),
        leverages: index === undefined ? leverageRows(world, account) : [],
        orders: orders.map((order) => orderRow(world, order)),
        fills: trades.since(index, own).map((row) => fillRow(world, account, row)),
        funding_payments: payments.slice(-BACKLOG).map((payment) => paymentRow(world, payment)),
      };
      const told = Object.entries(lists).filter(
        ([, rows]) => index === undefined || rows.length > 0,
      );
      return { account: summaryRow(world, account), ...Object.fromEntries(told) };
    },
  };
}

function leverageRows({ exchange }: World, { leverages }: Account): OpenRecord[] {
  return exchange.markets
    .filter(({ isPerp }) => isPerp)
    .map(({ index, spec }) => ({ market_id: spec.id, leverage: leverages[index] ?? 1 }));
}

/** The value of a subaccount at mark and index prices, and its margin. Only quote currency counts as margin. */
function summaryRow({ exchange }: World, account: Account): OpenRecord {
  const margin = money.getMargin(account, exchange.markets);
  const coinAtoms = exchange.markets
    .filter(({ isPerp }) => !isPerp)
    .map(({ index, spec, indexTicks }) =>
      money.notionalAtoms(spec, indexTicks, account.positions[index]?.lots ?? 0),
    );
  return {
    subaccount_id: account.subaccountId,
    quote_asset: money.QUOTE_ASSET,
    equity: quoteText(coinAtoms.reduce((sum, each) => sum + each, margin.equityAtoms)),
    unrealized_pnl: quoteText(margin.unrealisedAtoms),
    initial_margin: quoteText(margin.initialAtoms),
    maintenance_margin: quoteText(margin.maintenanceAtoms),
    free_margin: quoteText(margin.equityAtoms - margin.initialAtoms),
    updated_at_ns: nsText(exchange.nowUs),
  };
}

/** The quote asset, and the base assets of spot markets. */
function balanceRows({ exchange }: World, account: Account): OpenRecord[] {
  const row = (asset: string, total: string) => ({ asset, total, available: total });
  const coins = exchange.markets.filter(({ isPerp }) => !isPerp);
  return [
    row(money.QUOTE_ASSET, quoteText(account.quoteAtoms)),
    ...coins.map(({ index, spec }) =>
      row(spec.baseAsset, sizeText(spec, account.positions[index]?.lots ?? 0)),
    ),
  ];
}

function positionRow(
  { exchange }: World,
  account: Account,
  market: Market,
  position: Position,
): OpenRecord {
  const { spec } = market;
  const { lots, costAtoms, realisedAtoms } = position;
  const { profitAtoms, initialAtoms } = money.valuePosition(account, market, position);
  const entryAtoms = Math.round((costAtoms / lots) * 10 ** spec.lotSize.places);
  const liquidation = money.liquidationTicks(account, exchange.markets, market, position);
  return {
    ...nameOf(spec),
    side: lots > 0 ? "long" : "short",
    size_base_lots: String(Math.abs(lots)),
    entry_price: lots === 0 ? null : quoteText(entryAtoms),
    mark_price: priceText(spec, market.markTicks),
    unrealized_pnl: quoteText(profitAtoms),
    realized_pnl: quoteText(realisedAtoms),
    margin: quoteText(initialAtoms),
    margin_mode: "cross",
    leverage: account.leverages[market.index] ?? 1,
    liquidation_price: liquidation === undefined ? null : priceText(spec, liquidation),
    updated_at_ns: nsText(exchange.nowUs),
  };
}

/** Its status is `open`, `partially_filled`, or in its last row `filled`, `canceled` or `rejected`. */
function orderRow({ exchange }: World, order: Order): OpenRecord {
  return {
    order_id: String(order.id),
    client_order_id: String(order.clientOrderId),
    ...nameOf(exchange.market(order.market).spec),
    side: order.isBid ? "bid" : "ask",
    order_type: order.terms,
    price_ticks: order.terms === "market" ? null : String(order.priceTicks),
    size_base_lots: String(order.sizeLots),
    remaining_base_lots: String(order.remainingLots),
    status: order.status,
    created_at_ns: nsText(order.createdAtUs),
    updated_at_ns: nsText(exchange.nowUs),
  };
}

/** A trade of the account as `maker`, `taker` or `both`. `side` is the account's. */
function fillRow({ exchange }: World, { index }: Account, trade: TradeRow): OpenRecord {
  const { priceTicks, takerLots } = trade;
  const { spec } = exchange.market(trade.market);
  const { makerFee, takerFee } = money.priced(spec, priceTicks, takerLots);
  const isTaker = trade.taker === index;
  const isMaker = trade.maker === index;
  return {
    trade_id: String(trade.id),
    client_order_id: String(isTaker ? trade.takerClientOrderId : trade.makerClientOrderId),
    ...nameOf(spec),
    side: takerLots > 0 === isTaker ? "buy" : "sell",
    role: isTaker && isMaker ? "both" : isTaker ? "taker" : "maker",
    ...levelOf({ priceTicks, sizeLots: Math.abs(takerLots) }),
    fee_quote: quoteText((isMaker ? makerFee : 0) + (isTaker ? takerFee : 0)),
    realized_pnl: quoteText(
      (isMaker ? trade.makerGainAtoms : 0) + (isTaker ? trade.takerGainAtoms : 0),
    ),
    timestamp_ns: nsText(trade.timeUs),
  };
}

/** `amount_quote` is negative if the account paid. */
function paymentRow({ exchange }: World, payment: FundingPayment): OpenRecord {
  const { lots, funding, amountAtoms } = payment;
  const { spec } = exchange.market(payment.market);
  return {
    ...nameOf(spec),
    side: lots > 0 ? "long" : "short",
    size_base_lots: String(Math.abs(lots)),
    funding_rate: rateText(funding.rate),
    mark_price: priceText(spec, funding.markTicks),
    amount_quote: quoteText(amountAtoms),
    timestamp_ns: nsText(funding.timeUs),
  };
}

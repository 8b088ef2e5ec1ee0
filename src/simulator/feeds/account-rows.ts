// The rows of an account's lists. Their fields are not shown in the interface, apart from Leverage:
// these are plausible ones. Amounts, prices and rates are decimal text; ticks and lots are whole numbers
// in text, as in the order book.

import { divideInteger, formatDecimal } from "../../units/decimal.ts";
import type { Leverage } from "../../wire/channels/account.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Account } from "../accounts/account.ts";
import type { FundingPayment } from "../accounts/funding.ts";
import { initialOf, liquidationTicks, marginOf, unrealised } from "../accounts/margin.ts";
import { feeAtoms, notionalAtoms, QUOTE_PLACES } from "../accounts/money.ts";
import type { Position } from "../accounts/position.ts";
import type { Order } from "../engine/order.ts";
import type { Market } from "../exchange/market.ts";
import { FIRST_TRADE_ID } from "../ledger/trade-table.ts";
import { priceText, quoteText, sizeText } from "../wire/text.ts";
import type { FeedContext } from "./feed.ts";
import { fundingText } from "./funding-rates.ts";

/** Subaccount: what it is worth at mark prices, and the margin that it needs. Never throws. */
export function summaryRow({ exchange, time }: FeedContext, account: Account): OpenRecord {
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
 * Never throws.
 */
export function balanceRows(
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

/** Position: a row of size 0 says that it was closed. `side` is `long`, `short` or `flat`. Never throws. */
export function positionRows(
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

/** Leverage, for perpetual markets. Never throws. */
export function leverageRows(account: Account, markets: readonly Market[]): Leverage[] {
  return markets
    .filter(({ isPerp }) => isPerp)
    .map(({ index, spec }) => ({
      market_id: spec.id,
      leverage: account.leverages[index] ?? 1,
    }));
}

/** Order: `open`, `partially_filled`, or for the last time `filled`, `canceled` or `rejected`. Never throws. */
export function orderRow({ exchange, scale, time }: FeedContext, order: Order): OpenRecord {
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
 * Fill: one trade in which the account took part, as `maker`, `taker` or `both`. `side` is the account's. Never
 * throws.
 */
export function fillRow(
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

/** FundingPayment: `amount_quote` is negative when the account paid. Never throws. */
export function paymentRow(
  { exchange, scale, time }: FeedContext,
  payment: FundingPayment,
): OpenRecord {
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

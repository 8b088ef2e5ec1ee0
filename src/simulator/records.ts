// What is on the wire of the exchange's state. The interface does not show the fields of most account records, of Market,
// MarketStats and FundingRate (2.3), nor the words of liquidations (2.5): these are plausible ones. Amounts, prices and rates are
// decimal text; ticks and lots are integers in text, as in the order book.
import { createHash } from "node:crypto";
import { divideInteger, formatDecimal } from "../units/decimal.ts";
import { formatUnits } from "../units/scale.ts";
import { US_PER_MS } from "../units/time.ts";
import type { Candle as CandleRecord, Level, OpenRecord, Trade } from "../wire/frames.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Account, FundingPayment, Position } from "./exchange/account.ts";
import type { Candle } from "./exchange/candles.ts";
import type { Liquidation, TradeRow } from "./exchange/log.ts";
import type { FundingRate, Market } from "./exchange/market.ts";
import {
  feeAtoms,
  getInitial,
  getMargin,
  liquidationTicks,
  MAINTENANCE_PPM,
  notionalAtoms,
  QUOTE_PLACES,
  unrealised,
} from "./exchange/money.ts";
import type { Order } from "./exchange/order-book.ts";
import { FUNDING_PLACES } from "./exchange/settlement.ts";
import type { MarketSpec } from "./scenario.ts";
import type { Catalogue } from "./traders/owner.ts";
import type { World } from "./world.ts";

/** Unix nanoseconds. The simulated clock counts microseconds: the last three digits are zeros. */
export function nsText(timeUs: number): string {
  return `${timeUs}000`;
}

function msOfUs(timeUs: number): number {
  return Math.floor(timeUs / US_PER_MS);
}

function priceText({ tickSize }: MarketSpec, ticks: number | bigint): string {
  return formatUnits(String(ticks), tickSize);
}

function sizeText({ lotSize }: MarketSpec, lots: number): string {
  return formatUnits(String(lots), lotSize);
}

function quoteText(atoms: bigint): string {
  return formatDecimal({ mantissa: atoms, places: QUOTE_PLACES });
}

/** A rate in millionths, as a fraction of 1. */
function ppmText(ppm: bigint): string {
  return formatDecimal({ mantissa: ppm, places: 6 });
}

function rateText(rate: number): string {
  return formatDecimal({ mantissa: BigInt(rate), places: FUNDING_PLACES });
}

function nameOf({ type, id, symbol }: MarketSpec) {
  return { market_type: type, market_id: id, symbol };
}

export function levelRow(level: { readonly priceTicks: number; readonly sizeLots: number }): Level {
  return { price_ticks: String(level.priceTicks), size_base_lots: String(level.sizeLots) };
}

export function tradeRow({ timeUs, priceTicks, sizeLots, takerIsBid }: TradeRow): Trade {
  return {
    timestamp_ns: nsText(timeUs),
    ...levelRow({ priceTicks, sizeLots }),
    taker_is_bid: takerIsBid,
  };
}

export function lastCandleRow(spec: MarketSpec, candle: Candle): CandleRecord {
  return {
    ...candlePrices(spec, candle),
    volume_base: sizeText(spec, candle.volumeLots),
    volume_quote: quoteText(candle.volumeAtoms),
    trades: candle.count,
  };
}

export function markCandleRow(spec: MarketSpec, candle: Candle): CandleRecord {
  return { ...candlePrices(spec, candle), samples: candle.count };
}

function candlePrices(spec: MarketSpec, { openTimeMs, open, high, low, close }: Candle) {
  return {
    open_time_ms: openTimeMs,
    open: priceText(spec, open),
    high: priceText(spec, high),
    low: priceText(spec, low),
    close: priceText(spec, close),
  };
}

/** Rates are fractions of 1. */
export function marketRow({ spec, isPerp }: Market): OpenRecord {
  return {
    ...nameOf(spec),
    status: "open",
    base_asset: spec.baseAsset,
    quote_asset: spec.quoteAsset,
    tick_size: formatDecimal(spec.tickSize),
    lot_size: formatDecimal(spec.lotSize),
    maker_fee_rate: ppmText(spec.makerFeePpm),
    taker_fee_rate: ppmText(spec.takerFeePpm),
    ...(isPerp && { maintenance_margin_rate: ppmText(MAINTENANCE_PPM) }),
  };
}

const RATIO_PLACES = 6;

/**
 * `price_change_ratio_24h` is a fraction of 1. The figures cover the last 1440 minutes, including the current one; prices are null
 * without a trade in them. Spot markets have no mark price and no funding.
 */
export function statsRow(market: Market, nowUs: number): OpenRecord {
  const { spec, isPerp, lastTicks, nextFunding } = market;
  const day = market.candles.day(nowUs);
  const change = day && divideInteger(BigInt(lastTicks - day.open), BigInt(day.open), RATIO_PLACES);
  return {
    ...nameOf(spec),
    last_price: priceText(spec, lastTicks),
    index_price: priceText(spec, market.indexTicks),
    ...(isPerp && {
      mark_price: priceText(spec, market.markTicks),
      open_interest_base: sizeText(spec, market.openInterestLots),
      funding_rate: rateText(nextFunding?.rate ?? 0),
      next_funding_time_ns: nextFunding === undefined ? null : nsText(nextFunding.timeUs),
    }),
    high_24h: day === undefined ? null : priceText(spec, day.high),
    low_24h: day === undefined ? null : priceText(spec, day.low),
    volume_base_24h: sizeText(spec, day?.volumeLots ?? 0),
    volume_quote_24h: quoteText(day?.volumeAtoms ?? 0n),
    trades_24h: day?.count ?? 0,
    price_change_ratio_24h: change === undefined ? null : formatDecimal(change),
    updated_at_ns: nsText(nowUs),
  };
}

/** The rate applies to the interval that ends at `funding_time_ns`; a `predicted` one becomes `settled` at that time. */
export function fundingRow(spec: MarketSpec, funding: FundingRate): OpenRecord {
  return {
    ...nameOf(spec),
    funding_rate: rateText(funding.rate),
    status: funding.isSettled ? "settled" : "predicted",
    mark_price: priceText(spec, funding.markTicks),
    index_price: priceText(spec, funding.indexTicks),
    funding_interval_ms: funding.intervalMs,
    funding_time_ns: nsText(funding.timeUs),
  };
}

export function catalogueRows({ accounts }: Catalogue): OpenRecord[] {
  return accounts.map(({ subaccountId, status, createdAtUs }) => ({
    subaccount_id: subaccountId,
    status,
    created_at_ns: nsText(createdAtUs),
  }));
}

export function delegationRows({ delegations }: Catalogue): OpenRecord[] {
  return delegations.map(({ subaccountId, delegate, permissions, expiresAtUs, name }) => ({
    subaccount_id: subaccountId,
    delegate,
    permissions,
    ...(expiresAtUs !== undefined && { expires_at_ns: nsText(expiresAtUs) }),
    ...(name !== undefined && { name }),
  }));
}

/** The value of a subaccount at mark and index prices, and its margin. Only quote currency counts as margin. */
export function summaryRow({ exchange }: World, account: Account): OpenRecord {
  const { markets } = exchange;
  const margin = getMargin(account, markets);
  const coinAtoms = markets.reduce(
    (sum, { index, isPerp, spec, indexTicks }) =>
      isPerp ? sum : sum + notionalAtoms(spec, indexTicks, account.positions[index]?.lots ?? 0),
    0n,
  );
  return {
    subaccount_id: account.subaccountId,
    status: account.status,
    quote_asset: quoteAsset(markets),
    equity: quoteText(margin.equityAtoms + coinAtoms),
    unrealized_pnl: quoteText(margin.unrealisedAtoms),
    initial_margin: quoteText(margin.initialAtoms),
    maintenance_margin: quoteText(margin.maintenanceAtoms),
    free_margin: quoteText(margin.equityAtoms - margin.initialAtoms),
    updated_at_ns: nsText(exchange.nowUs),
  };
}

/** All markets have the same. */
function quoteAsset(markets: readonly Market[]): string {
  return markets[0]?.spec.quoteAsset ?? "";
}

/** The quote asset, and the base assets of spot markets. */
export function balanceRows({ exchange }: World, account: Account): OpenRecord[] {
  const row = (asset: string, total: string) => ({ asset, total, available: total });
  const bases = exchange.markets
    .filter(({ isPerp }) => !isPerp)
    .map(({ index, spec }) =>
      row(spec.baseAsset, sizeText(spec, account.positions[index]?.lots ?? 0)),
    );
  return [row(quoteAsset(exchange.markets), quoteText(account.quoteAtoms)), ...bases];
}

/** @param signedLots lots whose sign decides the side in the row, `long` or `short` */
export function positionRow(
  { exchange }: World,
  account: Account,
  market: Market,
  position: Position,
  signedLots = position.lots,
): OpenRecord {
  const { spec } = market;
  const isOpen = position.lots !== 0;
  const liquidation = isOpen
    ? liquidationTicks(account, exchange.markets, market, position)
    : undefined;
  return {
    ...nameOf(spec),
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
    updated_at_ns: nsText(exchange.nowUs),
  };
}

function entryPrice({ lotSize }: MarketSpec, { lots, costAtoms }: Position): string {
  const unitsOfCost = costAtoms * 10n ** BigInt(lotSize.places);
  const price = divideInteger(unitsOfCost, BigInt(lots) * lotSize.mantissa, 0);
  return quoteText(price?.mantissa ?? 0n);
}

export function leverageRows({ exchange }: World, { leverages }: Account): OpenRecord[] {
  return exchange.markets
    .filter(({ isPerp }) => isPerp)
    .map(({ index, spec }) => ({ market_id: spec.id, leverage: leverages[index] ?? 1 }));
}

/** Its status is `open`, `partially_filled`, or in its last row `filled`, `canceled` or `rejected`. */
export function orderRow({ exchange }: World, order: Order): OpenRecord {
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
export function fillRow({ exchange }: World, { index }: Account, trade: TradeRow): OpenRecord {
  const { spec } = exchange.market(trade.market);
  const isTaker = trade.taker === index;
  const isMaker = trade.maker === index;
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  const makerFee = isMaker ? feeAtoms(notional, spec.makerFeePpm) : 0n;
  const takerFee = isTaker ? feeAtoms(notional, spec.takerFeePpm) : 0n;
  return {
    trade_id: String(trade.id),
    client_order_id: String(isTaker ? trade.takerClientOrderId : trade.makerClientOrderId),
    ...nameOf(spec),
    side: trade.takerIsBid === isTaker ? "buy" : "sell",
    role: isTaker && isMaker ? "both" : isTaker ? "taker" : "maker",
    ...levelRow(trade),
    fee_quote: quoteText(makerFee + takerFee),
    timestamp_ns: nsText(trade.timeUs),
  };
}

/** `amount_quote` is negative if the account paid. */
export function paymentRow({ exchange }: World, payment: FundingPayment): OpenRecord {
  const { spec } = exchange.market(payment.market);
  return {
    ...nameOf(spec),
    side: payment.lots > 0 ? "long" : "short",
    size_base_lots: String(Math.abs(payment.lots)),
    funding_rate: rateText(payment.funding.rate),
    mark_price: priceText(spec, payment.funding.markTicks),
    amount_quote: quoteText(payment.amountAtoms),
    timestamp_ns: nsText(payment.funding.timeUs),
  };
}

/** A trade as the listings have it (interface 2.4). */
export function listedTrade({ exchange }: World, trade: TradeRow): TradeRecord {
  const { spec } = exchange.market(trade.market);
  const maker = exchange.account(trade.maker);
  const taker = exchange.account(trade.taker);
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  return {
    trade_id: String(trade.id),
    tx_hash: `0x${createHash("sha256").update(`${trade.index}`).digest("hex")}`,
    market_type: spec.type,
    market_id: spec.id,
    price: priceText(spec, trade.priceTicks),
    quantity: sizeText(spec, trade.sizeLots),
    quote_notional: quoteText(notional),
    taker_is_bid: trade.takerIsBid,
    maker_address: maker.owner.owner,
    maker_subaccount_id: maker.subaccountId,
    taker_address: taker.owner.owner,
    taker_subaccount_id: taker.subaccountId,
    maker_fee_quote: quoteText(feeAtoms(notional, spec.makerFeePpm)),
    taker_fee_quote: quoteText(feeAtoms(notional, spec.takerFeePpm)),
    maker_client_order_id: String(trade.makerClientOrderId),
    taker_client_order_id: String(trade.takerClientOrderId),
    timestamp_ms: msOfUs(trade.timeUs),
  };
}

/** A liquidation (interface 2.5). `bucket`: which limit was crossed; `scope`: what was evaluated. */
export function listedLiquidation(
  { exchange, liquidator }: World,
  liquidation: Liquidation,
): LiquidationRecord {
  const { owner, subaccountId } = exchange.account(liquidation.account);
  return {
    liquidation_id: String(liquidation.id),
    liquidation_type: "full",
    liquidator: liquidator.owner,
    liquidatee: owner.owner,
    liquidatee_subaccount: subaccountId,
    bucket: liquidation.isBankrupt ? "bankruptcy" : "maintenance",
    scope: "account",
    positions: liquidation.positions.map(({ market, isLong, closedLots, marginAtoms }) => {
      const { spec } = exchange.market(market);
      return {
        market_id: spec.id,
        side: isLong ? "long" : "short",
        size: sizeText(spec, closedLots),
        position_margin: quoteText(marginAtoms),
        margin_mode: "cross",
      };
    }),
    timestamp_ms: msOfUs(liquidation.timeUs),
  };
}

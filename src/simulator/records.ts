// What is on the wire of the exchange's state. The interface does not show the fields of most account records, of Market,
// MarketStats and FundingRate (2.3), nor the words of liquidations (2.5): these are plausible ones. Amounts, prices and rates are
// decimal text; ticks and lots are integers in text, as in the order book.
import { createHash } from "node:crypto";
import { divideHalfEven, formatDecimal } from "../units/decimal.ts";
import { formatUnits } from "../units/scale.ts";
import { US_PER_MS } from "../units/time.ts";
import type { Candle as CandleRecord, Level, OpenRecord, Trade } from "../wire/frames.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Account, FundingPayment, Position } from "./exchange/account.ts";
import type { Candle } from "./exchange/candles.ts";
import type { Liquidation, TradeRow } from "./exchange/log.ts";
import type { FundingRate, Market, MarketSpec } from "./exchange/market.ts";
import {
  feeAtoms,
  getInitial,
  getMargin,
  liquidationTicks,
  notionalAtoms,
  QUOTE_ASSET,
  QUOTE_PLACES,
  unrealised,
} from "./exchange/money.ts";
import type { Order } from "./exchange/order-book.ts";
import { FUNDING_PLACES } from "./exchange/settlement.ts";
import type { Catalogue } from "./traders/owner.ts";
import type { World } from "./world.ts";

/** Unix nanoseconds. The simulated clock counts microseconds: the last three digits are zeros. */
export const nsText = (timeUs: number) => `${timeUs}000`;
const msOfUs = (timeUs: number) => Math.floor(timeUs / US_PER_MS);
const scaled = (value: bigint | number, places: number) =>
  formatDecimal({ mantissa: BigInt(value), places });
const quoteText = (atoms: bigint | number) => scaled(atoms, QUOTE_PLACES);
const rateText = (rate: number) => scaled(rate, FUNDING_PLACES);
const priceText = ({ tickSize }: MarketSpec, ticks: number | bigint) =>
  formatUnits(String(ticks), tickSize);
const sizeText = ({ lotSize }: MarketSpec, lots: number) => formatUnits(String(lots), lotSize);
const volumeText = ({ atomsPerTickLot }: MarketSpec, { volumeTickLots }: Candle) =>
  quoteText(BigInt(volumeTickLots) * BigInt(atomsPerTickLot));
const nameOf = ({ type, id, symbol }: MarketSpec) => ({ market_type: type, market_id: id, symbol });
const longOrShort = (lots: number) => (lots > 0 ? "long" : "short");

export function levelRow(priceTicks: number, sizeLots: number): Level {
  return { price_ticks: String(priceTicks), size_base_lots: String(sizeLots) };
}

export function tradeRow({ timeUs, priceTicks, takerLots }: TradeRow): Trade {
  const level = levelRow(priceTicks, Math.abs(takerLots));
  return { timestamp_ns: nsText(timeUs), ...level, taker_is_bid: takerLots > 0 };
}

/** @param isMark of mark prices, which have no volume */
export function candleRow(spec: MarketSpec, candle: Candle, isMark: boolean): CandleRecord {
  const { openTimeMs, open, high, low, close, count } = candle;
  return {
    open_time_ms: openTimeMs,
    open: priceText(spec, open),
    high: priceText(spec, high),
    low: priceText(spec, low),
    close: priceText(spec, close),
    ...(isMark
      ? { samples: count }
      : {
          volume_base: sizeText(spec, candle.volumeLots),
          volume_quote: volumeText(spec, candle),
          trades: count,
        }),
  };
}

export function marketRow({ spec }: Market): OpenRecord {
  return {
    ...nameOf(spec),
    status: "open",
    base_asset: spec.baseAsset,
    quote_asset: QUOTE_ASSET,
    tick_size: formatDecimal(spec.tickSize),
    lot_size: formatDecimal(spec.lotSize),
  };
}

/** The change is a fraction of 1; prices are null without a trade in the day. Spot markets have no mark price and no funding. */
export function statsRow(market: Market, nowUs: number): OpenRecord {
  const { spec, isPerp, lastTicks, nextFunding } = market;
  const day = market.candles.day(nowUs);
  const change = day && divideHalfEven(BigInt(lastTicks - day.open), BigInt(day.open), 6);
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
    volume_quote_24h: day === undefined ? "0" : volumeText(spec, day),
    trades_24h: day?.count ?? 0,
    price_change_ratio_24h: change === undefined ? null : formatDecimal(change),
    updated_at_ns: nsText(nowUs),
  };
}

/** The rate applies to the interval that ends at `funding_time_ns`; a `predicted` one becomes `settled` at that time. */
export function fundingRow(
  { fundingMs }: World,
  { spec, nextFunding }: Market,
  funding: FundingRate,
): OpenRecord {
  return {
    ...nameOf(spec),
    funding_rate: rateText(funding.rate),
    status: funding === nextFunding ? "predicted" : "settled",
    mark_price: priceText(spec, funding.markTicks),
    funding_interval_ms: fundingMs,
    funding_time_ns: nsText(funding.timeUs),
  };
}

export function catalogueRows({ subaccounts, delegations }: Catalogue) {
  return {
    subaccounts: subaccounts.map(({ status, createdAtUs }, subaccount_id) => ({
      subaccount_id,
      status,
      created_at_ns: nsText(createdAtUs),
    })),
    delegations: delegations.map(({ subaccountId, expiresAtUs, name, ...rest }) => ({
      subaccount_id: subaccountId,
      ...rest,
      ...(expiresAtUs !== undefined && { expires_at_ns: nsText(expiresAtUs) }),
      ...(name !== undefined && { name }),
    })),
  };
}

/** The value of a subaccount at mark and index prices, and its margin. Only quote currency counts as margin. */
export function summaryRow({ exchange }: World, account: Account): OpenRecord {
  const margin = getMargin(account, exchange.markets);
  const coins = exchange.markets.filter(({ isPerp }) => !isPerp);
  const equityAtoms = coins.reduce(
    (sum, { index, spec, indexTicks }) =>
      sum + notionalAtoms(spec, indexTicks, account.positions[index]?.lots ?? 0),
    margin.equityAtoms,
  );
  return {
    subaccount_id: account.subaccountId,
    quote_asset: QUOTE_ASSET,
    equity: quoteText(equityAtoms),
    unrealized_pnl: quoteText(margin.unrealisedAtoms),
    initial_margin: quoteText(margin.initialAtoms),
    maintenance_margin: quoteText(margin.maintenanceAtoms),
    free_margin: quoteText(margin.equityAtoms - margin.initialAtoms),
    updated_at_ns: nsText(exchange.nowUs),
  };
}

/** The quote asset, and the base assets of spot markets. */
export function balanceRows({ exchange }: World, account: Account): OpenRecord[] {
  const row = (asset: string, total: string) => ({ asset, total, available: total });
  const coins = exchange.markets.filter(({ isPerp }) => !isPerp);
  return [
    row(QUOTE_ASSET, quoteText(account.quoteAtoms)),
    ...coins.map(({ index, spec }) =>
      row(spec.baseAsset, sizeText(spec, account.positions[index]?.lots ?? 0)),
    ),
  ];
}

export function positionRow(
  { exchange }: World,
  account: Account,
  market: Market,
  position: Position,
): OpenRecord {
  const { spec } = market;
  const { lots, costAtoms } = position;
  const { lotSize } = spec;
  const cost = costAtoms * 10n ** BigInt(lotSize.places);
  const size = BigInt(Math.abs(lots)) * lotSize.mantissa;
  const entry = lots === 0 ? undefined : divideHalfEven(lots < 0 ? -cost : cost, size, 0);
  const liquidation =
    lots === 0 ? undefined : liquidationTicks(account, exchange.markets, market, position);
  return {
    ...nameOf(spec),
    side: longOrShort(lots),
    size_base_lots: String(Math.abs(lots)),
    entry_price: entry === undefined ? null : quoteText(entry.mantissa),
    mark_price: priceText(spec, market.markTicks),
    unrealized_pnl: quoteText(unrealised(market, position)),
    realized_pnl: quoteText(position.realisedAtoms),
    margin: quoteText(getInitial(account, market, position)),
    margin_mode: "cross",
    leverage: account.leverages[market.index] ?? 1,
    liquidation_price: liquidation === undefined ? null : priceText(spec, liquidation),
    updated_at_ns: nsText(exchange.nowUs),
  };
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
export function fillRow(world: World, { index }: Account, trade: TradeRow): OpenRecord {
  const { spec, makerFee, takerFee } = priced(world, trade);
  const isTaker = trade.taker === index;
  const isMaker = trade.maker === index;
  return {
    trade_id: String(trade.id),
    client_order_id: String(isTaker ? trade.takerClientOrderId : trade.makerClientOrderId),
    ...nameOf(spec),
    side: trade.takerLots > 0 === isTaker ? "buy" : "sell",
    role: isTaker && isMaker ? "both" : isTaker ? "taker" : "maker",
    ...levelRow(trade.priceTicks, Math.abs(trade.takerLots)),
    fee_quote: quoteText((isMaker ? makerFee : 0n) + (isTaker ? takerFee : 0n)),
    timestamp_ns: nsText(trade.timeUs),
  };
}

/** `amount_quote` is negative if the account paid. */
export function paymentRow({ exchange }: World, payment: FundingPayment): OpenRecord {
  const { spec } = exchange.market(payment.market);
  return {
    ...nameOf(spec),
    side: longOrShort(payment.lots),
    size_base_lots: String(Math.abs(payment.lots)),
    funding_rate: rateText(payment.funding.rate),
    mark_price: priceText(spec, payment.funding.markTicks),
    amount_quote: quoteText(payment.amountAtoms),
    timestamp_ns: nsText(payment.funding.timeUs),
  };
}

function priced({ exchange }: World, { market, priceTicks, takerLots }: TradeRow) {
  const { spec } = exchange.market(market);
  const notional = notionalAtoms(spec, priceTicks, Math.abs(takerLots));
  const makerFee = feeAtoms(notional, spec.makerFeePpm);
  return { spec, notional, makerFee, takerFee: feeAtoms(notional, spec.takerFeePpm) };
}

/** A trade as the listings have it (interface 2.4). */
export function listedTrade(world: World, trade: TradeRow): TradeRecord {
  const { spec, notional, makerFee, takerFee } = priced(world, trade);
  const [maker, taker] = [world.exchange.account(trade.maker), world.exchange.account(trade.taker)];
  return {
    trade_id: String(trade.id),
    tx_hash: `0x${createHash("sha256").update(`${trade.index}`).digest("hex")}`,
    market_type: spec.type,
    market_id: spec.id,
    price: priceText(spec, trade.priceTicks),
    quantity: sizeText(spec, Math.abs(trade.takerLots)),
    quote_notional: quoteText(notional),
    taker_is_bid: trade.takerLots > 0,
    maker_address: maker.owner.owner,
    maker_subaccount_id: maker.subaccountId,
    taker_address: taker.owner.owner,
    taker_subaccount_id: taker.subaccountId,
    maker_fee_quote: quoteText(makerFee),
    taker_fee_quote: quoteText(takerFee),
    maker_client_order_id: String(trade.makerClientOrderId),
    taker_client_order_id: String(trade.takerClientOrderId),
    timestamp_ms: msOfUs(trade.timeUs),
  };
}

/** A liquidation (interface 2.5). `bucket`: which limit was crossed; `scope`: what was evaluated. */
export function listedLiquidation(
  { exchange, liquidator }: World,
  { id, market, account, lots, marginAtoms, timeUs }: Liquidation,
): LiquidationRecord {
  const { owner, subaccountId } = exchange.account(account);
  const { spec } = exchange.market(market);
  const size = sizeText(spec, Math.abs(lots));
  const words = { side: longOrShort(lots), margin_mode: "cross" };
  return {
    liquidation_id: String(id),
    liquidation_type: "full",
    liquidator: liquidator.owner,
    liquidatee: owner.owner,
    liquidatee_subaccount: subaccountId,
    bucket: marginAtoms < 0 ? "bankruptcy" : "maintenance",
    scope: "account",
    positions: [{ market_id: spec.id, size, position_margin: quoteText(marginAtoms), ...words }],
    timestamp_ms: msOfUs(timeUs),
  };
}

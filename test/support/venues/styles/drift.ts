// https://docs.drift.trade and @drift-labs/sdk: whole user accounts, numbers in raw precision, words as variants, positions by
// market index, emptied slots that stay, numbers without a previous one.
import type { Market } from "../exchange.ts";
import { equity, money, ms, rate, type Style, USUAL } from "./style.ts";

const IDS: Readonly<Record<string, number>> = {
  SOL: 1,
  BTC: 1,
  ETH: 2,
  QUIET: 40,
  FRESH: 41,
  GONE: 30,
};
const id = ({ base }: Market) => IDS[base] ?? 99;
const symbol = ({ base, type }: Market) => (type === "spot" ? base : `${base}-PERP`);
const base = ({ plan }: Market, lots: number) =>
  `${BigInt(lots) * 10n ** BigInt(9 - plan.lotDigits)}`;
const quote = ({ plan }: Market, ticks: number | undefined) =>
  `${BigInt(ticks ?? 0) * 10n ** BigInt(6 - plan.tickDigits)}`;
const kind = ({ type }: Market) => ({ [type]: {} });
const STATUS = {
  open: "active",
  halted: "paused",
  delisted: "settlement",
  unlisted: "initialized",
} as const;
const ORDER_STATUS = {
  open: "open",
  "partly filled": "open",
  filled: "filled",
  cancelled: "canceled",
} as const;

export const drift: Style = {
  ...USUAL,
  name: "drift",
  id,
  symbol,
  market: (market) => ({
    marketIndex: id(market),
    marketType: market.type,
    symbol: symbol(market),
    status: STATUS[market.status],
    amm: { orderTickSize: quote(market, 1), orderStepSize: base(market, 1) },
    baseAsset: market.base,
  }),
  stats: (market, figures) => ({
    symbol: symbol(market),
    marketIndex: id(market),
    marketType: market.type,
    oraclePrice: quote(market, figures.index),
    markPrice: quote(market, figures.mark),
    openInterest: base(market, figures.openInterest),
    quoteVolume: `${figures.quote}`,
    baseVolume: base(market, figures.size),
    fundingRate: rate(figures.rate),
  }),
  rate: ({ market, timeMs, rate: units }, figures) => ({
    ts: timeMs / 1000,
    marketIndex: id(market),
    fundingRate: rate(units),
    oraclePriceTwap: quote(market, figures.index),
  }),
  summary: (account) => ({
    name: "Main Account",
    subAccountId: 0,
    totalCollateral: `${equity(account)}`,
    freeCollateral: `${equity(account)}`,
    isMarginTradingEnabled: true,
    lastActiveSlot: String(account.sequence),
  }),
  balance: ({ asset, total, digits }) => ({
    marketIndex: asset === "SOL" ? 1 : 0,
    symbol: asset,
    balanceType: { deposit: {} },
    tokenAmount: `${total * (digits === 6 ? 1n : 10_000_000n)}`,
    openOrders: 0,
  }),
  position: (position, account) => ({
    marketIndex: id(position.market),
    baseAssetAmount: base(position.market, position.size),
    quoteAssetAmount: `${position.size < 0 ? position.cost : -position.cost}`,
    quoteEntryAmount: `${position.size < 0 ? position.cost : -position.cost}`,
    quoteBreakEvenAmount: `${position.size < 0 ? position.cost : -position.cost}`,
    openOrders: [...account.orders.values()].filter(({ market }) => market === position.market)
      .length,
    lastCumulativeFundingRate: `${position.funding}`,
    settledPnl: `${position.realised}`,
    openBids: "0",
    openAsks: "0",
    lpShares: "0",
  }),
  order: (order) => ({
    orderId: order.id,
    userOrderId: order.id % 250,
    status: { [ORDER_STATUS[order.status]]: {} },
    marketIndex: id(order.market),
    marketType: kind(order.market),
    orderType: { limit: {} },
    direction: { [order.side === "bid" ? "long" : "short"]: {} },
    price: quote(order.market, order.price),
    baseAssetAmount: base(order.market, order.size),
    baseAssetAmountFilled: base(order.market, order.filled),
    quoteAssetAmountFilled: `${order.market.quote(order.price, order.filled)}`,
    reduceOnly: false,
    postOnly: true,
  }),
  fill: ({ trade, order, isMaker, fee }) => ({
    ts: Math.floor(ms(trade.timeNs) / 1000),
    fillRecordId: String(trade.id),
    txSig: `tx${trade.sequence}`,
    marketIndex: id(order.market),
    marketType: order.market.type,
    [isMaker ? "makerOrderId" : "takerOrderId"]: order.id,
    [isMaker ? "makerOrderDirection" : "takerOrderDirection"]:
      order.side === "bid" ? "long" : "short",
    [isMaker ? "makerFee" : "takerFee"]: money(fee),
    baseAssetAmountFilled: base(order.market, trade.size),
    quoteAssetAmountFilled: `${order.market.quote(trade.price, trade.size)}`,
    oraclePrice: quote(order.market, order.market.index),
  }),
  payment: ({ market, timeMs, size: lots, amount }) => ({
    ts: timeMs / 1000,
    marketIndex: id(market),
    fundingPayment: `${amount}`,
    baseAssetAmount: base(market, lots),
    userLastCumulativeFunding: "0",
  }),
  tells: {
    positions: ["marketIndex", "baseAssetAmount"],
    orders: [
      "orderId",
      "marketIndex",
      "marketType",
      "direction",
      "price",
      "baseAssetAmount",
      "baseAssetAmountFilled",
    ],
    balances: ["marketIndex", "balanceType", "tokenAmount"],
    fills: ["fillRecordId", "marketIndex", "baseAssetAmountFilled"],
    funding_payments: ["ts", "marketIndex", "fundingPayment"],
  },
  keepsFlat: true,
  lists: {
    positions: "whole",
    orders: "whole",
    balances: "whole",
    leverages: "whole",
    markets: "changes",
    stats: "changes",
  },
  book: "snapshots",
  chain: "unnamed",
  first: { hasPrevious: false, trades: 30, fills: 0 },
  newestFirst: { first: false, later: false },
  cursor: "timestamp",
  everyMs: { bbo: 400, book: 400, trades: 400, account: 400, stats: 2000 },
};

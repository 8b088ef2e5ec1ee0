// https://docs.rs/phoenix-rise (trader state of Phoenix perpetuals): ticks and lots, rows that say how they changed, orders by
// sequence number, balances whole beside changes of the rest, figures as JSON numbers.
import type { Market } from "../exchange.ts";
import {
  entry,
  equity,
  iso,
  money,
  price,
  rate,
  remaining,
  type Style,
  size,
  USUAL,
} from "./style.ts";

const IDS: Readonly<Record<string, number>> = {
  BTC: 1,
  ETH: 2,
  SOL: 1,
  QUIET: 3,
  FRESH: 4,
  GONE: 5,
};
const id = ({ base }: Market) => IDS[base] ?? 99;
const symbol = ({ base, type }: Market) => (type === "spot" ? `${base}/USDC` : base);
const STATUS = {
  open: "active",
  halted: "paused",
  delisted: "closed",
  unlisted: "uninitialized",
} as const;
const change = (isEnded: boolean) => (isEnded ? "closed" : "updated");

export const phoenix: Style = {
  ...USUAL,
  name: "phoenix",
  id,
  symbol,
  market: (market) => ({
    symbol: symbol(market),
    assetId: id(market),
    marketType: market.type,
    marketStatus: STATUS[market.status],
    marketPubkey: `Market${market.base}1111111111111111111111111111111111`.slice(0, 44),
    tickSize: 1,
    baseLotsDecimals: market.plan.lotDigits,
    takerFee: 0.00045,
    makerFee: 0.0001,
    fundingIntervalSeconds: 5,
    isolatedOnly: false,
  }),
  stats: (market, figures) => ({
    symbol: symbol(market),
    openInterest: Number(size(market, figures.openInterest)),
    markPrice: Number(price(market, figures.mark)),
    midPrice: Number(price(market, figures.mark)),
    oraclePrice: Number(price(market, figures.index)),
    prevDayMarkPrice: Number(price(market, figures.first ?? figures.mark)),
    dayVolumeUsd: Number(money(figures.quote)),
    fundingRate: Number(rate(figures.rate)),
  }),
  rate: ({ market, timeMs, rate: units }) => ({
    symbol: symbol(market),
    fundingRate: Number(rate(units)),
    timestamp: timeMs / 1000,
  }),
  summary: (account) => ({
    subaccountIndex: 0,
    sequence: account.sequence,
    collateral: `${account.balances[0]?.total ?? 0n}`,
    portfolioValue: money(equity(account)),
    riskState: "healthy",
  }),
  balance: ({ asset, total, digits }) => ({
    assetIndex: asset === "SOL" ? 1 : 0,
    symbol: asset,
    balance: `${total}`,
    decimals: digits,
  }),
  position: (position) => ({
    symbol: symbol(position.market),
    change: change(position.isClosed),
    positionSequenceNumber: String(position.id % 256),
    ...(position.isClosed
      ? {}
      : {
          basePositionLots: String(position.size),
          entryPriceTicks: entry(position).split(".")[0],
          entryPriceUsd: entry(position),
          virtualQuotePositionLots: `${position.size < 0 ? position.cost : -position.cost}`,
          unsettledFundingQuoteLots: "0",
          accumulatedFundingQuoteLots: `${position.funding}`,
        }),
  }),
  order: (order) => ({
    symbol: symbol(order.market),
    change: change(order.status === "filled" || order.status === "cancelled"),
    orderSequenceNumber: String(order.id),
    side: order.side,
    orderType: "limit",
    priceTicks: String(order.price),
    priceUsd: price(order.market, order.price),
    sizeRemainingLots: String(remaining(order)),
    initialSizeLots: String(order.size),
    reduceOnly: false,
    isStopLoss: false,
    status: order.status === "partly filled" ? "partiallyFilled" : order.status,
  }),
  fill: ({ trade, order, isMaker, fee, realised, sizeBefore }) => ({
    fillId: `43148c7f-1389-34f5-99f0-${trade.id.toString(16).padStart(12, "0")}`,
    timestamp: iso(trade.timeNs),
    slot: trade.sequence,
    market: symbol(order.market),
    tradeType: "limit",
    baseQtyBefore: size(order.market, sizeBefore),
    baseQtyAfter: size(
      order.market,
      sizeBefore + (order.side === "bid" ? trade.size : -trade.size),
    ),
    size: size(order.market, trade.size),
    liquidity: isMaker ? "maker" : "taker",
    price: price(order.market, trade.price),
    fee: money(fee),
    realizedPnl: money(realised),
  }),
  payment: ({ market, timeMs, rate: units, size: lots, amount }) => ({
    symbol: symbol(market),
    timestamp: timeMs / 1000,
    fundingPayment: money(amount),
    fundingRatePercentage: rate(units),
    positionSize: size(market, lots),
  }),
  tells: {
    positions: ["symbol", "basePositionLots"],
    orders: ["symbol", "orderSequenceNumber", "side", "priceTicks", "sizeRemainingLots"],
    balances: ["symbol", "balance"],
    fills: ["fillId", "market", "size"],
    funding_payments: ["symbol", "timestamp", "fundingPayment", "positionSize"],
  },
  lists: { ...USUAL.lists, balances: "whole" },
};

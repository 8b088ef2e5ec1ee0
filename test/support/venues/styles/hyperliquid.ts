// https://hyperliquid.gitbook.io/hyperliquid-docs: whole books and whole accounts with each block, coins instead of numbers,
// positions inside their record, no sequence numbers.
import type { Market } from "../exchange.ts";
import {
  decimal,
  entry,
  equity,
  money,
  ms,
  price,
  rate,
  remaining,
  type Style,
  size,
  USUAL,
} from "./style.ts";

const IDS: Readonly<Record<string, number>> = {
  BTC: 0,
  ETH: 1,
  SOL: 156,
  QUIET: 170,
  FRESH: 171,
  GONE: 90,
};
const id = ({ base }: Market) => IDS[base] ?? 199;
const symbol = ({ base, type }: Market) => (type === "spot" ? `@${IDS[base]}` : base);
const letter = (isBuy: boolean) => (isBuy ? "B" : "A");

function direction(before: number, isBuy: boolean): string {
  if (before === 0 || before > 0 === isBuy) return isBuy ? "Open Long" : "Open Short";
  return isBuy ? "Close Short" : "Close Long";
}

export const hyperliquid: Style = {
  ...USUAL,
  name: "hyperliquid",
  id,
  symbol,
  market: (market) => ({
    name: symbol(market),
    index: id(market),
    type: market.type,
    szDecimals: market.plan.lotDigits,
    maxLeverage: 40,
    marginTableId: 56,
    ...(market.status === "open" ? {} : { isDelisted: true }),
  }),
  stats: (market, figures) => ({
    coin: symbol(market),
    ctx: {
      dayNtlVlm: money(figures.quote),
      dayBaseVlm: size(market, figures.size),
      prevDayPx: price(market, figures.first ?? figures.mark),
      markPx: price(market, figures.mark),
      midPx: price(market, figures.mark),
      oraclePx: price(market, figures.index),
      funding: rate(figures.rate),
      openInterest: size(market, figures.openInterest),
      premium: "0.00031774",
      impactPxs: [price(market, figures.mark - 2), price(market, figures.mark + 2)],
    },
  }),
  rate: ({ market, timeMs, rate: units }) => ({
    coin: symbol(market),
    fundingRate: rate(units),
    premium: "0.0",
    time: timeMs,
  }),
  summary: (account) => ({
    marginSummary: {
      accountValue: money(equity(account)),
      totalNtlPos: money(account.positions.reduce((sum, { cost }) => sum + cost, 0n)),
      totalRawUsd: money(account.balances[0]?.total ?? 0n),
      totalMarginUsed: "0.0",
    },
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: money(equity(account)),
    time: account.nowMs,
  }),
  balance: ({ asset, total, digits }, locked) => ({
    coin: asset,
    token: asset === "SOL" ? 254 : 0,
    hold: decimal(locked, digits),
    total: decimal(total, digits),
    entryNtl: "0.0",
  }),
  position: (position, account) => ({
    type: "oneWay",
    position: {
      coin: symbol(position.market),
      szi: size(position.market, position.size),
      leverage: { type: position.bucket === "isolated" ? "isolated" : "cross", value: 20 },
      entryPx: entry(position),
      positionValue: money(position.market.quote(position.mark, Math.abs(position.size))),
      unrealizedPnl: money(account.unrealised(position)),
      returnOnEquity: "0.0",
      liquidationPx: null,
      marginUsed: money(position.cost / 20n),
      maxLeverage: 40,
      cumFunding: {
        allTime: money(-position.funding),
        sinceOpen: money(-position.funding),
        sinceChange: "0.0",
      },
    },
  }),
  order: (order) => ({
    coin: symbol(order.market),
    side: letter(order.side === "bid"),
    limitPx: price(order.market, order.price),
    sz: size(order.market, remaining(order)),
    oid: order.id,
    timestamp: ms(order.createdNs),
    origSz: size(order.market, order.size),
    cloid: null,
    reduceOnly: false,
  }),
  fill: ({ trade, order, isMaker, fee, realised, sizeBefore }) => ({
    coin: symbol(order.market),
    px: price(order.market, trade.price),
    sz: size(order.market, trade.size),
    side: letter(order.side === "bid"),
    time: ms(trade.timeNs),
    startPosition: size(order.market, sizeBefore),
    dir: direction(sizeBefore, order.side === "bid"),
    closedPnl: money(realised),
    hash: `0x${trade.sequence.toString(16).padStart(64, "0")}`,
    oid: order.id,
    crossed: !isMaker,
    fee: money(fee),
    tid: trade.id,
    feeToken: "USDC",
  }),
  payment: ({ market, timeMs, rate: units, size: lots, amount }) => ({
    time: timeMs,
    coin: symbol(market),
    usdc: money(amount),
    szi: size(market, lots),
    fundingRate: rate(units),
    nSamples: null,
  }),
  tells: {
    positions: ["position.coin", "position.szi"],
    orders: ["oid", "coin", "side", "limitPx", "sz"],
    balances: ["coin", "total"],
    fills: ["tid", "coin", "side", "sz", "px"],
    funding_payments: ["time", "coin", "usdc", "szi"],
  },
  lists: {
    positions: "whole",
    orders: "whole",
    balances: "whole",
    leverages: "whole",
    markets: "whole",
    stats: "whole",
  },
  book: "snapshots",
  depth: 20,
  chain: "none",
  first: { hasPrevious: false, trades: 10, fills: 100 },
  newestFirst: { first: true, later: false },
  cursor: "timestamp",
  everyMs: { bbo: 500, book: 500, trades: 500, account: 500, stats: 500 },
};

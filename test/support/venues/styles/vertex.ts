// https://docs.vertexprotocol.com/developer-resources/api/subscriptions: numbers that are times, sizes in 1e-18, orders that end
// with amount 0, an isolated position beside the one of the same product.
import type { Market } from "../exchange.ts";
import {
  changePercent,
  equity,
  money,
  price,
  rate,
  remaining,
  type Style,
  size,
  USUAL,
  x18,
} from "./style.ts";

const IDS: Readonly<Record<string, number>> = {
  BTC: 2,
  ETH: 4,
  SOL: 3,
  QUIET: 40,
  FRESH: 42,
  GONE: 44,
};
const id = ({ base }: Market) => IDS[base] ?? 98;
const symbol = ({ base, type }: Market) => (type === "spot" ? base : `${base}-PERP`);
const amount = ({ plan }: Market, lots: number) => x18(lots, plan.lotDigits);
const digest = (number: number) => `0x${number.toString(16).padStart(64, "f")}`;
const SUBACCOUNT = "0x7a5ec2748e9065794491a8d29dcf3f9edb8d7c43746573743000000000000000";
const STATUS = {
  open: "live",
  halted: "post_only",
  delisted: "not_tradable",
  unlisted: "not_tradable",
} as const;
const REASON = {
  open: "placed",
  "partly filled": "filled",
  filled: "filled",
  cancelled: "cancelled",
} as const;

export const vertex: Style = {
  ...USUAL,
  name: "vertex",
  id,
  symbol,
  market: (market) => ({
    type: market.type,
    product_id: id(market),
    symbol: symbol(market),
    price_increment_x18: x18(1, market.plan.tickDigits),
    size_increment: amount(market, 1),
    min_size: amount(market, 1),
    trading_status: STATUS[market.status],
  }),
  stats: (market, figures) => ({
    product_id: id(market),
    ticker_id: `${symbol(market)}_USDC`,
    base_currency: symbol(market),
    quote_currency: "USDC",
    last_price: price(market, figures.last),
    base_volume: size(market, figures.size),
    quote_volume: money(figures.quote),
    price_change_percent_24h: changePercent(figures),
    mark_price: price(market, figures.mark),
    index_price: price(market, figures.index),
    open_interest: size(market, figures.openInterest),
    funding_rate: rate(figures.rate),
    next_funding_rate_timestamp: figures.nextFundingMs / 1000,
  }),
  rate: ({ market, timeMs, rate: units }) => ({
    product_id: id(market),
    funding_rate_x18: x18(units, 8),
    update_time: String(timeMs / 1000),
  }),
  summary: (account) => ({
    subaccount: SUBACCOUNT,
    exists: true,
    healths: [
      { assets: x18(equity(account), 6), liabilities: "0", health: x18(equity(account), 6) },
    ],
    spot_count: 2,
    perp_count: account.positions.length,
  }),
  balance: ({ asset, total, digits }) => ({
    product_id: asset === "SOL" ? 3 : 0,
    balance: { amount: x18(total, digits), last_cumulative_multiplier_x18: "1000000000000000000" },
  }),
  position: (position) => ({
    product_id: id(position.market),
    subaccount: SUBACCOUNT,
    isolated: position.bucket === "isolated",
    amount: amount(position.market, position.size),
    v_quote_amount: x18(position.size < 0 ? position.cost : -position.cost, 6),
    is_lp: false,
    timestamp: String(position.updatedNs),
  }),
  order: (order) => ({
    product_id: id(order.market),
    digest: digest(order.id),
    sender: SUBACCOUNT,
    price_x18: x18(order.price, order.market.plan.tickDigits),
    amount: amount(
      order.market,
      order.status === "cancelled" ? 0 : remaining(order) * (order.side === "bid" ? 1 : -1),
    ),
    reason: REASON[order.status],
    id: String(order.id % 1000),
    timestamp: String(order.updatedNs),
  }),
  fill: ({ trade, order, isMaker, fee }) => ({
    product_id: id(order.market),
    subaccount: SUBACCOUNT,
    order_digest: digest(order.id),
    filled_qty: amount(order.market, trade.size),
    remaining_qty: amount(order.market, remaining(order)),
    original_qty: amount(order.market, order.size),
    price: x18(trade.price, order.market.plan.tickDigits),
    is_taker: !isMaker,
    is_bid: order.side === "bid",
    fee: x18(fee, 6),
    submission_idx: String(trade.id),
    timestamp: String(trade.timeNs),
  }),
  payment: ({ id: index, market, bucket, timeMs, size: lots, amount: paid }) => ({
    product_id: id(market),
    idx: String(index),
    timestamp: String(timeMs / 1000),
    amount: x18(paid, 6),
    balance_amount: amount(market, lots),
    isolated: bucket === "isolated",
  }),
  tells: {
    positions: ["product_id", "isolated", "amount"],
    orders: ["digest", "product_id", "price_x18", "amount"],
    balances: ["product_id", "balance.amount"],
    fills: ["submission_idx", "product_id", "is_bid", "filled_qty"],
    funding_payments: ["idx", "product_id", "amount"],
  },
  mode: "isolated",
  numbers: "times",
  first: { hasPrevious: false, trades: 0, fills: 0 },
  cursor: "index",
};

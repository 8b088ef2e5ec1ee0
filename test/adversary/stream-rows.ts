/**
 * The open records of the stream (interface 2.3: fields not shown), in several vocabularies. A record
 * is always whole: a flag that is false again is left out.
 */

import { words } from "../support/words.ts";
import { hash } from "./random.ts";

export type Vocabulary = "wire" | "short" | "camel" | "nested";
export type AccountList =
  | "balances"
  | "positions"
  | "leverages"
  | "orders"
  | "fills"
  | "funding_payments";

export const ACCOUNT_LISTS: readonly AccountList[] = [
  "balances",
  "positions",
  "leverages",
  "orders",
  "fills",
  "funding_payments",
];

export interface AccountMarket {
  type: "perp" | "spot";
  id: number;
  symbol: string;
}

/** What the rows of an account look like, and what tells two of them apart. */
export interface AccountStyle {
  vocabulary: Vocabulary;
  hasNumbersAsText: boolean;
  hasExtraFields: boolean;
  hasSortedFields: boolean;
  /** A position without a liquidation price does not have the field, instead of null. */
  leavesOutNulls: boolean;
  /**
   * `long-number` are JSON numbers that a double cannot tell apart; `reused` gives a new order the smallest number that is free; `number-and-text` has 7001 and "7001" for two orders;
   * `none` names no order, and two may be equal.
   */
  orderIds:
    | "unique-text"
    | "unique-number"
    | "mixed"
    | "number-and-text"
    | "by-market"
    | "long-text"
    | "long-number"
    | "number-then-text"
    | "reused"
    | "none";
  /** What says that an order is over: its status, `closed: true`, or `active` that is false. */
  orderEnd: "status" | "closed-flag" | "active-flag";
  /** A closed position has size 0, or keeps its size and says `closed: true`. */
  positionEnd: "zero" | "closed-flag";
  /** Positions name the market in a field called `id`, or in the vocabulary's own. */
  positionKey: "market" | "id-is-market" | "market-and-side" | "isolated-margins";
  balanceKey: "asset" | "amt-ccy" | "amt-ccy-twice" | "isolated-margins" | "id-is-asset";
  fillIds: "unique" | "shared-by-order" | "id-is-market" | "none";
  paymentIds: "unique" | "id-is-market" | "none";
  formatOpen: readonly string[];
  formatEnd: readonly string[];
}

type Field = string | number | boolean | null | { [name: string]: Field };
export type OpenRecord = Record<string, Field>;

const NAMES = {
  wire: {
    order: "order_id",
    client: "client_order_id",
    price: "price",
    size: "size",
    filled: "filled_size",
    status: "status",
    asset: "asset",
    amount: "amount",
    locked: "locked",
    entry: "entry_price",
    upnl: "unrealized_pnl",
    fee: "fee",
    time: "timestamp_ns",
    trade: "trade_id",
    reduce: "reduce_only",
    trigger: "trigger_price",
    margin: "margin_id",
    rate: "rate",
  },
  short: {
    order: "oid",
    client: "cloid",
    price: "px",
    size: "sz",
    filled: "filled",
    status: "status",
    asset: "ccy",
    amount: "amt",
    locked: "frozen",
    entry: "entry",
    upnl: "upnl",
    fee: "fee",
    time: "ts",
    trade: "tid",
    reduce: "ro",
    trigger: "trigger",
    margin: "bucket",
    rate: "rate",
  },
  camel: {
    order: "orderId",
    client: "clientOrderId",
    price: "price",
    size: "qty",
    filled: "filledQty",
    status: "state",
    asset: "asset",
    amount: "amount",
    locked: "locked",
    entry: "entryPrice",
    upnl: "unrealizedPnl",
    fee: "fee",
    time: "timestamp",
    trade: "tradeId",
    reduce: "reduceOnly",
    trigger: "triggerPrice",
    margin: "marginId",
    rate: "fundingRate",
  },
} as const;

type Name = keyof (typeof NAMES)["wire"];

/** Whole thousandths as a decimal, as text or as a JSON number. */
function decimal(thousandths: number, style: AccountStyle): Field {
  if (!style.hasNumbersAsText) return thousandths / 1_000;
  const digits = String(Math.abs(thousandths)).padStart(4, "0");
  return `${thousandths < 0 ? "-" : ""}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

function nameOf(name: Name, style: AccountStyle): string {
  return NAMES[style.vocabulary === "nested" ? "wire" : style.vocabulary][name];
}

function marketFields(market: AccountMarket, style: AccountStyle): OpenRecord {
  switch (style.vocabulary) {
    case "wire":
      return { market_type: market.type, market_id: market.id };
    case "short":
      return { symbol: market.symbol };
    case "camel":
      return { marketId: String(market.id), marketType: market.type };
    case "nested":
      return { market: { type: market.type, id: market.id } };
  }
}

function finish(record: OpenRecord, salt: number, style: AccountStyle): OpenRecord {
  if (style.hasExtraFields) {
    record.meta = { v: 1, note: "a, b" };
    record.x_flags = hash(salt) % 4;
  }
  if (!style.hasSortedFields) return record;
  const names = Object.keys(record).sort();
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}

/** A number that a double cannot hold, until the record is written. */
export const EXACT = "exact:";

/** The text of a record, its exact numbers as such. */
export function writeRecord(record: OpenRecord): string {
  const text = JSON.stringify(record);
  return text.includes(EXACT) ? text.replace(/"exact:(\d+)"/g, "$1") : text;
}

export interface Order {
  number: number;
  id: string | number;
  market: AccountMarket;
  side: "buy" | "sell";
  price: number;
  size: number;
  filled: number;
  status: string;
  isReduceOnly: boolean;
  isOver: boolean;
  /** 0 for an order that is no stop. A stop of the whole position has size 0 and stands. */
  trigger: number;
}

function orderIdFields({ id, number }: Order, style: AccountStyle): OpenRecord {
  if (style.orderIds === "none") return {};
  if (style.vocabulary === "nested") return { order: { id, client_id: `c${number}` } };
  const record: OpenRecord = { [nameOf("order", style)]: id };
  if (style.vocabulary === "short") record[nameOf("client", style)] = `c${number}`;
  return record;
}

export function orderRecord(order: Order, style: AccountStyle): OpenRecord {
  const name = (key: Name): string => nameOf(key, style);
  const record = orderIdFields(order, style);
  Object.assign(record, marketFields(order.market, style));
  record.side = order.side;
  record[name("price")] = decimal(order.price, style);
  record[name("size")] = decimal(order.size, style);
  record[name("filled")] = decimal(order.filled, style);
  if (style.orderEnd === "status") record[name("status")] = order.status;
  if (style.orderEnd === "active-flag") record.active = !order.isOver;
  if (style.orderEnd === "closed-flag" && order.isOver) record.closed = true;
  if (order.isReduceOnly) record[name("reduce")] = true;
  if (order.trigger > 0) {
    record.type = "stop";
    record[name("trigger")] = decimal(order.trigger, style);
  }
  return finish(record, order.number, style);
}

export interface Position {
  market: AccountMarket;
  side: "long" | "short";
  margin: number;
  size: number;
  entry: number;
  upnl: number;
  isClosed: boolean;
}

export function positionRecord(position: Position, style: AccountStyle): OpenRecord {
  const name = (key: Name): string => nameOf(key, style);
  const { positionKey } = style;
  const record: OpenRecord =
    positionKey === "id-is-market"
      ? { id: `${position.market.type}-${position.market.id}` }
      : marketFields(position.market, style);
  const isSigned = positionKey !== "market-and-side";
  if (!isSigned) record.side = position.side;
  if (positionKey === "isolated-margins") record[name("margin")] = position.margin;
  const sign = isSigned && position.side === "short" ? -1 : 1;
  record[name("size")] = decimal(sign * position.size, style);
  record[name("entry")] = decimal(position.entry, style);
  record[name("upnl")] = decimal(position.upnl, style);
  const hasLiquidation = position.upnl <= 0;
  if (hasLiquidation) record.liquidation_price = decimal(position.entry >> 1, style);
  else if (!style.leavesOutNulls) record.liquidation_price = null;
  if (position.isClosed && style.positionEnd === "closed-flag") record.closed = true;
  return finish(record, position.market.id, style);
}

export interface Balance {
  asset: number;
  margin: number;
  amount: number;
  locked: number;
}

const ASSETS = words("USDC BTC ETH SOL DOGE ARB OP SUI TIA APT INJ SEI");

export function balanceRecord(balance: Balance, style: AccountStyle): OpenRecord {
  const name = (key: Name): string => nameOf(key, style);
  const asset = ASSETS[balance.asset] ?? `A${balance.asset}`;
  if (style.balanceKey === "amt-ccy" || style.balanceKey === "amt-ccy-twice") {
    return { amt: decimal(balance.amount, style), ccy: asset };
  }
  const record: OpenRecord =
    style.balanceKey === "id-is-asset" ? { id: balance.asset } : { [name("asset")]: asset };
  if (style.balanceKey === "isolated-margins") record[name("margin")] = balance.margin;
  record[name("amount")] = decimal(balance.amount, style);
  record[name("locked")] = decimal(balance.locked, style);
  return finish(record, balance.asset, style);
}

/** Fields that a part of a row has, too: what says which row it is. */
export const IDENTIFYING: ReadonlySet<string> = new Set(
  words(
    "order_id oid orderId order market_type market_id marketType marketId symbol market side id margin_id bucket marginId",
  ),
);

export interface Fill {
  number: number;
  orderNumber: number;
  orderId: string | number;
  market: AccountMarket;
  side: "buy" | "sell";
  price: number;
  size: number;
  timeMs: number;
}

export function fillRecord(fill: Fill, style: AccountStyle): OpenRecord {
  const name = (key: Name): string => nameOf(key, style);
  const record: OpenRecord = {};
  if (style.fillIds === "unique") record[name("trade")] = String(500_000 + fill.number);
  if (style.fillIds === "shared-by-order")
    record[name("trade")] = String(300_000 + fill.orderNumber);
  if (style.fillIds === "id-is-market") record.id = fill.market.id;
  if (style.fillIds !== "none") record[name("order")] = fill.orderId;
  Object.assign(record, marketFields(fill.market, style));
  record.side = fill.side;
  record[name("price")] = decimal(fill.price, style);
  record[name("size")] = decimal(fill.size, style);
  record[name("fee")] = decimal(-Math.floor(fill.size / 7), style);
  record[name("time")] = `${fill.timeMs}000000`;
  return finish(record, fill.orderNumber, style);
}

export interface Payment {
  number: number;
  market: AccountMarket;
  amount: number;
  timeMs: number;
}

export function paymentRecord(payment: Payment, style: AccountStyle): OpenRecord {
  const name = (key: Name): string => nameOf(key, style);
  const record: OpenRecord = {};
  if (style.paymentIds === "unique") record.id = String(90_000 + payment.number);
  if (style.paymentIds === "id-is-market") record.id = payment.market.id;
  Object.assign(record, marketFields(payment.market, style));
  record[name("rate")] = "0.0001";
  record[name("amount")] = decimal(payment.amount, style);
  record[name("time")] = `${payment.timeMs}000000`;
  return finish(record, payment.market.id, style);
}

export function accountRecord(equity: number, used: number, style: AccountStyle): OpenRecord {
  const record: OpenRecord = {
    subaccount_id: 1,
    status: "active",
    equity: decimal(equity, style),
    [style.vocabulary === "camel" ? "marginUsed" : "margin_used"]: decimal(used, style),
  };
  return finish(record, 1, style);
}

// Meanings of the fields of open records: one table of the names that such fields usually have.
// A meaning for which a record has no name is not provided; nothing is invented.

import { exactText } from "../wire/exact-numbers.ts";
import { followPath } from "../wire/json.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type Standing, StatusWords } from "./status-words.ts";

/**
 * Each meaning with its possible names, most likely first. `market_id` also matches `marketId`.
 * Ticks and lots are the stream's integers; every other number is decimal text in currency.
 */
const DEFAULT_NAMES = {
  orderId: ["order_id", "oid", "order_uid", "id", "client_order_id", "cloid"],
  clientOrderId: ["client_order_id", "client_id", "cloid"],
  fillId: ["trade_id", "fill_id", "execution_id", "exec_id", "match_id", "tid", "id"],
  paymentId: ["payment_id", "funding_payment_id", "id"],
  positionId: ["position_id", "pid"],
  market: ["market_id", "market", "mkt", "market_index", "instrument_id", "instrument", "pair"],
  marketRecord: ["market_id", "id", "market", "market_index"],
  marketType: ["market_type", "type", "product_type", "kind"],
  symbol: ["symbol", "name", "ticker", "market_symbol", "market_name"],
  asset: [
    "asset",
    "asset_id",
    "symbol",
    "currency",
    "coin",
    "ccy",
    "denom",
    "token",
    "ticker",
    "mint",
  ],
  accountAsset: [
    "settlement_asset",
    "settlement_currency",
    "settlement_coin",
    "collateral_asset",
    "collateral_currency",
    "margin_asset",
    "margin_currency",
    "margin_coin",
    "account_currency",
    "denomination",
  ],
  baseAsset: ["base_asset", "base_currency", "base_coin", "base"],
  quoteAsset: ["quote_asset", "quote_currency", "quote_coin", "quote"],
  side: ["side", "direction", "position_side", "order_side", "is_bid", "is_buy", "is_long"],
  size: ["size", "qty", "quantity", "sz", "base_size", "size_base", "position_size", "amount"],
  sizeLots: ["size_base_lots", "size_lots", "base_lots", "lots"],
  remaining: ["remaining", "remaining_size", "remaining_qty", "remaining_quantity", "open_size"],
  remainingLots: ["remaining_base_lots", "remaining_lots", "open_base_lots"],
  price: ["price", "px", "limit_price", "limit_px", "fill_price", "trade_price"],
  priceTicks: ["price_ticks", "price_in_ticks", "limit_price_ticks"],
  entryPrice: ["entry_price", "entry_px", "entry", "avg_entry_price", "average_entry_price"],
  liquidationPrice: ["liquidation_price", "liquidation_px", "liq_price", "liq_px"],
  toLiquidation: ["to_liquidation"],
  positionValue: ["value", "position_value", "notional", "notional_value"],
  returnOnMargin: ["roe", "return_on_equity", "return_on_margin"],
  unrealizedPnl: ["unrealized_pnl", "unrealised_pnl", "upnl", "unrealized_profit", "open_pnl"],
  realizedPnl: ["realized_pnl", "realised_pnl", "rpnl", "realized_profit", "closed_pnl"],
  margin: ["margin", "initial_margin", "position_margin", "margin_used", "collateral"],
  leverage: ["leverage", "lev"],
  equity: ["equity", "account_value", "total_equity", "net_value", "nav"],
  freeMargin: ["free_margin", "free_collateral", "available_margin", "available_balance"],
  balance: ["total", "balance", "wallet_balance", "total_balance", "amount", "quantity", "qty"],
  subaccountId: ["subaccount_id"],
  status: ["status", "state", "order_status", "account_status"],
  orderType: ["order_type", "type", "time_in_force", "tif"],
  role: ["role", "liquidity", "is_maker"],
  fee: ["fee_quote", "fee", "fee_paid", "commission"],
  amount: ["amount_quote", "amount", "payment", "funding", "value"],
  time: ["timestamp_ns", "timestamp_ms", "timestamp", "time", "ts", "created_at_ns", "created_at"],
  updatedAt: ["updated_at_ns", "updated_at_ms", "updated_at", "last_update_time"],
  fundingTime: ["funding_time_ns", "funding_time_ms", "funding_time", "effective_at", "settled_at"],
  fundingInterval: ["funding_interval_ms", "interval_ms"],
  nextFunding: [
    "next_funding_time_ns",
    "next_funding_time_ms",
    "next_funding_time",
    "next_funding",
  ],
  fundingRate: ["funding_rate", "current_funding_rate", "rate"],
  tickSize: ["tick_size", "price_tick", "price_increment", "min_price_increment", "tick"],
  lotSize: ["lot_size", "base_lot_size", "size_increment", "quantity_increment", "step_size"],
  markPrice: ["mark_price", "mark", "mark_px"],
  indexPrice: ["index_price", "oracle_price", "index", "oracle_px"],
  lastPrice: ["last_price", "last", "last_px"],
  change24h: ["price_change_24h", "change_24h", "price_change"],
  changePercent24h: ["price_change_percent_24h", "change_percent_24h", "price_change_pct_24h"],
  changeRatio24h: ["price_change_ratio_24h", "change_ratio_24h"],
  high24h: ["high_24h", "price_high_24h", "high"],
  low24h: ["low_24h", "price_low_24h", "low"],
  volumeBase24h: ["volume_base_24h", "volume_24h_base", "base_volume_24h", "volume_24h"],
  volumeQuote24h: ["volume_quote_24h", "volume_24h_quote", "quote_volume_24h"],
  openInterest: ["open_interest", "open_interest_base"],
} as const;

/** What a field of an open record can mean. */
export type Meaning = keyof typeof DEFAULT_NAMES;

type Path = readonly string[];

/** The table in force; each meaning's paths are computed when first needed. */
export class Aliases {
  readonly #paths = new Map<Meaning, readonly Path[]>();
  /** The same names as dotted paths, with their ranks. */
  readonly #columns = new Map<Meaning, ReadonlyMap<string, number>>();
  readonly #statusWords = new StatusWords();

  constructor() {
    // Frozen, so that copies of a state share it.
    Object.freeze(this);
  }

  /** The value of a meaning; undefined if none of its names is present with a value other than null. */
  value(record: OpenRecord, meaning: Meaning): unknown {
    for (const path of this.#pathsOf(meaning)) {
      const value = followPath(record, path);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  }

  /** The exact text of a meaning; undefined if it is not provided, or not a scalar. */
  text(record: OpenRecord, meaning: Meaning): string | undefined {
    for (const path of this.#pathsOf(meaning)) {
      const text = exactText(followPath(record, path));
      if (text !== undefined && text !== "") return text;
    }
    return undefined;
  }

  /** The standing given by a record's status and flags; undefined if it has none that is known. */
  standingOf(record: OpenRecord): Standing | undefined {
    let flagged: Standing | undefined;
    for (const name in record) {
      const value = record[name];
      if (value !== true && value !== false) continue;
      const flag = this.#statusWords.standingOfFlag(name, value);
      if (flag === "ended") return flag;
      flagged ??= flag;
    }
    const status = this.text(record, "status");
    return (status === undefined ? undefined : this.#statusWords.standingOf(status)) ?? flagged;
  }

  columnOf(record: OpenRecord, meaning: Meaning): string | undefined {
    return this.#pathsOf(meaning)
      .find((path) => exactText(followPath(record, path)) !== undefined)
      ?.join(".");
  }

  /** Rank of a column among the names of a meaning: 0 for the most likely; undefined if it is none of them. */
  rankOf(column: string, meaning: Meaning): number | undefined {
    return this.#columnsOf(meaning).get(column);
  }

  isNamed(column: string, meaning: Meaning): boolean {
    return this.#columnsOf(meaning).has(column);
  }

  #pathsOf(meaning: Meaning): readonly Path[] {
    let paths = this.#paths.get(meaning);
    if (paths === undefined) {
      paths = DEFAULT_NAMES[meaning].flatMap(spellings).map((name) => [name]);
      this.#paths.set(meaning, paths);
    }
    return paths;
  }

  #columnsOf(meaning: Meaning): ReadonlyMap<string, number> {
    let columns = this.#columns.get(meaning);
    if (columns === undefined) {
      const ranked = this.#pathsOf(meaning).map((path, rank) => [path.join("."), rank] as const);
      // Of two equal names the first counts.
      columns = new Map(ranked.reverse());
      this.#columns.set(meaning, columns);
    }
    return columns;
  }
}

/** The default table. */
export const defaultAliases = new Aliases();

function spellings(name: string): readonly string[] {
  const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return camel === name ? [name] : [name, camel];
}

// Rows of listings. A fill is shown as its subaccount sees it: its side, and what it paid; the listing has both sides.
import type { Store } from "../state/store.ts";
import { addDecimal, type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import { type FillsOwner, ownFill } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Display } from "./display.ts";
import { findSymbol, readMarketName } from "./market.ts";

/** A trade with the most important fields first: time, side of the taker, price and size. */
export function tradeRow(trade: TradeRecord): OpenRecord {
  const { timestamp_ms, price, quantity, quote_notional, ...rest } = trade;
  const taker_side = trade.taker_is_bid ? "buy" : "sell";
  return { timestamp_ms, taker_side, price, quantity, quote_notional, ...rest };
}

/**
 * A fill with its market first, then what the subaccount did, and what it paid for that.
 * @param market its name, which then replaces type and id: these come later
 */
export function fillRow(fill: TradeRecord, owner: FillsOwner, market?: string): OpenRecord {
  const { timestamp_ms, market_type, market_id, price, quantity, quote_notional, ...rest } = fill;
  const ids = { market_type, market_id };
  const { side, role, fee_quote } = ownFill(fill, owner);
  const own = { side, price, quantity, fee_quote, role };
  if (market === undefined) return { timestamp_ms, ...ids, ...own, quote_notional, ...rest };
  return { timestamp_ms, market, ...own, quote_notional, ...ids, ...rest };
}

/** `perp/1`, whatever the case of the type. */
export function formatFillMarket({ market_type, market_id }: TradeRecord): string {
  return `${market_type.toLowerCase()}/${market_id}`;
}

/** The symbol of its market, or `perp/1` while that is unknown. */
export function fillMarketName(fill: TradeRecord, store: Store): string {
  return marketName(formatFillMarket(fill), store);
}

/** @param name `perp/1` */
export function marketName(name: string, store: Store): string {
  const market = readMarketName(name);
  return (market && findSymbol(store, market)) ?? name;
}

/** One row per event, with its number of positions; unfolded, one row per position. */
export function liquidationRows(event: LiquidationRecord, isUnfolded: boolean): OpenRecord[] {
  const { positions, timestamp_ms, liquidation_type, ...rest } = event;
  const lead = { timestamp_ms, liquidation_type };
  if (!isUnfolded || positions.length === 0) {
    return [{ ...lead, positions: positions.length, ...rest }];
  }
  return positions.map((position) => ({
    ...lead,
    ...Object.fromEntries(
      Object.entries(position).map(([name, value]) => [`position_${name}`, value]),
    ),
    ...rest,
  }));
}

/** Exact sums over fills. */
export interface FillTotals {
  readonly fills: number;
  /** Quote currency. */
  readonly bought: Decimal;
  readonly sold: Decimal;
  readonly fees: Decimal;
}

const ZERO: Decimal = { mantissa: 0n, places: 0 };
export const NO_FILLS: FillTotals = { fills: 0, bought: ZERO, sold: ZERO, fees: ZERO };

/** Adds fills to totals. A fill on both sides counts as bought and as sold. */
export function addFills(
  totals: FillTotals,
  fills: readonly TradeRecord[],
  owner: FillsOwner,
): FillTotals {
  let { bought, sold, fees } = totals;
  for (const fill of fills) {
    const { side, fee_quote } = ownFill(fill, owner);
    const notional = parseDecimal(fill.quote_notional) ?? ZERO;
    if (side === "buy" || side === "both") bought = addDecimal(bought, notional);
    if (side === "sell" || side === "both") sold = addDecimal(sold, notional);
    fees = addDecimal(fees, parseDecimal(fee_quote) ?? ZERO);
  }
  return { fills: totals.fills + fills.length, bought, sold, fees };
}

/** The totals as text, most important first; negative fees are rebates. */
export function formatTotals(
  { bought, sold, fees }: FillTotals,
  display: Display,
): readonly string[] {
  const sums = { fees, volume: addDecimal(bought, sold), bought, sold };
  return Object.entries(sums).map(([name, sum]) => `${name} ${display.money(formatDecimal(sum))}`);
}

// Rows of the three listings as tables show them, and what they sum up to.

import { addDecimal, type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type FillsOwner, ownFill } from "./fill.ts";

/** A trade with what is looked for first in front: time, the side of its taker, price and size. Never throws. */
export function tradeRow(trade: TradeRecord): OpenRecord {
  const { timestamp_ms, price, quantity, quote_notional, ...rest } = trade;
  const taker_side = trade.taker_is_bid ? "buy" : "sell";
  return { timestamp_ms, taker_side, price, quantity, quote_notional, ...rest };
}

/** A fill with its market in front, then what the subaccount did, and what it paid for that. Never throws. */
export function fillRow(fill: TradeRecord, owner: FillsOwner): OpenRecord {
  const { timestamp_ms, market_type, market_id, price, quantity, quote_notional, ...rest } = fill;
  const market = { market_type, market_id };
  const { side, role, fee_quote } = ownFill(fill, owner);
  const own = { side, price, quantity, fee_quote, role };
  return { timestamp_ms, ...market, ...own, quote_notional, ...rest };
}

/** One row an event, with the number of its positions; unfolded, one row a position. Never throws. */
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
/** The totals of nothing. */
export const NO_FILLS: FillTotals = { fills: 0, bought: ZERO, sold: ZERO, fees: ZERO };

/** The totals with more fills in them. A fill of both sides is bought and sold. Never throws. */
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

/** The totals in words, the most wanted first; negative fees are rebates. Never throws. */
export function formatTotals({ bought, sold, fees }: FillTotals): readonly string[] {
  const sums = { fees, volume: addDecimal(bought, sold), bought, sold };
  return Object.entries(sums).map(([name, sum]) => `${name} ${formatDecimal(sum)}`);
}

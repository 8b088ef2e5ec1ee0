// Alerts that have a price: where they stand on the chart and in the ladder of their market, and in which state.

import { isSameMarket, type Market } from "../select/market.ts";
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { type Alert, type AlertCondition, selectAlertCondition } from "./alert-desk.ts";

/** An alert at its price. */
export interface AlertMark {
  /** `last > 65000`, and its state where that is not "armed". */
  readonly words: string;
  /** The same, as short as in a ladder: `>65000`, with `?` while it is not evaluated and `!` once it has fired. */
  readonly short: string;
  readonly condition: AlertCondition;
  /** In quote currency; undefined where it is given in ticks of unknown worth. */
  readonly price: Decimal | undefined;
  /** In what the ladder counts in: quote currency, or ticks without a scale. */
  readonly step: Decimal | undefined;
}

/** Numbers of a market that are prices. */
const PRICES: ReadonlySet<string> = new Set(["bid", "ask", "last", "mark", "index"]);
const SHORT_DIRECTIONS = { ">": ">", "<": "<", crosses: "<>" } as const;
const SHORT_CONDITIONS = { armed: "", "not evaluated": "?", fired: "!", expired: "" } as const;

/** Alerts of the market that have a price and can fire, or have fired, in the order in which they were set. Never throws. */
export function selectAlertMarks(
  alerts: readonly Alert[],
  market: Market,
  scale: Scale | undefined,
): readonly AlertMark[] {
  return alerts.flatMap((alert) => markOf(alert, market, scale) ?? []);
}

function markOf(alert: Alert, market: Market, scale: Scale | undefined): AlertMark | undefined {
  const { subject, crossing } = alert.rule;
  const condition = selectAlertCondition(alert);
  if (subject.kind !== "number" || !PRICES.has(subject.name)) return undefined;
  if (crossing === undefined || condition === "expired") return undefined;
  if (!isSameMarket(subject.market, market)) return undefined;
  const { direction, level, unit } = crossing;
  const inTicks = unit === "ticks";
  const price = inTicks ? scale && multiplyDecimal(level, scale.tickSize) : level;
  const text = formatDecimal(trimDecimal(price ?? level));
  const state = condition === "armed" ? "" : ` ${condition}`;
  return {
    words: `${subject.name} ${direction} ${text}${state}`,
    short: `${SHORT_DIRECTIONS[direction]}${text}${SHORT_CONDITIONS[condition]}`,
    condition,
    price,
    step: scale === undefined && !inTicks ? undefined : (price ?? level),
  };
}

/**
 * The marks by the row of a ladder at which they stand: that of their price, or the next lower one.
 * @param rows prices in ticks from the highest to the lowest; a mark outside of them has no row. Never throws.
 */
export function placeAlertMarks(
  marks: readonly AlertMark[],
  rows: readonly bigint[],
  scale: Scale | undefined,
): ReadonlyMap<bigint, readonly AlertMark[]> {
  const placed = new Map<bigint, AlertMark[]>();
  const { tickSize = { mantissa: 1n, places: 0 } } = scale ?? {};
  const steps = rows.map((ticks) => ({
    ticks,
    price: multiplyDecimal({ mantissa: ticks, places: 0 }, tickSize),
  }));
  const highest = steps[0]?.price;
  for (const mark of marks) {
    const at = mark.step;
    if (at === undefined || highest === undefined || compareDecimal(at, highest) > 0) continue;
    const row = steps.find(({ price }) => compareDecimal(price, at) <= 0);
    if (row !== undefined) placed.set(row.ticks, [...(placed.get(row.ticks) ?? []), mark]);
  }
  return placed;
}

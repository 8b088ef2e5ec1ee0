// Where own fills and the prices of a position go on the chart of candles.

import { type Decimal, parseDecimal, widenDecimal } from "../units/decimal.ts";
import { NS_PER_MS } from "../units/time.ts";
import type { MarkCandle } from "../wire/channels/mark-candles.ts";
import { type CandleChart, type PriceRange, placeOf } from "./candles.ts";
import type { OwnFill } from "./own-marks.ts";

/** An own fill on the chart: column and row of the plot. */
export interface ChartFill {
  readonly column: number;
  readonly row: number;
  readonly isBuy: boolean;
}

/** A price across the chart. */
export interface PriceLine {
  readonly price: Decimal;
  /** `entry 97028.07` */
  readonly label: string;
}

/** A price at its row. */
export interface ChartLine<Line extends PriceLine = PriceLine> {
  readonly line: Line;
  /** Row of the plot; the nearest one where the price is outside. */
  readonly row: number;
  /** That of the line, with an arrow where it is outside. */
  readonly label: string;
  readonly isInside: boolean;
}

/** Fills inside of the plot, each on the candle of its time. @param rows of the plot. Never throws. */
export function placeFills(
  { candles, range }: CandleChart,
  fills: readonly OwnFill[],
  intervalMs: number,
  rows: number,
): readonly ChartFill[] {
  if (range === undefined) return [];
  const columns = new Map(candles.map(({ openTimeMs, column }) => [openTimeMs, column]));
  const startNs = BigInt(candles[0]?.openTimeMs ?? 0) * NS_PER_MS;
  const before = fills.findIndex(({ timeNs }) => timeNs < startNs);
  const seen = before < 0 ? fills : fills.slice(0, before);
  return seen.flatMap(({ timeNs, price, isBuy }) => {
    const timeMs = Number(timeNs / NS_PER_MS);
    const column = columns.get(timeMs - (timeMs % intervalMs));
    const row = price && rowOf(price, range, rows);
    if (column === undefined || row === undefined || row < 0 || row >= rows) return [];
    return [{ column, row, isBuy }];
  });
}

/** A mark price on the chart of last prices. */
export interface ChartMark {
  readonly column: number;
  readonly row: number;
}

/** Closes of the mark price inside of the plot, each beside the candle of its period. Never throws. */
export function placeMarks(
  { candles, range }: CandleChart,
  marks: readonly MarkCandle[],
  rows: number,
): readonly ChartMark[] {
  if (range === undefined) return [];
  const closes = new Map(marks.map(({ open_time_ms, close }) => [open_time_ms, close]));
  return candles.flatMap(({ openTimeMs, column }) => {
    const price = parseDecimal(closes.get(openTimeMs) ?? "");
    const row = price && rowOf(price, range, rows);
    return row === undefined || row < 0 || row >= rows ? [] : [{ column, row }];
  });
}

/** Every line, those outside of the plot at its edge. Never throws. */
export function placeLines<Line extends PriceLine>(
  { range }: CandleChart,
  lines: readonly Line[],
  rows: number,
): readonly ChartLine<Line>[] {
  if (range === undefined || rows <= 0) return [];
  return lines.map((line) => {
    const row = rowOf(line.price, range, rows);
    const arrow = row < 0 ? " ↑" : row >= rows ? " ↓" : "";
    return {
      line,
      row: Math.max(0, Math.min(rows - 1, row)),
      label: `${line.label}${arrow}`,
      isInside: arrow === "",
    };
  });
}

/** Below 0 above the plot, `rows` below it. */
function rowOf(price: Decimal, { high, low, places }: PriceRange, rows: number): number {
  const wide = Math.max(places, price.places);
  const [top = 0n, bottom = 0n] = [high, low].map(
    (mantissa) => widenDecimal({ mantissa, places }, wide).mantissa,
  );
  const value = widenDecimal(price, wide).mantissa;
  if (value > top) return -1;
  if (value < bottom) return rows;
  return Math.floor(placeOf(value, { high: top, low: bottom }, rows * 2) / 2);
}

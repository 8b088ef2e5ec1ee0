// One cell of the grid: a line with last price, change and delta of the candle, and as much of a chart as fits.

import type { Display } from "../../../select/display.ts";
import { MISSING } from "../../../select/fields.ts";
import { formatChange } from "../../../select/stats.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { textWidth } from "../../../terminal/cells/text-cells.ts";
import { formatDecimal } from "../../../units/decimal.ts";
import { areSame } from "../../../units/memo.ts";
import type { Inner } from "../../panes/frame.tsx";
import { signStyle } from "../../panes/pieces.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";
import { paintCandle } from "../market/candles.ts";
import {
  type CandleChart,
  type ChartCandle,
  type Pitch,
  pitchIn,
  selectCandleChart,
} from "../market/chart.ts";
import type { CandleData } from "../market/data.ts";
import type { GridCell } from "./grid.tsx";

interface CellPaint {
  readonly surface: Surface;
  readonly inner: Inner;
  readonly theme: Theme;
  readonly display: Display;
  readonly nowMs: number;
  readonly repaintAfter: (afterMs: number) => void;
}

export interface PaintedCell {
  readonly of: readonly unknown[];
  readonly candles: unknown;
  /** Monotonic milliseconds of the layout. */
  readonly atMs: number;
  readonly chart: CandleChart;
}

const GAP = 2;
/** Nine charts are laid out at this interval instead of with each trade; the price above them is never late. */
const LAY_OUT_MS = 200;
const DASHED = 0x2504;
const SIGNS = {
  up: ["▲ ", "bidStrong"],
  down: ["▼ ", "askStrong"],
  none: ["", "strong"],
} as const satisfies Record<GridCell["direction"], readonly [string, StyleName]>;

/** @param cell or why there is none, in words */
export function paintCell(
  paint: CellPaint,
  cell: GridCell | string,
  intervalMs: number,
  before: PaintedCell | undefined,
): PaintedCell {
  const { surface, inner, theme, display, nowMs, repaintAfter } = paint;
  const { x, y, width, height } = inner;
  if (typeof cell === "string") {
    surface.text(x, y, cell, theme.dim);
    const chart = layOut(NO_CANDLES, 0, 0, 0, display);
    return { of: [], candles: undefined, atMs: nowMs, chart };
  }
  paintFigures(paint, cell);
  const rows = Math.max(0, height - 1);
  const of = [cell.market, width, rows, intervalMs, display];
  const isSame = before !== undefined && areSame(before.of, of);
  const leftMs = isSame ? before.atMs + LAY_OUT_MS - nowMs : 0;
  const isKept =
    isSame && (cell.candles === before.candles || (leftMs > 0 && leftMs <= LAY_OUT_MS));
  const { candles } = cell;
  const painted = isKept
    ? before
    : { of, candles, atMs: nowMs, chart: layOut(candles, width, rows, intervalMs, display) };
  if (painted.candles !== candles) repaintAfter(leftMs);
  paintChart(paint, painted.chart, rows, pitchIn(width));
  if (width >= MIN_WITH_RANGE && rows >= MIN_ROWS_WITH_RANGE)
    paintRange(paint, painted.chart, rows);
  return painted;
}

/** Leaves out what does not fit: figures of the day first, then the delta. */
function paintFigures({ surface, inner, theme, display }: CellPaint, cell: GridCell): void {
  const { x, y, width } = inner;
  const [sign, style] = SIGNS[cell.direction];
  const last = cell.last === undefined ? MISSING : display.number(cell.last);
  surface.text(x, y, `${sign}${last}`, theme[style]);
  const change = cell.change === undefined ? "" : formatChange(cell.change);
  const at = textWidth(`${sign}${last}`) + GAP;
  if (at + change.length <= width) surface.text(x + at, y, change, theme[signStyle(change)]);
  if (cell.delta === undefined) return;
  const delta = `Δ ${cell.delta}`;
  const left = at + (change === "" ? 0 : change.length + GAP);
  if (left + delta.length > width) return;
  const deltaStyle = cell.delta.startsWith("±") ? "dim" : signStyle(cell.delta);
  surface.textRight(x + width, y, delta, theme[deltaStyle]);
  const right = x + width - delta.length - GAP;
  if (x + left + textWidth(cell.day) <= right) surface.textRight(right, y, cell.day, theme.dim);
}

const NO_CANDLES: Pick<CandleData, "candles" | "unfinished" | "rebuilt" | "gaps"> = {
  candles: [],
  unfinished: new Set(),
  rebuilt: new Set(),
  gaps: [],
};

function layOut(
  { candles, unfinished, rebuilt, gaps }: typeof NO_CANDLES,
  columns: number,
  rows: number,
  intervalMs: number,
  display: Display,
): CandleChart {
  return selectCandleChart(candles, {
    columns,
    rows,
    intervalMs,
    display,
    unfinished,
    rebuilt,
    gaps,
    pitch: pitchIn(columns),
    newestMs: candles.at(-1)?.open_time_ms ?? 0,
    volumeRows: 0,
    margin: 0,
  });
}

function paintChart(
  { surface, inner, theme }: CellPaint,
  chart: CandleChart,
  rows: number,
  pitch: Pitch,
): void {
  const { x, y } = inner;
  const top = y + 1;
  if (chart.candles.length === 0) surface.text(x, top, "no candles received yet", theme.dim);
  for (const { from, until } of chart.gaps) {
    surface.fill(x + from, y + rows, until - from, 1, theme.stale, DASHED);
  }
  for (const candle of chart.candles)
    paintCandle(surface, x + candle.column, candle, top, pitch, theme);
}

const MIN_WITH_RANGE = 30;
const MIN_ROWS_WITH_RANGE = 6;

/** Highest and lowest price, unless a candle is in the way. */
function paintRange(
  { surface, inner, theme, display }: CellPaint,
  chart: CandleChart,
  rows: number,
): void {
  const { range, candles } = chart;
  if (range === undefined || candles.length === 0) return;
  for (const [row, mantissa] of [
    [0, range.high],
    [rows - 1, range.low],
  ] as const) {
    const text = display.number(formatDecimal({ mantissa, places: range.places }));
    const isTaken = ({ column, high, low }: ChartCandle) =>
      column <= text.length + 1 && high <= row * 2 + 1 && low >= row * 2;
    if (!candles.some(isTaken)) surface.text(inner.x, inner.y + 1 + row, text, theme.dim);
  }
}

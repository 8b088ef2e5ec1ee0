// The picture of a chart: candles over the whole width, lines with labels, marks, a study below, and both axes. It knows nothing of
// where its figures come from.
import { type Display, formatDay, formatNumber, formatTime } from "../../rows/format.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Tone } from "../../screen/themes.ts";
import { drawCandle, drawColumn, eighthsOf } from "../../terminal/bars.ts";
import type { StyleId } from "../../terminal/style.ts";
import type { Surface } from "../../terminal/surface.ts";
import { textWidth } from "../../terminal/width.ts";
import { axisPrices, createPriceScale, halfOf, type PriceScale, rowAt } from "./price-scale.ts";

export interface ChartCandle {
  readonly openMs: number;
  /** Exact text. */
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Updates were missed while it was forming. */
  readonly isUnfinished: boolean;
}

export interface ChartLine {
  readonly price: string;
  readonly label: string;
  readonly tone: Tone;
}

export interface ChartMark {
  readonly ms: number;
  readonly price: string;
  readonly glyph: string;
  readonly tone: Tone;
}

/** Values below the candles, one for each. */
export interface Study {
  readonly values: readonly (number | undefined)[];
  /** Bars from the foot, bars from a middle line, or a line. */
  readonly form: "volume" | "delta" | "line";
}

/** Lots by price, drawn from the right edge. */
export interface ProfileBar {
  readonly low: number;
  readonly high: number;
  readonly bought: number;
  readonly sold: number;
  readonly isControl: boolean;
}

export interface ChartInput {
  /** Oldest first; the newest stands at the right edge. */
  readonly candles: readonly ChartCandle[];
  readonly intervalMs: number;
  readonly lines: readonly ChartLine[];
  readonly marks: readonly ChartMark[];
  /** One for each candle. */
  readonly average: readonly (number | undefined)[];
  readonly study: Study | undefined;
  readonly profile: readonly ProfileBar[];
  /** Index of the candle under the crosshair. */
  readonly cursor: number | undefined;
  /** Columns of a candle, with the gap after it. */
  readonly pitch: number;
}

const AXIS_GAP = 1;
const ROWS_BETWEEN_PRICES = 4;
const MIN_ROWS_WITH_STUDY = 10;

/** How many candles fit, so that those are asked for. */
export function candleCapacity(width: number, axisWidth: number, pitch: number): number {
  return Math.max(1, Math.floor((width - axisWidth - AXIS_GAP) / pitch));
}

export function axisWidthOf(candles: readonly ChartCandle[], display: Display): number {
  const widest = candles.reduce(
    (most, { high }) => Math.max(most, textWidth(formatNumber(high, display))),
    6,
  );
  return widest + 1;
}

export function drawChart(
  surface: Surface,
  input: ChartInput,
  theme: Theme,
  display: Display,
): PriceScale | undefined {
  const { candles, study, pitch } = input;
  const axisWidth = axisWidthOf(candles, display);
  const width = Math.max(1, surface.width - axisWidth - AXIS_GAP);
  const studyRows =
    study !== undefined && surface.height >= MIN_ROWS_WITH_STUDY
      ? Math.max(3, surface.height >> 2)
      : 0;
  const rows = surface.height - 1 - studyRows;
  const prices = candles.flatMap(({ high, low }) => [Number(high), Number(low)]);
  const scale = createPriceScale(Math.min(...prices), Math.max(...prices), rows);
  if (scale === undefined) return undefined;
  const area = surface.part(0, 0, width, rows);
  const xOf = (index: number) => width - (candles.length - index) * pitch + ((pitch - 1) >> 1);
  drawProfile(area, scale, input.profile, theme);
  drawLines(area, scale, input, theme);
  drawCandles(area, scale, input, xOf, theme);
  drawAverage(area, scale, input, xOf, theme);
  drawMarks(area, scale, input, xOf, theme);
  drawLabels(surface, area, scale, input, theme, display);
  if (input.cursor !== undefined) {
    const x = xOf(input.cursor);
    for (let y = 0; y < rows; y++) area.restyle(x, y, 1, theme.select);
  }
  const axis = surface.part(width + AXIS_GAP, 0, axisWidth, rows);
  drawPriceAxis(axis, scale, theme, display);
  drawLast(axis, scale, candles.at(-1), theme, display);
  if (study !== undefined && studyRows > 0)
    drawStudy(surface.part(0, rows, width, studyRows), study, input, xOf, theme);
  drawTimeAxis(surface.part(0, surface.height - 1, surface.width, 1), input, xOf, theme, display);
  return scale;
}

function drawCandles(
  area: Surface,
  scale: PriceScale,
  { candles, pitch }: ChartInput,
  xOf: (index: number) => number,
  { tones, styles }: Theme,
): void {
  for (const [i, candle] of candles.entries()) {
    const [open, close] = [Number(candle.open), Number(candle.close)];
    const isUp = close >= open;
    const shape = {
      high: halfOf(scale, Number(candle.high)),
      low: halfOf(scale, Number(candle.low)),
      bodyTop: halfOf(scale, Math.max(open, close)),
      bodyBottom: halfOf(scale, Math.min(open, close)),
    };
    const style = candle.isUnfinished ? tones.dim : isUp ? tones.gain : tones.loss;
    // Without colours a falling candle is hollow.
    const look = { style, isHollow: styles.depth === "none" && !isUp, isBlock: pitch > 1 };
    drawCandle(area, xOf(i), shape, look);
  }
}

function drawAverage(
  area: Surface,
  scale: PriceScale,
  { average }: ChartInput,
  xOf: (index: number) => number,
  { tones }: Theme,
): void {
  for (const [i, price] of average.entries())
    if (price !== undefined) area.text(xOf(i), rowAt(scale, price), "•", tones.accent);
}

function drawMarks(
  area: Surface,
  scale: PriceScale,
  { marks, candles, intervalMs }: ChartInput,
  xOf: (index: number) => number,
  { tones }: Theme,
): void {
  for (const { ms, price, glyph, tone } of marks) {
    const index = candles.findLastIndex(({ openMs }) => openMs <= ms);
    const candle = candles[index];
    if (candle === undefined || ms >= candle.openMs + intervalMs) continue;
    area.text(xOf(index), rowAt(scale, Number(price)), glyph, tones[tone]);
  }
}

/** Each across the whole width, behind the candles. */
function drawLines(
  area: Surface,
  scale: PriceScale,
  { lines }: ChartInput,
  { tones }: Theme,
): void {
  for (const { price } of lines)
    area.text(0, rowAt(scale, Number(price)), "┄".repeat(area.width), tones.dim);
}

/** At the left edge; where labels would meet, the next free row takes the later one. */
function drawLabels(
  surface: Surface,
  area: Surface,
  scale: PriceScale,
  { lines }: ChartInput,
  { tones }: Theme,
  display: Display,
): void {
  const taken = new Set<number>();
  for (const { price, label, tone } of lines) {
    const row = rowAt(scale, Number(price));
    if (row < 0 || row >= area.height) continue;
    surface.text(area.width, row, "╶", tones[tone]);
    const at = freeRow(row, taken, area.height);
    if (at === undefined) continue;
    taken.add(at);
    area.text(0, at, ` ${label} ${formatNumber(price, display)} `, tones[tone]);
  }
}

function freeRow(row: number, taken: ReadonlySet<number>, rows: number): number | undefined {
  for (const step of [0, 1, -1, 2, -2])
    if (!taken.has(row + step) && row + step >= 0 && row + step < rows) return row + step;
  return undefined;
}

/** Bought, then sold, growing from the right; as a background, so that candles stay readable. */
function drawProfile(
  area: Surface,
  scale: PriceScale,
  bars: readonly ProfileBar[],
  { tones }: Theme,
): void {
  const rows = new Map<number, { bought: number; sold: number; isControl: boolean }>();
  for (const { low, high, bought, sold, isControl } of bars) {
    const row = rowAt(scale, (low + high) / 2);
    const sum = rows.get(row) ?? { bought: 0, sold: 0, isControl: false };
    rows.set(row, {
      bought: sum.bought + bought,
      sold: sum.sold + sold,
      isControl: sum.isControl || isControl,
    });
  }
  const most = Math.max(0, ...[...rows.values()].map(({ bought, sold }) => bought + sold));
  const width = Math.floor(area.width / 3);
  for (const [row, { bought, sold, isControl }] of rows) {
    const all = Math.round(((bought + sold) / most) * width);
    const part = Math.round((bought / most) * width);
    area.text(area.width - all, row, "▒".repeat(all - part), tones.loss);
    area.text(area.width - part, row, "▒".repeat(part), tones.gain);
    if (isControl) area.text(area.width - all - 1, row, "◂", tones.accent);
  }
}

function drawPriceAxis(area: Surface, scale: PriceScale, { tones }: Theme, display: Display): void {
  for (const { price, places } of axisPrices(scale, ROWS_BETWEEN_PRICES)) {
    const row = rowAt(scale, price);
    if (row >= 0 && row < area.height)
      area.text(0, row, formatNumber(price.toFixed(places), display), tones.dim);
  }
}

/** The newest close, over whatever stands there. */
function drawLast(
  axis: Surface,
  scale: PriceScale,
  last: ChartCandle | undefined,
  { tones }: Theme,
  display: Display,
): void {
  if (last === undefined) return;
  const row = rowAt(scale, Number(last.close));
  axis.fill(0, row, axis.width, 1);
  const tone = Number(last.close) < Number(last.open) ? tones.loss : tones.gain;
  axis.text(0, row, formatNumber(last.close, display), tone);
}

function drawStudy(
  area: Surface,
  study: Study,
  { candles }: ChartInput,
  xOf: (index: number) => number,
  { tones }: Theme,
): void {
  const known = study.values.filter((value) => value !== undefined);
  if (known.length === 0) return;
  const styleOf = (i: number, value: number): StyleId => {
    if (study.form !== "volume") return value < 0 ? tones.loss : tones.gain;
    const candle = candles[i];
    return candle !== undefined && Number(candle.close) < Number(candle.open)
      ? tones.loss
      : tones.gain;
  };
  if (study.form === "line") {
    drawStudyLine(area, study.values, xOf, tones.accent);
    return;
  }
  const most = Math.max(...known.map(Math.abs));
  for (const [i, value] of study.values.entries())
    if (value !== undefined && value !== 0)
      drawColumn(
        area,
        xOf(i),
        area.height - 1,
        eighthsOf(Math.abs(value), most, area.height),
        styleOf(i, value),
      );
}

function drawStudyLine(
  area: Surface,
  values: readonly (number | undefined)[],
  xOf: (index: number) => number,
  style: StyleId,
): void {
  const known = values.filter((value) => value !== undefined);
  const scale = createPriceScale(Math.min(...known), Math.max(...known), area.height);
  if (scale === undefined) return;
  for (const [i, value] of values.entries())
    if (value !== undefined) area.text(xOf(i), rowAt(scale, value), "•", style);
}

const MIN_TIME_GAP = 4;

function drawTimeAxis(
  area: Surface,
  { candles, intervalMs }: ChartInput,
  xOf: (index: number) => number,
  { tones }: Theme,
  display: Display,
): void {
  let free = 0;
  for (const [i, { openMs }] of candles.entries()) {
    const text =
      intervalMs >= 86_400_000
        ? formatDay(openMs, display).slice(5)
        : formatTime(openMs, display).slice(0, 5);
    const x = xOf(i) - 2;
    if (x < free || !isRound(openMs, intervalMs) || x + text.length > area.width) continue;
    area.text(x, 0, text, tones.dim);
    free = x + text.length + MIN_TIME_GAP;
  }
}

/** Every tenth candle or so, at a time that people count by. */
function isRound(openMs: number, intervalMs: number): boolean {
  return openMs % (intervalMs * (intervalMs < 3_600_000 ? 10 : 6)) === 0;
}

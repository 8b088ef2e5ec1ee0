// The picture of a chart: candles over the whole width, lines with labels, marks, a study below, and both axes. It knows nothing of
// where its figures come from.
import { type Display, formatDay, formatNumber, formatTime } from "../../rows/format.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Tone } from "../../screen/themes.ts";
import { drawCandle, drawColumn, eighthsOf } from "../../terminal/bars.ts";
import type { StyleId } from "../../terminal/style.ts";
import type { Surface } from "../../terminal/surface.ts";
import { textWidth } from "../../terminal/width.ts";
import type { Candle } from "../../wire/frames.ts";
import { drawFootprint, type FootprintCandle } from "./footprint.ts";
import { axisPrices, createPriceScale, halfOf, type PriceScale, rowAt } from "./price-scale.ts";

export interface ChartLine {
  readonly price: string;
  readonly label: string;
  readonly tone: Tone;
}

export type MarkKind = "buy" | "sell" | "long liquidated" | "short liquidated";

/** An own fill, or somebody's liquidation. */
export interface ChartMark {
  readonly ms: number;
  readonly kind: MarkKind;
  readonly count: number;
}

/** Values below the candles, one for each. */
export interface Study {
  readonly values: readonly (number | undefined)[];
  /** Bars from the foot, bars from a middle line, or a line. */
  readonly form: "volume" | "delta" | "line";
}

/** Lots by price, drawn from the right edge. */
export interface ProfileBar {
  readonly price: number;
  readonly bought: number;
  readonly sold: number;
}

export interface ChartInput {
  /** Oldest first; the newest stands at the right edge, the others at their time. */
  readonly candles: readonly Candle[];
  /** When those open of which updates were missed. */
  readonly unfinished: readonly number[];
  readonly intervalMs: number;
  readonly lines: readonly ChartLine[];
  readonly marks: readonly ChartMark[];
  /** One for each candle. */
  readonly average: readonly (number | undefined)[];
  readonly study: Study | undefined;
  readonly profile: readonly ProfileBar[];
  /** What traded beside each candle, by the chart's rows of prices; in place of a study. */
  readonly footprint: ((scale: PriceScale) => readonly (FootprintCandle | undefined)[]) | undefined;
  /** Index of the candle under the crosshair. */
  readonly cursor: number | undefined;
  /** Columns of a candle, with the gap after it. */
  readonly pitch: number;
}

/** Where the candles stand, and in which colours. */
interface Plot extends ChartInput {
  readonly area: Surface;
  readonly scale: PriceScale;
  readonly theme: Theme;
  readonly display: Display;
  /** The column of a candle. */
  xOf(index: number): number;
}

const AXIS_GAP = 1;
/** Delta and total below a footprint. */
const FOOTPRINT_SUMS = 2;
const ROWS_BETWEEN_PRICES = 4;
const MIN_ROWS_WITH_STUDY = 10;

/** How many candles fit, so that those are asked for. */
export function candleCapacity(
  width: number,
  axisWidth: number,
  input: Pick<ChartInput, "pitch" | "profile">,
): number {
  const plotWidth = width - axisWidth - AXIS_GAP;
  // The newest one has no gap after it.
  const columns = plotWidth - profileWidthOf(input, plotWidth) + input.pitch - 1;
  return Math.max(1, Math.floor(columns / input.pitch));
}

export function axisWidthOf(candles: readonly Candle[], display: Display): number {
  return 1 + Math.max(6, ...candles.map(({ high }) => formatNumber(high, display).length));
}

export function drawChart(
  surface: Surface,
  input: ChartInput,
  theme: Theme,
  display: Display,
): void {
  const { candles, study, pitch, intervalMs } = input;
  const axisWidth = axisWidthOf(candles, display);
  const plotWidth = Math.max(1, surface.width - axisWidth - AXIS_GAP);
  const studyRows = studyRowsOf(input, surface.height);
  const rows = surface.height - 1 - studyRows;
  const prices = candles.flatMap(({ high, low }) => [Number(high), Number(low)]);
  const scale = createPriceScale(Math.min(...prices), Math.max(...prices), rows);
  if (scale === undefined) return;
  const profileWidth = profileWidthOf(input, plotWidth);
  const width = plotWidth - profileWidth;
  const area = surface.part(0, 0, width, rows);
  const newestX = input.footprint === undefined ? width - 1 : width - pitch;
  const newestMs = candles.at(-1)?.open_time_ms ?? 0;
  const xOf = (index: number) => {
    const { open_time_ms: openMs = newestMs } = candles[index] ?? {};
    return newestX - Math.round((newestMs - openMs) / intervalMs) * pitch;
  };
  drawProfile(surface.part(width, 0, profileWidth, rows), scale, input.profile, theme);
  const plot: Plot = { ...input, area, scale, theme, display, xOf };
  for (const { price } of input.lines)
    area.text(0, rowAt(scale, Number(price)), "┄".repeat(width), theme.tones.dim);
  drawCandles(plot);
  drawDots(area, scale, input.average, xOf, theme.tones.accent);
  drawMarks(plot);
  const labels = drawLabels(surface, plotWidth, plot);
  if (input.cursor !== undefined && input.cursor >= 0) {
    const x = xOf(input.cursor);
    for (let y = 0; y < rows; y++) area.restyle(x, y, 1, theme.select);
  }
  const axis = surface.part(plotWidth + AXIS_GAP, 0, axisWidth, rows);
  drawPriceAxis(axis, plot);
  drawLast(axis, plot);
  const below = surface.part(0, rows, width, studyRows);
  if (input.footprint !== undefined)
    drawFootprint(area, below, input.footprint(scale), labels, xOf, theme);
  else if (study !== undefined && studyRows > 0) drawStudy(below, study, plot);
  drawTimeAxis(surface.part(0, surface.height - 1, surface.width, 1), plot);
}

function studyRowsOf({ study, footprint }: ChartInput, height: number): number {
  if (height < MIN_ROWS_WITH_STUDY) return 0;
  if (footprint !== undefined) return FOOTPRINT_SUMS;
  return study === undefined ? 0 : Math.max(3, height >> 2);
}

function drawCandles(plot: Plot): void {
  const { area, scale, candles, unfinished, pitch, footprint, xOf, theme } = plot;
  const { tones, styles } = theme;
  for (const [i, candle] of candles.entries()) {
    const [open, close] = [Number(candle.open), Number(candle.close)];
    const isUp = close >= open;
    const shape = {
      high: halfOf(scale, Number(candle.high)),
      low: halfOf(scale, Number(candle.low)),
      bodyTop: halfOf(scale, Math.max(open, close)),
      bodyBottom: halfOf(scale, Math.min(open, close)),
    };
    const isUnfinished = unfinished.includes(candle.open_time_ms);
    const style = isUnfinished ? tones.dim : isUp ? tones.gain : tones.loss;
    // Without colours a falling candle is hollow.
    const isBlock = pitch > 1 && footprint === undefined;
    const look = { style, isHollow: styles.depth === "none" && !isUp, isBlock };
    drawCandle(area, xOf(i), shape, look);
  }
}

/** One for each candle. */
function drawDots(
  area: Surface,
  scale: PriceScale,
  values: readonly (number | undefined)[],
  xOf: Plot["xOf"],
  style: StyleId,
): void {
  for (const [i, value] of values.entries())
    if (value !== undefined) area.text(xOf(i), rowAt(scale, value), "•", style);
}

/** By kind of mark: above the candle or below it, and how far from it. */
const MARKS: Readonly<Record<MarkKind, { glyph: string; rows: number; tone: Tone }>> = {
  sell: { glyph: "▼", rows: -1, tone: "loss" },
  buy: { glyph: "▲", rows: 1, tone: "gain" },
  "short liquidated": { glyph: "✖", rows: -2, tone: "notice" },
  "long liquidated": { glyph: "✖", rows: 2, tone: "notice" },
};

function sumMarks({ marks, intervalMs }: ChartInput): Iterable<ChartMark> {
  const sums = new Map<string, ChartMark>();
  for (const { ms, kind, count } of marks) {
    const openMs = ms - (ms % intervalMs);
    const before = sums.get(`${openMs} ${kind}`)?.count ?? 0;
    sums.set(`${openMs} ${kind}`, { ms: openMs, kind, count: before + count });
  }
  return sums.values();
}

/** One for each candle and kind, with how many there were. */
function drawMarks(plot: Plot): void {
  const { area, scale, candles, pitch, xOf, theme } = plot;
  for (const { ms, kind, count } of sumMarks(plot)) {
    const at = candles.findIndex(({ open_time_ms }) => open_time_ms === ms);
    const candle = candles[at];
    if (candle === undefined) continue;
    const { glyph, rows, tone } = MARKS[kind];
    const row = rowAt(scale, Number(rows < 0 ? candle.high : candle.low)) + rows;
    const many = count === 1 || pitch === 1 ? "" : count > 9 ? "+" : String(count);
    const y = Math.max(0, Math.min(area.height - 1, row));
    area.text(xOf(at), y, glyph + many, theme.tones[tone]);
  }
}

/** A label stands at most so many rows from its line. */
const MAX_SHIFT = 2;
/** Of the rows, and of the width of one: the picture comes before its labels. */
const LABELLED_ROWS = 1 / 3;
const LABEL_SHARE = 2 / 3;

/**
 * At the left edge, in the order of their prices, those of the first lines; for what finds no row near its line there is none. Where a label has no room
 * its price stands alone, or nothing. @returns the columns taken, by row
 */
function drawLabels(surface: Surface, edge: number, plot: Plot): ReadonlyMap<number, number> {
  const { area, scale, lines, display } = plot;
  const { tones } = plot.theme;
  const shown = lines
    .map((line) => ({ ...line, row: rowAt(scale, Number(line.price)) }))
    .filter(({ row }) => row >= 0 && row < area.height);
  const labelled = shown
    .slice(0, Math.max(1, Math.floor(area.height * LABELLED_ROWS)))
    .sort((a, b) => Number(b.price) - Number(a.price));
  for (const { row, tone } of shown) surface.text(edge, row, "╶", tones[tone]);
  const taken = new Map<number, number>();
  let next = 0;
  for (const { price, label, tone, row } of labelled) {
    const meeting = labelled.filter((other) => other.row === row).length;
    const at = Math.max(next, row - Math.min(MAX_SHIFT, Math.floor((meeting - 1) / 2)));
    if (at > row + MAX_SHIFT || at >= area.height) continue;
    const figure = ` ${formatNumber(price, display)} `;
    const text = [` ${label}${figure}`, figure].find(
      (each) => textWidth(each) <= area.width * LABEL_SHARE,
    );
    if (text === undefined) continue;
    next = at + 1;
    area.text(0, at, text, tones[tone]);
    taken.set(at, textWidth(text));
  }
  return taken;
}

const PROFILE_SHARE = 6;
const MIN_PROFILE = 6;
const MAX_PROFILE = 16;

/** Columns of the profile, which the candles leave to it. */
function profileWidthOf({ profile }: Pick<ChartInput, "profile">, width: number): number {
  if (profile.length === 0) return 0;
  return Math.min(MAX_PROFILE, Math.max(MIN_PROFILE, Math.floor(width / PROFILE_SHARE)));
}

/** Bought and then sold, from the left; the price at which most traded is marked. */
function drawProfile(
  area: Surface,
  scale: PriceScale,
  bars: readonly ProfileBar[],
  { tones }: Theme,
): void {
  const rows = new Map<number, { bought: number; sold: number }>();
  for (const { price, bought, sold } of bars) {
    const row = rowAt(scale, price);
    const sum = rows.get(row) ?? { bought: 0, sold: 0 };
    rows.set(row, { bought: sum.bought + bought, sold: sum.sold + sold });
  }
  const most = Math.max(0, ...[...rows.values()].map(({ bought, sold }) => bought + sold));
  const width = area.width - 1;
  for (const [row, { bought, sold }] of rows) {
    const all = Math.max(1, Math.round(((bought + sold) / most) * width));
    const part = Math.round((bought / (bought + sold)) * all);
    area.text(1, row, "▒".repeat(part), tones.gain);
    area.text(1 + part, row, "▒".repeat(all - part), tones.loss);
    if (bought + sold === most) area.text(0, row, "▸", tones.accent);
  }
}

function drawPriceAxis(area: Surface, { scale, theme, display }: Plot): void {
  for (const { price, places } of axisPrices(scale, ROWS_BETWEEN_PRICES)) {
    const row = rowAt(scale, price);
    if (row >= 0 && row < area.height)
      area.text(0, row, formatNumber(price.toFixed(places), display), theme.tones.dim);
  }
}

/** The newest close, over whatever stands there. */
function drawLast(axis: Surface, { scale, candles, theme, display }: Plot): void {
  const last = candles.at(-1);
  if (last === undefined) return;
  const row = rowAt(scale, Number(last.close));
  axis.fill(0, row, axis.width, 1);
  axis.text(0, row, formatNumber(last.close, display), toneOf(last, theme));
}

const toneOf = ({ open, close }: Candle, { tones }: Theme): StyleId =>
  Number(close) < Number(open) ? tones.loss : tones.gain;

function drawStudy(area: Surface, { values, form }: Study, { candles, xOf, theme }: Plot): void {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return;
  const { tones } = theme;
  const most = Math.max(...known.map(Math.abs));
  if (form === "line") {
    const scale = createPriceScale(Math.min(...known), Math.max(...known), area.height);
    if (scale !== undefined) drawDots(area, scale, values, xOf, tones.accent);
  } else if (form === "delta") drawDeltas(area, values, most, xOf, tones);
  else
    for (const [i, candle] of candles.entries()) {
      const eighths = eighthsOf(values[i] ?? 0, most, area.height);
      if (values[i]) drawColumn(area, xOf(i), area.height - 1, eighths, toneOf(candle, theme));
    }
}

/** Up from the middle where more was bought, down where more was sold; halves of cells. */
function drawDeltas(
  area: Surface,
  values: readonly (number | undefined)[],
  most: number,
  xOf: Plot["xOf"],
  { gain, loss }: Theme["tones"],
): void {
  const middle = area.height;
  for (const [i, value = 0] of values.entries()) {
    if (value === 0) continue;
    const halves = Math.max(1, Math.round((Math.abs(value) / most) * middle));
    const [top, style] = value > 0 ? [middle - halves, gain] : [middle, loss];
    const bottom = top + halves - 1;
    const shape = { high: top, bodyTop: top, bodyBottom: bottom, low: bottom };
    drawCandle(area, xOf(i), shape, { style, isHollow: false, isBlock: true });
  }
}

const MIN_TIME_GAP = 4;

function drawTimeAxis(area: Surface, plot: Plot): void {
  const { candles, intervalMs, xOf, display } = plot;
  const { tones } = plot.theme;
  let free = 0;
  const timeLabel = (ms: number) =>
    intervalMs >= 86_400_000
      ? formatDay(ms, display).slice(5)
      : formatTime(ms, display).slice(0, 5);
  for (const [i, { open_time_ms: openMs }] of candles.entries()) {
    const text = timeLabel(openMs);
    const x = xOf(i) - 2;
    if (x < free || !isRound(openMs, intervalMs) || x + text.length > area.width) continue;
    area.text(x, 0, text, tones.dim);
    free = x + text.length + MIN_TIME_GAP;
  }
  const newest = candles.at(-1);
  if (free === 0 && newest !== undefined)
    area.textRight(xOf(candles.length - 1) + 1, 0, timeLabel(newest.open_time_ms), tones.dim);
}

/** Every tenth candle or so, at a time that people count by. */
function isRound(openMs: number, intervalMs: number): boolean {
  return openMs % (intervalMs * (intervalMs < 3_600_000 ? 10 : 6)) === 0;
}

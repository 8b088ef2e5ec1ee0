// Layout of candles in a chart: bodies, wicks and volume bars in half cells, labels of the axes, marks and lines. Positions
// are computed with exact integers; only the result is rounded to the grid.

import type { Display } from "../../../select/display.ts";
import { textWidth } from "../../../terminal/cells/text-cells.ts";
import {
  type Decimal,
  formatDecimal,
  parseDecimal,
  trimDecimal,
  widenDecimal,
} from "../../../units/decimal.ts";
import { areSame } from "../../../units/memo.ts";
import { roundStep } from "../../../units/round-steps.ts";
import type { Scale } from "../../../units/scale.ts";
import type { Span } from "../../../units/spans.ts";
import {
  DAY_MS,
  formatIsoMs,
  formatTimeOfDay,
  LAST_DATE_MS,
  MINUTE_MS,
} from "../../../units/time.ts";
import type { LastCandle, MarkCandle } from "../../../wire/channels/candles.ts";
import type { TitlePart } from "../../panes/frame.tsx";
import type { OwnFill, OwnMarks } from "./own-marks.ts";

/**
 * Columns from one candle to the next: 1 for a thick line, 2 for a block and a gap, 3 for a body of two columns and a gap,
 * or more, of which the first is the candle.
 */
export type Pitch = number;

export interface ChartCandle {
  /** Column of the wick, from the left of the plot. */
  readonly column: number;
  readonly openTimeMs: number;
  readonly high: number;
  readonly bodyTop: number;
  readonly bodyBottom: number;
  readonly low: number;
  readonly direction: "up" | "down" | "flat";
  readonly isUnfinished: boolean;
  readonly isRebuilt: boolean;
  /** Height of the volume bar in eighths of a cell; 0 without volume. */
  readonly volume: number;
}

export interface ChartLabel {
  /** Row from the top, or column from the left. */
  readonly at: number;
  readonly text: string;
}

/** Periods without data: columns from the left of the plot, the end exclusive. */
export interface ChartGap {
  readonly from: number;
  readonly until: number;
  readonly lengthMs: number;
}

export interface ChartTimes {
  readonly columns: number;
  readonly pitch: Pitch;
  readonly intervalMs: number;
  readonly newestMs: number;
}

export interface CandleChart {
  readonly candles: readonly ChartCandle[];
  readonly gaps: readonly ChartGap[];
  readonly prices: readonly ChartLabel[];
  readonly times: readonly ChartLabel[];
  /** Close of the newest visible candle, and its row. */
  readonly last: ChartLabel | undefined;
  /** Prices at the top and bottom edge; undefined if nothing is shown. */
  readonly range: PriceRange | undefined;
}

/** Prices as integers with this many decimal places. */
export interface PriceRange {
  readonly high: bigint;
  readonly low: bigint;
  readonly places: number;
  /** Rows between these prices and the edges of the plot. */
  readonly margin: number;
  /** Height of a row in price, if each row is a group of prices: then `high` is above the highest. */
  readonly group?: bigint;
}

export interface ChartOptions extends ChartTimes {
  /** Rows of the plot, without its axes. */
  readonly rows: number;
  readonly volumeRows: number;
  /** Rows kept free for marks, above the highest and below the lowest price. */
  readonly margin: number;
  readonly display: Display;
  readonly unfinished: ReadonlySet<number>;
  readonly rebuilt: ReadonlySet<number>;
  readonly gaps: readonly Span[];
  /** The tick size, if each row is to be a group of whole ticks. */
  readonly tickSize?: Decimal | undefined;
}

const ROWS_PER_LABEL = 4;
const COLUMNS_PER_TIME = 12;
const HOUR_MS = 3_600_000;
/** Distances of time labels: the first that leaves enough room is used. */
const TIME_STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((days) => days * DAY_MS),
];

/** One column per candle, or two or three if there is room. */
export function pitchIn(columns: number): 1 | 2 | 3 {
  if (columns >= 90) return 3;
  return columns >= 40 ? 2 : 1;
}

/** Columns of one step without a cursor: a tenth of what is shown. */
export function getWalkStep(columns: number): number {
  return Math.max(1, Math.floor(columns / 10));
}

export function getCapacity({ columns, pitch }: Pick<ChartTimes, "columns" | "pitch">): number {
  return Math.floor(columns / pitch);
}

/** With three columns, the wick is in the middle. */
export function getColumn(
  openTimeMs: number,
  { columns, pitch, intervalMs, newestMs }: ChartTimes,
) {
  const periods = Math.round((newestMs - openTimeMs) / intervalMs);
  return columns - pitch - periods * pitch + (pitch === 3 ? 1 : 0);
}

/** Open time of the period that a moment is in. Candles need not begin at whole intervals: periods are those of the newest. */
export function getPeriod(
  ms: number,
  { intervalMs, newestMs }: Pick<ChartTimes, "intervalMs" | "newestMs">,
): number {
  return ms - sinceMultiple(ms - newestMs, intervalMs);
}

export function timeAt(column: number, { columns, pitch, intervalMs, newestMs }: ChartTimes) {
  return newestMs - Math.floor((columns - 1 - column) / pitch) * intervalMs;
}

interface Numbers {
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
  readonly openTimeMs: number;
}

/**
 * Lays out the candles that fit, each at the position of its time: periods without a candle stay blank.
 * @param candles oldest first
 */
export function selectCandleChart(
  candles: readonly (LastCandle | MarkCandle)[],
  options: ChartOptions,
): CandleChart {
  const { newestMs, rows } = options;
  const columnAt = (openTimeMs: number) => getColumn(openTimeMs, options);
  const last = candles.findLastIndex(({ open_time_ms }) => open_time_ms <= newestMs);
  const hidden = candles.findLastIndex(
    ({ open_time_ms }, i) => i <= last && columnAt(open_time_ms) < 0,
  );
  const shown = candles.slice(hidden + 1, last + 1);
  const times = timeLabels(options);
  const gaps = placeGaps(options);
  if (shown.length === 0 || rows <= 0) {
    return { candles: [], gaps, prices: [], times, last: undefined, range: undefined };
  }
  const { tickSize } = options;
  const { numbers, places } = toNumbers(shown, tickSize?.places);
  const exact = {
    high: max(numbers.map(({ high }) => high)),
    low: -max(numbers.map(({ low }) => -low)),
    places,
    margin: options.margin,
  };
  const range = tickSize === undefined ? exact : groupRange(exact, rows, tickSize);
  const mostVolume = max(numbers.map(({ volume }) => volume));
  const place = (price: bigint) => getPlace(price, range, rows);
  const [newest, close] = [numbers.at(-1), shown.at(-1)?.close ?? ""];
  return {
    candles: numbers.map((each) => ({
      column: columnAt(each.openTimeMs),
      openTimeMs: each.openTimeMs,
      high: place(each.high),
      bodyTop: place(each.open > each.close ? each.open : each.close),
      bodyBottom: place(each.open > each.close ? each.close : each.open),
      low: place(each.low),
      direction: each.close > each.open ? "up" : each.close < each.open ? "down" : "flat",
      isUnfinished: options.unfinished.has(each.openTimeMs),
      isRebuilt: options.rebuilt.has(each.openTimeMs),
      volume: getHeight(each.volume, mostVolume, options.volumeRows * 8),
    })),
    gaps,
    prices: priceLabels(range, rows, options.display),
    times,
    range,
    last: newest && {
      at: Math.floor(place(newest.close) / 2),
      text: options.display.number(close),
    },
  };
}

function placeGaps(options: ChartOptions): readonly ChartGap[] {
  const { columns, pitch, intervalMs, gaps } = options;
  // Starts left of the wick if that is in the middle.
  const left = (ms: number) => getColumn(ms, options) - (pitch === 3 ? 1 : 0);
  return gaps.flatMap(({ fromMs, untilMs }) => {
    const from = Math.max(0, left(getPeriod(fromMs, options)));
    const last = getPeriod(untilMs, options);
    const until = Math.min(columns, left(last < untilMs ? last + intervalMs : last));
    return from < until ? [{ from, until, lengthMs: untilMs - fromMs }] : [];
  });
}

/** Converts all prices, and separately all volumes, to integers with the same number of decimal places. */
function toNumbers(
  candles: readonly (LastCandle | MarkCandle)[],
  leastPlaces = 0,
): {
  numbers: Numbers[];
  places: number;
} {
  const prices = candles.map(({ open, high, low, close }) => [open, high, low, close].map(read));
  const volumes = candles.map((candle) => read("volume_base" in candle ? candle.volume_base : "0"));
  const places = Math.max(leastPlaces, ...prices.flat().map((price) => price.places));
  const volumePlaces = Math.max(...volumes.map((volume) => volume.places));
  const at = (value: Decimal | undefined, width: number) =>
    value === undefined ? 0n : widenDecimal(value, width).mantissa;
  const numbers = candles.map(({ open_time_ms }, i) => ({
    open: at(prices[i]?.[0], places),
    high: at(prices[i]?.[1], places),
    low: at(prices[i]?.[2], places),
    close: at(prices[i]?.[3], places),
    volume: at(volumes[i], volumePlaces),
    openTimeMs: open_time_ms,
  }));
  return { numbers, places };
}

const zero: Decimal = { mantissa: 0n, places: 0 };

function read(text: string): Decimal {
  return parseDecimal(text) ?? zero;
}

/** The same prices centred in rows that are each a group of whole ticks. */
function groupRange(
  { high, low, places }: PriceRange,
  rows: number,
  tickSize: Decimal,
): PriceRange {
  const tick = tickSize.mantissa * 10n ** BigInt(places - tickSize.places);
  const rowsOf = (group: bigint) => high / group - low / group + 1n;
  let step = 1n;
  while (rowsOf(step * tick) > BigInt(rows)) step = roundStep(step + 1n);
  const group = step * tick;
  const above = (BigInt(rows) - rowsOf(group)) / 2n;
  const top = (high / group + 1n + above) * group;
  return { high: top, low: top - BigInt(rows) * group, places, margin: 0, group };
}

/** Half cell of a price, from the top of the plot. */
function getPlace(price: bigint, { high, low, margin, group }: PriceRange, rows: number): number {
  if (group !== undefined) return Number(((high - price) * 2n + group - 1n) / group) - 1;
  const halves = (rows - margin * 2) * 2;
  if (high === low) return rows;
  const span = high - low;
  return margin * 2 + Number(((high - price) * BigInt(halves - 1) * 2n + span) / (span * 2n));
}

/** The price in the middle of a row, rounded to as few digits as distinguish it from adjacent rows. */
export function priceAtRow(row: number, range: PriceRange, rows: number): Decimal {
  const { high, low, places, margin, group } = range;
  if (group !== undefined) return { mantissa: high - BigInt(row + 1) * group, places };
  const steps = BigInt(Math.max(1, rows - margin * 2 - 1));
  const span = high - low;
  const price = high - (span * BigInt(row - margin)) / steps;
  const step = 10n ** BigInt(`${span / steps / 2n}`.length - 1);
  const rounded = ((price + step / 2n) / step) * step;
  return { mantissa: rounded < 0n ? 0n : rounded, places };
}

/** A volume above zero shows at least an eighth. */
function getHeight(volume: bigint, most: bigint, eighths: number): number {
  if (volume <= 0n || most <= 0n) return 0;
  return Math.max(1, Number((volume * BigInt(eighths)) / most));
}

function priceLabels(range: PriceRange, rows: number, display: Display): ChartLabel[] {
  const { places } = range;
  const most = Math.max(1, Math.floor(rows / ROWS_PER_LABEL));
  const step = roundStep((range.high - range.low) / BigInt(most) || 1n);
  const labels: ChartLabel[] = [];
  // Upwards from the first multiple of the step in the range.
  const first = range.low + (((-range.low % step) + step) % step);
  for (let price = first; price <= range.high; price += step) {
    const at = Math.floor(getPlace(price, range, rows) / 2);
    if (at < 0) continue;
    const { places: stepPlaces } = trimDecimal({ mantissa: step, places });
    const text = formatDecimal(widenDecimal(trimDecimal({ mantissa: price, places }), stepPlaces));
    labels.push({ at, text: display.number(text) });
  }
  return labels;
}

/** `00:36`, or `11-20` for days, which begin at midnight UTC. */
export function formatAxisTime(openTimeMs: number, intervalMs: number, display: Display): string {
  if (intervalMs >= DAY_MS) return formatIsoMs(openTimeMs).slice(5, 10);
  return display.timeOfDay(openTimeMs).slice(0, 5);
}

/** A label for the first candle at or after each round time in the user's time zone, centred below it; a new day has its date. */
function timeLabels(options: ChartOptions): ChartLabel[] {
  const { columns, pitch, intervalMs, newestMs, display } = options;
  const isDaily = intervalMs >= DAY_MS;
  const least = (COLUMNS_PER_TIME / pitch) * intervalMs;
  const step = TIME_STEPS.find((each) => each >= least && each % intervalMs === 0) ?? least;
  const labels: ChartLabel[] = [];
  let free = 0;
  for (let period = getCapacity(options) - 1; period >= 0; period--) {
    const openTimeMs = newestMs - period * intervalMs;
    const localMs = isDaily ? openTimeMs : display.local(openTimeMs);
    if (sinceMultiple(localMs, step) >= intervalMs) continue;
    const text = dateOrTime(localMs, intervalMs);
    const middle = getColumn(openTimeMs, options) - (text.length >> 1);
    const at = Math.max(0, Math.min(columns - text.length, middle));
    if (text === "" || at < free) continue;
    labels.push({ at, text });
    free = at + text.length + 1;
  }
  return labels;
}

/** The date for the first candle of a day; empty for times beyond the range of dates. */
function dateOrTime(localMs: number, intervalMs: number): string {
  if (Math.abs(localMs) > LAST_DATE_MS) return "";
  const isDate = sinceMultiple(localMs, DAY_MS) < intervalMs;
  return isDate ? formatIsoMs(localMs).slice(5, 10) : formatTimeOfDay(localMs).slice(0, 5);
}

function sinceMultiple(ms: number, step: number): number {
  return ((ms % step) + step) % step;
}

function max(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}

export interface ChartFills {
  /** Column of the wick, and the row beside its end: below the low for buys, above the high for sells. */
  readonly column: number;
  readonly row: number;
  readonly isBuy: boolean;
  readonly count: number;
}

/** One mark for each candle and side. @param parts all fills @param rows of the plot */
export function placeFills(
  { candles }: CandleChart,
  parts: OwnMarks["fills"],
  intervalMs: number,
  rows: number,
): readonly ChartFills[] {
  const newestMs = candles.at(-1)?.openTimeMs ?? 0;
  const counts = parts.map((fills) => countFills(fills, { intervalMs, newestMs }));
  return candles.flatMap(({ openTimeMs, column, high, low }) => {
    const here = counts.flatMap((each) => each.get(openTimeMs) ?? []);
    if (here.length === 0) return [];
    const buys = here.reduce((sum, each) => sum + each.buys, 0);
    const sells = here.reduce((sum, each) => sum + each.sells, 0);
    const below = { column, row: Math.min(rows - 1, (low >> 1) + 1), isBuy: true, count: buys };
    const above = { column, row: Math.max(0, (high >> 1) - 1), isBuy: false, count: sells };
    return [below, above].filter(({ count }) => count > 0);
  });
}

type FillCounts = ReadonlyMap<number, { buys: number; sells: number }>;

/** Cached, so that a list of fills is counted once for an interval instead of in every frame. */
const counted = new WeakMap<readonly OwnFill[], { of: readonly unknown[]; counts: FillCounts }>();

function countFills(
  fills: readonly OwnFill[],
  times: Pick<ChartTimes, "intervalMs" | "newestMs">,
): FillCounts {
  const { intervalMs, newestMs } = times;
  const of = [intervalMs, sinceMultiple(newestMs, intervalMs)];
  const known = counted.get(fills);
  if (known !== undefined && areSame(known.of, of)) return known.counts;
  const counts = new Map<number, { buys: number; sells: number }>();
  for (const { timeMs, isBuy } of fills) {
    const openMs = getPeriod(timeMs, times);
    const count = counts.get(openMs) ?? { buys: 0, sells: 0 };
    if (isBuy) count.buys++;
    else count.sells++;
    counts.set(openMs, count);
  }
  counted.set(fills, { of, counts });
  return counts;
}

/** Closes of the mark price within the plot, each at the candle of its period. */
export function placeMarks(
  { candles, range }: CandleChart,
  marks: readonly MarkCandle[],
  rows: number,
) {
  if (range === undefined) return [];
  const closes = new Map(marks.map(({ open_time_ms, close }) => [open_time_ms, close]));
  return candles.flatMap(({ openTimeMs, column }) => {
    const price = parseDecimal(closes.get(openTimeMs) ?? "");
    const row = price && rowOfPrice(price, range, rows);
    return row === undefined || row < 0 || row >= rows ? [] : [{ column, row }];
  });
}

export interface PriceLine {
  readonly price: Decimal;
  readonly word: string;
  readonly text: string;
}

export interface ChartLine<Line extends PriceLine = PriceLine> {
  readonly line: Line;
  /** Row of the plot; the nearest one if the price is outside. */
  readonly row: number;
  readonly isInside: boolean;
  /** Word and price; an arrow if it is outside, `far` if it exceeds the top price by more than five times that price. */
  readonly label: string;
  readonly isFar: boolean;
  readonly labelAt: { readonly row: number; readonly column: number } | undefined;
}

const FAR_TIMES = 5n;
const LABEL_GAP = 2;

/** All lines, those outside of the plot at its edge; labels start at the left and never overlap. */
export function placeLines<Line extends PriceLine>(
  { range }: CandleChart,
  lines: readonly Line[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
): readonly ChartLine<Line>[] {
  if (range === undefined || rows <= 0) return [];
  const ends = new Array<number>(rows).fill(0);
  // The row of the line, or the nearest one with enough room.
  const takeRoom = (row: number, width: number) => {
    const [found] = [...ends.keys()]
      .filter((each) => (ends[each] ?? 0) + width <= columns)
      .sort((a, b) => Math.abs(a - row) - Math.abs(b - row));
    if (found === undefined) return undefined;
    const column = ends[found] ?? 0;
    ends[found] = column + width + LABEL_GAP;
    return { row: found, column };
  };
  return lines.map((line) => {
    const outside = rowOfPrice(line.price, range, rows);
    const row = Math.max(0, Math.min(rows - 1, outside));
    const isInside = row === outside;
    const arrow = outside < 0 ? " ↑" : isInside ? "" : " ↓";
    const isFar = isFarAway(line.price, range);
    const label = `${line.word} ${isFar ? "far" : line.text}${arrow}`;
    return { line, row, isInside, label, isFar, labelAt: takeRoom(row, textWidth(label)) };
  });
}

function isFarAway(price: Decimal, { high, places }: PriceRange): boolean {
  const wide = Math.max(places, price.places);
  const [away, top] = [price, { mantissa: high, places }].map(
    (each) => widenDecimal(each, wide).mantissa,
  ) as [bigint, bigint];
  return away - top > top * FAR_TIMES;
}

/** The price in the middle of a row, or the lowest of its group of prices, rounded down to whole ticks. */
export function lowestTicksAt(
  row: number,
  { high, low, places, margin, group }: PriceRange,
  rows: number,
  { tickSize }: Scale,
): bigint {
  const steps = BigInt(Math.max(1, (rows - margin * 2) * 2 - 1)) * 2n;
  const price =
    group === undefined
      ? high - ((high - low) * BigInt(4 * (row - margin) + 1)) / steps
      : high - BigInt(row + 1) * group;
  const tick = tickSize.mantissa * 10n ** BigInt(places);
  const ticks = (price * 10n ** BigInt(tickSize.places)) / tick;
  return group === undefined && ticks < 0n ? 0n : ticks;
}

/** Ticks of a group of prices that is at least a row high: 1, 2, 5, 10 … */
export function getGrouping(
  { high, low, places, margin, group }: PriceRange,
  rows: number,
  { tickSize }: Scale,
): bigint {
  if (group !== undefined) {
    return (group * 10n ** BigInt(tickSize.places)) / (tickSize.mantissa * 10n ** BigInt(places));
  }
  const halves = BigInt(Math.max(1, (rows - margin * 2) * 2 - 1));
  const tick = tickSize.mantissa * 10n ** BigInt(places);
  const perRow = (high - low) * 2n * 10n ** BigInt(tickSize.places);
  const minGroup = (perRow + tick * halves - 1n) / (tick * halves);
  return roundStep(minGroup > 1n ? minGroup : 1n);
}

/** Negative above the plot, `rows` below it. */
export function rowOfPrice(price: Decimal, range: PriceRange, rows: number): number {
  const { high, low, places, group } = range;
  const wide = Math.max(places, price.places);
  const [top = 0n, bottom = 0n, step = 0n] = [high, low, group ?? 0n].map(
    (mantissa) => widenDecimal({ mantissa, places }, wide).mantissa,
  );
  const value = widenDecimal(price, wide).mantissa;
  if (value > top) return -1;
  if (value < bottom) return rows;
  const grouped = group === undefined ? {} : { group: step };
  return Math.floor(getPlace(value, { ...range, high: top, low: bottom, ...grouped }, rows) / 2);
}

/** Scroll offset that brings a column into view; columns count from the newest. @param room visible columns */
export function scrollTo(column: number, scrolled: number, room: number): number {
  return Math.min(column, Math.max(scrolled, column - room + 1));
}

/** Shown if these are not the newest periods. */
export function titleScrolled(periods: number): TitlePart {
  return periods === 0 ? "" : [`scrolled ${periods}`, `◂${periods}`];
}

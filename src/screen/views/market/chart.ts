// Candles laid out for a chart: where each body, wick and volume bar goes, in half cells, and what the
// axes say. Positions are computed on exact integers; only the result is rounded to the grid.
import type { Display } from "../../../select/display.ts";
import {
  type Decimal,
  formatDecimal,
  parseDecimal,
  trimDecimal,
  widenDecimal,
} from "../../../units/decimal.ts";
import { formatIsoMs, NS_PER_MS } from "../../../units/time.ts";
import type { LastCandle } from "../../../wire/channels/candles.ts";
import type { MarkCandle } from "../../../wire/channels/mark-candles.ts";
import type { OwnFill } from "./own-marks.ts";

/** One candle on the grid. Vertical places count half cells from the top of the plot. */
export interface ChartCandle {
  /** Column from the left of the plot. */
  readonly column: number;
  readonly openTimeMs: number;
  readonly high: number;
  readonly bodyTop: number;
  readonly bodyBottom: number;
  readonly low: number;
  readonly direction: "up" | "down" | "flat";
  /** True when the end of its period was missed. */
  readonly isUnfinished: boolean;
  /** True when it was rebuilt from trades. */
  readonly isRebuilt: boolean;
  /** Height of the volume bar in eighths of a cell; 0 where the candle has no volume. */
  readonly volume: number;
}

/** Text on an axis. */
export interface ChartLabel {
  /** Row from the top, or column from the left. */
  readonly at: number;
  readonly text: string;
}

/** Everything that a chart draws, by its place on the grid. */
export interface CandleChart {
  readonly candles: readonly ChartCandle[];
  readonly prices: readonly ChartLabel[];
  readonly times: readonly ChartLabel[];
  /** Close of the newest candle, and its row. */
  readonly last: ChartLabel | undefined;
  /** Prices of the upper and the lower edge; undefined where nothing is shown. */
  readonly range: PriceRange | undefined;
}

/** Prices as integers with so many digits after the point. */
export interface PriceRange {
  readonly high: bigint;
  readonly low: bigint;
  readonly places: number;
}

/** The room that a chart has, and what its candles are. */
export interface ChartOptions {
  /** Size of the plot in cells, without its axes. */
  readonly columns: number;
  readonly rows: number;
  readonly volumeRows: number;
  /** Columns from one candle to the next. */
  readonly step: number;
  readonly intervalMs: number;
  readonly display: Display;
  readonly unfinished: ReadonlySet<number>;
  /** Open times of candles that were rebuilt from trades. */
  readonly rebuilt: ReadonlySet<number>;
}

/** Rows from one price label to the next, at the least. */
const ROWS_PER_LABEL = 4;
const COLUMNS_PER_TIME = 12;
const DAY_MS = 86_400_000;

interface Numbers {
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
  readonly openTimeMs: number;
}

/**
 * Lays out the newest candles that fit, each at the place of its time: periods without a candle stay empty.
 * @param candles oldest first
 */
export function selectCandleChart(
  candles: readonly (LastCandle | MarkCandle)[],
  options: ChartOptions,
): CandleChart {
  const newestMs = candles.at(-1)?.open_time_ms ?? 0;
  const columnAt = (openTimeMs: number) =>
    options.columns - 1 - Math.round((newestMs - openTimeMs) / options.intervalMs) * options.step;
  const shown = newestOf(candles, (candle) => columnAt(candle.open_time_ms) >= 0);
  if (shown.length === 0 || options.rows <= 0) {
    return { candles: [], prices: [], times: [], last: undefined, range: undefined };
  }
  const { numbers, places } = toNumbers(shown);
  const range = {
    high: maxOf(numbers.map(({ high }) => high)),
    low: -maxOf(numbers.map(({ low }) => -low)),
  };
  const mostVolume = maxOf(numbers.map(({ volume }) => volume));
  const halves = options.rows * 2;
  const place = (price: bigint) => placeOf(price, range, halves);
  const newest = numbers.at(-1);
  return {
    candles: numbers.map((each) => ({
      column: columnAt(each.openTimeMs),
      openTimeMs: each.openTimeMs,
      high: place(each.high),
      bodyTop: place(each.open > each.close ? each.open : each.close),
      bodyBottom: place(each.open > each.close ? each.close : each.open),
      low: place(each.low),
      direction: directionOf(each),
      isUnfinished: options.unfinished.has(each.openTimeMs),
      isRebuilt: options.rebuilt.has(each.openTimeMs),
      volume: heightOf(each.volume, mostVolume, options.volumeRows * 8),
    })),
    prices: priceLabels(range, places, options.rows, options.display),
    times: timeLabels(numbers, columnAt, options.intervalMs, options.display),
    range: { ...range, places },
    last:
      newest === undefined
        ? undefined
        : {
            at: Math.floor(place(newest.close) / 2),
            text: options.display.number(
              formatDecimal(trimDecimal({ mantissa: newest.close, places })),
            ),
          },
  };
}

/** Those from the first one on after which all fit. */
function newestOf<T>(values: readonly T[], fits: (value: T) => boolean): readonly T[] {
  return values.slice(values.findLastIndex((value) => !fits(value)) + 1);
}

interface Range {
  readonly high: bigint;
  readonly low: bigint;
}

/** All prices, and apart from them all volumes, as integers of one size. */
function toNumbers(candles: readonly (LastCandle | MarkCandle)[]): {
  numbers: Numbers[];
  places: number;
} {
  const prices = candles.map(({ open, high, low, close }) => [open, high, low, close].map(read));
  const volumes = candles.map((candle) => read("volume_base" in candle ? candle.volume_base : "0"));
  const places = Math.max(...prices.flat().map((price) => price.places));
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

/** Half cell of a price, counted from the top. */
function placeOf(price: bigint, { high, low }: Range, halves: number): number {
  if (high === low) return Math.floor(halves / 2);
  const span = high - low;
  return Number(((high - price) * BigInt(halves - 1) * 2n + span) / (span * 2n));
}

function directionOf({ open, close }: Numbers): ChartCandle["direction"] {
  return close > open ? "up" : close < open ? "down" : "flat";
}

/** A volume that is not nothing shows at least an eighth. */
function heightOf(volume: bigint, most: bigint, eighths: number): number {
  if (volume <= 0n || most <= 0n) return 0;
  return Math.max(1, Number((volume * BigInt(eighths)) / most));
}

function priceLabels(range: Range, places: number, rows: number, display: Display): ChartLabel[] {
  const most = Math.max(1, Math.floor(rows / ROWS_PER_LABEL));
  const step = roundStep((range.high - range.low) / BigInt(most) || 1n);
  const labels: ChartLabel[] = [];
  // Upwards from the first multiple of the step inside the range.
  const first = range.low + (((-range.low % step) + step) % step);
  for (let price = first; price <= range.high; price += step) {
    const at = Math.floor(placeOf(price, range, rows * 2) / 2);
    const { places: stepPlaces } = trimDecimal({ mantissa: step, places });
    const text = formatDecimal(widenDecimal(trimDecimal({ mantissa: price, places }), stepPlaces));
    labels.push({ at, text: display.number(text) });
  }
  return labels;
}

/** The next of 1, 2, 5, 10, 20 … that is not below. */
function roundStep(least: bigint): bigint {
  const power = 10n ** BigInt(least.toString().length - 1);
  for (const factor of [1n, 2n, 5n]) if (factor * power >= least) return factor * power;
  return 10n * power;
}

/** `00:36`, of days `11-20`: those begin at midnight UTC. */
export function formatAxisTime(openTimeMs: number, intervalMs: number, display: Display): string {
  if (intervalMs >= DAY_MS) return formatIsoMs(openTimeMs).slice(5, 10);
  return display.timeOfDay(openTimeMs).slice(0, 5);
}

function timeLabels(
  candles: readonly Numbers[],
  columnAt: (openTimeMs: number) => number,
  intervalMs: number,
  display: Display,
): ChartLabel[] {
  const labels: ChartLabel[] = [];
  let next = 0;
  for (const { openTimeMs } of candles) {
    const at = columnAt(openTimeMs);
    if (at < next) continue;
    labels.push({ at, text: formatAxisTime(openTimeMs, intervalMs, display) });
    next = at + COLUMNS_PER_TIME;
  }
  return labels;
}

function maxOf(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}

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

/** Fills inside of the plot, each on the candle of its time. @param rows of the plot. */
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

/** Closes of the mark price inside of the plot, each beside the candle of its period. */
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

/** Every line, those outside of the plot at its edge. */
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

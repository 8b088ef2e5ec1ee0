// The candle chart: bodies and wicks in half cells, volume below, prices on the right, times at the bottom; and a crosshair
// that shows one candle and one price.

import type { Display } from "../../../select/display.ts";
import { type CandleBody, drawCandle, drawColumn } from "../../../terminal/cells/bars.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { visible } from "../../../terminal/visible.ts";
import { formatDecimal, trimDecimal } from "../../../units/decimal.ts";
import { DAY_MS, formatAge, formatIsoMs } from "../../../units/time.ts";
import { INTERVAL_MS } from "../../../wire/channels.ts";
import type { Inner } from "../../panes/frame.tsx";
import { paintPieces, piece } from "../../panes/pieces.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";
import {
  type CandleChart,
  type ChartCandle,
  type ChartFills,
  type ChartLabel,
  type ChartLine,
  type ChartTimes,
  formatAxisTime,
  getCapacity,
  getColumn,
  getPeriod,
  getWalkStep,
  type Pitch,
  type PriceLine,
  pitchIn,
  placeFills,
  placeLines,
  placeMarks,
  priceAtRow,
  scrollTo,
  selectCandleChart,
  timeAt,
  titleScrolled,
} from "./chart.ts";
import type { CandleData } from "./data.ts";
import {
  type ChartFlow,
  flowFigures,
  flowTitles,
  footprintPitch,
  isFlowShown,
  paintFootprint,
  paintProfile,
  paintStudy,
  paintVwap,
  profileColumnsIn,
  readChartFlow,
} from "./flow-chart.ts";
import type { MarketModel } from "./model.ts";
import type { MarketPane, PaintContext } from "./panes.ts";

const MIN_ROWS_FOR_VOLUME = 10;
const VOLUME_SHARE = 5;
/** Delta and cumulative delta take a larger share of the rows than volume, since they extend to both sides of zero. */
const STUDY_SHARE = 4;
/** With fewer rows, none are kept free above and below for marks. */
const MIN_ROWS_FOR_MARGIN = 8;
const AXIS_GAP = 1;
const DOTTED = 0x250a;
const DASHED = 0x2504;
const BODIES: Readonly<Record<Pitch, CandleBody>> = { 2: "block", 3: "wide" };

export interface PaintedChart
  extends ChartTimes,
    Pick<Plan, "left" | "top" | "rows" | "volumeRows" | "profileColumns" | "obstacle"> {
  readonly crosshairRow: number | undefined;
}

export const candles: MarketPane = {
  label: "candles",
  minHeight: 8,
  weight: 6,
  widthIn: () => 40,
  feeds({ candles: last, markCandles, trades: channel }, choices) {
    const { source } = choices;
    const ofLast = { kind: "candles", channel: last } as const;
    const flow = isFlowShown(choices) ? [{ kind: "trades", channel } as const] : [];
    if (source === "last" || markCandles === undefined) return [ofLast, ...flow];
    const ofMark = { kind: "mark-candles", channel: markCandles } as const;
    return source === "mark" ? [ofMark, ...flow] : [ofLast, ofMark, ...flow];
  },
  title(model) {
    const { data, choices } = model;
    const { interval, source } = choices;
    const scrolled = model.scrolledBy("candles");
    const name = `Candles ${interval}${interval === "1d" ? " UTC" : ""}`;
    return [
      [`${name} ${SOURCE_WORDS[source]}`, name],
      titleScrolled(scrolled),
      ...flowTitles(model),
      data === undefined ? "" : formatReach(data.candles, model),
      data === undefined ? "" : formatRebuilt(data.candles),
    ];
  },
  paint(context) {
    const { surface, inner, theme, data, model } = context;
    const { candles: all } = data.candles;
    const newestMs = all.at(-1)?.open_time_ms;
    if (newestMs === undefined) {
      surface.text(inner.x, inner.y, "no candles received yet", theme.dim);
      return { scrolled: 0 };
    }
    const plan = createPlan(context, newestMs);
    const chart = selectCandleChart(all, plan);
    const crosshair = createCrosshair(context, chart, plan);
    const flow = readChartFlow(context, chart, plan);
    paintValues(context, chart, crosshair, plan, flow);
    paintEdge(context, chart, plan);
    paintGaps(context, chart, plan);
    if (crosshair !== undefined) paintCross(context, crosshair, plan);
    const lines = placeLines(chart, selectLines(model), plan);
    paintLines(context, lines, plan);
    paintVwap(context, chart, plan, flow);
    paintCandles(context, chart, plan);
    const cells = plan.tickSize === undefined ? [] : paintFootprint(context, chart, plan);
    paintStudy(context, chart, plan, flow);
    paintProfile(context, plan, flow);
    paintMarks(context, chart, plan);
    for (const fills of selectFills(context, chart, plan)) paintFills(context, fills, plan);
    paintLabels(context, lines, plan, cells);
    paintAxes(context, chart, crosshair, plan);
    return { scrolled: plan.scrolled, chart: { ...plan, crosshairRow: crosshair?.row } };
  },
  cursor: {
    isSet: ({ crosshair }) => crosshair !== undefined,
    toggle(model) {
      const { chart } = model.panes.candles.painted ?? {};
      const newestMs = chart?.newestMs ?? getNewestMs(model);
      const isSet = model.choices.crosshair !== undefined || newestMs === undefined;
      const crosshair = isSet ? undefined : { openTimeMs: newestMs, row: undefined };
      model.show("candles", { crosshair });
    },
    scroll(model, rows) {
      const { crosshair } = model.choices;
      if (crosshair === undefined) return false;
      const { crosshairRow = 0, rows: all = 1 } = model.panes.candles.painted?.chart ?? {};
      const row = Math.max(0, Math.min(all - 1, crosshairRow + rows));
      if (Math.abs(rows) > 1) walkChart(model, -rows);
      else model.change({ crosshair: { ...crosshair, row } }, ["candles"]);
      return true;
    },
    walk: walkChart,
    home(model) {
      const { crosshair } = model.choices;
      const openTimeMs = getNewestMs(model);
      return crosshair === undefined || openTimeMs === undefined
        ? {}
        : { crosshair: { ...crosshair, openTimeMs } };
    },
    point(model, x, y) {
      const { chart } = model.panes.candles.painted ?? {};
      if (chart === undefined) return;
      const [column, row] = [x - chart.left, y - chart.top];
      if (column < 0 || column >= chart.columns || row < 0 || row >= chart.rows) return;
      model.change({ crosshair: { openTimeMs: timeAt(column, chart), row } }, ["candles"]);
    },
  },
  /** Oldest first, with a remark on candles that are not final ones of the stream. */
  copy({ candles: { candles: all, unfinished, rebuilt } }) {
    const remark = (openTimeMs: number) =>
      rebuilt.has(openTimeMs) ? "rebuilt" : unfinished.has(openTimeMs) ? "unfinished" : "";
    return [
      ["open_time", "open", "high", "low", "close", "volume_base", "remark"],
      ...all.map((candle) => [
        formatIsoMs(candle.open_time_ms),
        candle.open,
        candle.high,
        candle.low,
        candle.close,
        "volume_base" in candle ? candle.volume_base : "",
        remark(candle.open_time_ms),
      ]),
    ];
  },
};

function getNewestMs({ data }: MarketModel): number | undefined {
  return data?.candles.candles.at(-1)?.open_time_ms;
}

function walkChart(model: MarketModel, candles: number): void {
  const { crosshair, scroll } = model.choices;
  const { chart } = model.panes.candles.painted ?? {};
  const oldest = model.data?.candles.candles[0]?.open_time_ms;
  const newest = getNewestMs(model);
  if (chart === undefined || oldest === undefined || newest === undefined) return;
  const room = getCapacity(chart);
  const scrolled = model.scrolledBy("candles");
  const to = (place: number) => ({ ...scroll, candles: Math.max(0, place) });
  if (crosshair === undefined) {
    model.change({ scroll: to(scrolled - candles * getWalkStep(room)) }, ["candles"]);
    return;
  }
  const target = crosshair.openTimeMs + candles * chart.intervalMs;
  const openTimeMs = Math.min(newest, Math.max(oldest, target));
  const place = Math.round((newest - openTimeMs) / chart.intervalMs);
  const shown = scrollTo(place, scrolled, room);
  model.change({ crosshair: { ...crosshair, openTimeMs }, scroll: to(shown) }, ["candles"]);
}

const MARK = "◂";
const SOURCE_WORDS = { last: "last", mark: "mark", both: `last ${MARK} mark` } as const;

const REBUILT_STYLES: Readonly<Record<ChartCandle["direction"], StyleName>> = {
  up: "bidBar",
  down: "askBar",
  flat: "unfinished",
};

/** `filling 43/120` of the candles that fit, then `from 00:36`; `complete back to 00:45:28 ✓` if the market is no older. */
function formatReach(data: CandleData, { choices, periods, parts }: MarketModel): string {
  const { candles: all, isFilling, fromMs, beginMs } = data;
  const intervalMs = INTERVAL_MS[choices.interval];
  const { display } = parts.shown;
  const newestMs = all.at(-1)?.open_time_ms ?? 0;
  if (beginMs !== undefined) {
    const isOld = newestMs - beginMs >= DAY_MS;
    const time = isOld ? display.dateTime(beginMs).slice(0, 10) : display.timeOfDay(beginMs);
    return `complete back to ${time} ✓`;
  }
  const known = fromMs === undefined ? 0 : Math.round((newestMs - fromMs) / intervalMs) + 1;
  if (isFilling && known < periods) return `filling ${known}/${periods}`;
  if (fromMs === undefined) return "";
  return `from ${formatPeriod(fromMs, newestMs, intervalMs, display)}`;
}

/** `00:36`, with its date if it is at least a day older than the newest candle. */
function formatPeriod(
  openTimeMs: number,
  newestMs: number,
  intervalMs: number,
  display: Display,
): string {
  const time = formatAxisTime(openTimeMs, intervalMs, display);
  if (intervalMs >= DAY_MS || newestMs - openTimeMs < DAY_MS) return time;
  return `${formatAxisTime(display.local(openTimeMs), DAY_MS, display)} ${time}`;
}

/** `7 from trades (1 verified)`: candles that were rebuilt, and how they compare with the stream. */
function formatRebuilt({ rebuilt, compared, differing, obstacle }: CandleData): string {
  if (rebuilt.size === 0 && compared === 0) {
    return obstacle === "" ? "" : `no past: ${visible(obstacle)}`;
  }
  const text = `${rebuilt.size} from trades`;
  if (compared === 0) return text;
  return `${text} (${differing === 0 ? `${compared} verified` : `${differing} of ${compared} differ`})`;
}

/** Division of the pane, and what is laid out in it. Rows count from the top of the plot. */
export type Plan = ReturnType<typeof createPlan>;

/** One line for the values, one for the times; volume or study get a share of the rest, if there is room. */
function createPlan({ inner, data, model }: PaintContext, dataNewestMs: number) {
  const { display } = model.parts.shown;
  const intervalMs = INTERVAL_MS[model.choices.interval];
  const { candles: all, unfinished, rebuilt, gaps } = data.candles;
  const height = Math.max(0, inner.height - 2);
  const share = model.choices.study === "volume" ? VOLUME_SHARE : STUDY_SHARE;
  const volumeRows = height >= MIN_ROWS_FOR_VOLUME ? Math.floor(height / share) : 0;
  const rows = height - volumeRows;
  const hasMarks = model.own.fills.some(({ length }) => length > 0) && rows >= MIN_ROWS_FOR_MARGIN;
  const room = Math.max(1, inner.width - axisWidth(inner, data.candles, display) - AXIS_GAP);
  const profileColumns = profileColumnsIn(model, room);
  const columns = room - profileColumns;
  const wide = model.choices.isFootprint ? footprintPitch(model, columns) : undefined;
  const pitch = typeof wide === "number" ? wide : pitchIn(columns);
  const tickSize = typeof wide === "number" ? model.scale?.tickSize : undefined;
  const periods = (dataNewestMs - (all[0]?.open_time_ms ?? dataNewestMs)) / intervalMs;
  const scrolled = Math.min(model.choices.scroll.candles, Math.round(periods));
  return {
    columns,
    pitch,
    intervalMs,
    rows,
    volumeRows,
    display,
    unfinished,
    rebuilt,
    gaps,
    profileColumns,
    tickSize,
    obstacle: typeof wide === "string" ? wide : undefined,
    newestMs: dataNewestMs - scrolled * intervalMs,
    margin: hasMarks ? 1 : 0,
    left: inner.x,
    top: inner.y + 1,
    scrolled,
  };
}

/** Width of the longest price among as many candles as could be shown. */
function axisWidth(inner: Inner, { candles: all }: CandleData, display: Display): number {
  let width = 0;
  let whole = 0;
  const measure = (text = "") => {
    const point = text.indexOf(".");
    width = Math.max(width, text.length);
    whole = Math.max(whole, point < 0 ? text.length : point);
  };
  for (let i = Math.max(0, all.length - inner.width); i < all.length; i++) {
    measure(all[i]?.high);
    measure(all[i]?.low);
    measure(all[i]?.close);
  }
  const commas = display.choice.numbers === "plain" ? 0 : Math.floor(Math.max(0, whole - 1) / 3);
  return width + commas;
}

type ReadCrosshair = NonNullable<ReturnType<typeof createCrosshair>>;

/** At the close of its candle, unless it was placed on a row. */
function createCrosshair(context: PaintContext, chart: CandleChart, plan: Plan) {
  const { data, model } = context;
  const { crosshair } = model.choices;
  if (crosshair === undefined) return undefined;
  const openTimeMs = getPeriod(crosshair.openTimeMs, plan);
  const candle = data.candles.candles.findLast((each) => each.open_time_ms === openTimeMs);
  const column = getColumn(openTimeMs, plan);
  const shown = chart.candles.find((each) => each.column === column);
  const isRising = shown?.direction === "up";
  const closeRow = shown && (isRising ? shown.bodyTop : shown.bodyBottom) >> 1;
  const chosen = crosshair.row === undefined ? undefined : Math.min(crosshair.row, plan.rows - 1);
  const price =
    chosen === undefined || chart.range === undefined
      ? (candle?.close ?? "")
      : formatDecimal(trimDecimal(priceAtRow(chosen, chart.range, plan.rows)));
  const fills = selectFills(context, chart, plan).filter((each) => each.column === column);
  const row = chosen ?? closeRow;
  return { openTimeMs, column, row, price: plan.display.number(price), candle, fills };
}

/** Exact open, high, low, close and volume of the newest candle, or of the one at the crosshair. */
function paintValues(
  context: PaintContext,
  chart: CandleChart,
  crosshair: ReadCrosshair | undefined,
  plan: Plan,
  chartFlow: ChartFlow,
): void {
  const { surface, inner, theme, data, model } = context;
  const { display } = model.parts.shown;
  const candle = crosshair === undefined ? data.candles.candles.at(-1) : crosshair.candle;
  const mark = data.marks.findLast(({ open_time_ms }) => open_time_ms === candle?.open_time_ms);
  const volume = candle !== undefined && "volume_base" in candle ? candle.volume_base : undefined;
  const number = (value: string | undefined) => value && display.number(value);
  const intervalMs = INTERVAL_MS[model.choices.interval];
  const newestMs = data.candles.candles.at(-1)?.open_time_ms ?? 0;
  const time = crosshair && formatPeriod(crosshair.openTimeMs, newestMs, intervalMs, display);
  const openTimeMs = candle?.open_time_ms;
  const flow =
    openTimeMs === undefined ? [] : flowFigures(context, chart, openTimeMs, plan, chartFlow);
  const own = crosshair?.fills.map(formatFills).join(" ") || undefined;
  const values: readonly (readonly [string, string | undefined, number])[] = [
    ["", time, -1],
    ["", crosshair !== undefined && candle === undefined ? "no candle" : undefined, 0],
    ["O", number(candle?.open), 3],
    ["H", number(candle?.high), 1],
    ["L", number(candle?.low), 2],
    ["C", number(candle?.close), 0],
    ["V", number(volume), 5],
    // Chosen by the user, so more important than the rest.
    ...flow.map((each) => [...each, 0] as const),
    ["M", number(mark?.close), 4],
    ["", own, 6],
  ];
  const pieces = values.flatMap(([name, value, priority]) =>
    value === undefined ? [] : piece(name, value, name === "C" ? "strong" : "text", priority),
  );
  paintPieces(surface, inner.y, pieces, theme, { ...inner, gap: 1 });
}

function paintCandles(
  { surface, inner, theme, model }: PaintContext,
  chart: CandleChart,
  plan: Plan,
): void {
  const foot = plan.top + plan.rows + plan.volumeRows - 1;
  const side = plan.pitch === 3 ? 1 : 0;
  for (const candle of chart.candles) {
    const x = inner.x + candle.column;
    paintCandle(surface, x, candle, plan.top, plan.pitch, theme);
    if (plan.volumeRows === 0 || model.choices.study !== "volume") continue;
    for (let at = x - side; at <= x + side; at++) {
      drawColumn(surface, at, foot, candle.volume, theme.volume);
    }
  }
}

/** @param top row of the surface where the plot begins */
function paintCandle(
  surface: Surface,
  x: number,
  { high, bodyTop, bodyBottom, low, isUnfinished, isRebuilt, direction }: ChartCandle,
  top: number,
  pitch: Pitch,
  theme: Theme,
): void {
  const known = isRebuilt ? REBUILT_STYLES[direction] : direction;
  const style = theme[isUnfinished ? "unfinished" : known];
  // If rising and falling look the same, a rising candle is hollow, as on paper.
  const isHollow = theme.up === theme.down && direction === "up";
  const halves = top * 2;
  const shape = {
    high: high + halves,
    bodyTop: bodyTop + halves,
    bodyBottom: bodyBottom + halves,
    low: low + halves,
  };
  drawCandle(surface, x, shape, { style, isHollow, body: BODIES[pitch] ?? "line" });
}

/** A dotted line between the last rebuilt candle and the first of the stream, if there is a free column. */
function paintEdge({ surface, inner, theme }: PaintContext, chart: CandleChart, plan: Plan): void {
  const first = chart.candles.findIndex(
    ({ isRebuilt }, i) => !isRebuilt && chart.candles[i - 1]?.isRebuilt === true,
  );
  const candle = chart.candles[first];
  if (candle === undefined || plan.pitch < 2) return;
  const x = inner.x + candle.column - 1;
  for (let row = 0; row < plan.rows + plan.volumeRows; row++) {
    surface.put(x, plan.top + row, DOTTED, theme.dim);
  }
}

/** Times without data: a dashed line at the bottom of the plot, labelled if there is room. */
function paintGaps({ surface, inner, theme }: PaintContext, chart: CandleChart, plan: Plan): void {
  const y = plan.top + plan.rows - 1;
  for (const gap of chart.gaps) {
    const width = gap.until - gap.from;
    surface.fill(inner.x + gap.from, y, width, 1, theme.stale, DASHED);
    const age = formatAge(gap.lengthMs);
    const label = [` ${age} not received `, ` ${age} `].find((each) => each.length <= width);
    if (label === undefined) continue;
    const left = inner.x + gap.from + ((width - label.length) >> 1);
    surface.text(left, y, label, theme.stale);
  }
}

function paintCross(
  { surface, inner, theme }: PaintContext,
  { column, row }: ReadCrosshair,
  plan: Plan,
): void {
  if (row !== undefined) {
    surface.fill(inner.x, plan.top + row, plan.columns, 1, theme.text, DASHED);
  }
  if (column < 0 || column >= plan.columns) return;
  surface.fill(inner.x + column, plan.top, 1, plan.rows + plan.volumeRows, theme.text, DOTTED);
}

interface LookedLine extends PriceLine {
  readonly style: StyleName;
}

/** Entry and liquidation price of the own position, and prices of alerts, styled by their state. */
function selectLines(model: MarketModel): readonly LookedLine[] {
  const { display } = model.parts.shown;
  // Entry and liquidation price reveal profit and leverage.
  const lines = model.parts.shown.isMasked ? [] : model.own.lines;
  const own = lines.map(({ word, text, price, isDanger }): LookedLine => {
    return { word, text: display.number(text), price, style: isDanger ? "bad" : "own" };
  });
  const alerts = model.alertMarks.flatMap(({ words, price, condition }): LookedLine[] => {
    if (price === undefined) return [];
    const style = condition === "armed" ? "notice" : "dim";
    return [{ word: "alert", text: words, price, style }];
  });
  return [...own, ...alerts];
}

function paintLines(
  { surface, inner, theme }: PaintContext,
  lines: readonly ChartLine<LookedLine>[],
  plan: Plan,
) {
  for (const { row, isInside, line } of lines) {
    if (!isInside) continue;
    surface.fill(inner.x, plan.top + row, plan.columns, 1, theme[line.style], DASHED);
  }
}

/** In front of the candles. A number is shown in full or not at all; no label covers figures of a footprint. */
function paintLabels(
  { surface, inner, theme }: PaintContext,
  lines: readonly ChartLine<LookedLine>[],
  plan: Plan,
  cells: ReturnType<typeof paintFootprint>,
) {
  for (const { label, labelAt, line, isFar } of lines) {
    if (labelAt === undefined) continue;
    const end = labelAt.column + label.length;
    if (cells.some(({ x, row }) => row === labelAt.row && x < end)) continue;
    const style = theme[isFar ? "dim" : line.style];
    surface.text(inner.x + labelAt.column, plan.top + labelAt.row, label, style);
  }
}

function selectFills({ model }: PaintContext, chart: CandleChart, plan: Plan) {
  return placeFills(chart, model.own.fills, plan.intervalMs, plan.rows);
}

/** `▲3`; with fewer columns `▲+`, or the sign alone. */
function paintFills({ surface, inner, theme }: PaintContext, fills: ChartFills, plan: Plan) {
  const { column, row, isBuy, count } = fills;
  const sign = isBuy ? "▲" : "▼";
  const forms = count === 1 ? [sign] : [formatFills(fills), `${sign}+`, sign];
  const room = plan.tickSize === undefined ? plan.pitch : 1;
  const text = forms.find(({ length }) => length <= room) ?? sign;
  const x = inner.x + column - (plan.pitch === 3 && text.length > 1 ? 1 : 0);
  surface.text(x, plan.top + row, text, theme[isBuy ? "bidStrong" : "askStrong"]);
}

function formatFills({ isBuy, count }: ChartFills): string {
  return `${isBuy ? "▲" : "▼"}${count}`;
}

/** Close of the mark price in each period, beside its candle; without a column between candles, only for the newest. */
function paintMarks({ surface, inner, theme, data }: PaintContext, chart: CandleChart, plan: Plan) {
  const newest = chart.candles.at(-1)?.column;
  for (const { column, row } of placeMarks(chart, data.marks, plan.rows)) {
    if (plan.pitch < 2 && column !== newest) continue;
    surface.text(inner.x + column + 1, plan.top + row, MARK, theme.own);
  }
}

function paintAxes(
  { surface, inner, theme }: PaintContext,
  chart: CandleChart,
  crosshair: ReadCrosshair | undefined,
  plan: Plan,
): void {
  const right = inner.x + inner.width;
  for (const { at, text } of chart.prices) {
    surface.textRight(right, plan.top + at, text, theme.dim);
  }
  const y = plan.top + plan.rows + plan.volumeRows;
  const cross = crosshair && formatTimeLabel(crosshair, plan);
  const zone = plan.intervalMs >= DAY_MS ? "UTC" : plan.display.zoneName(plan.newestMs);
  if (plan.columns + AXIS_GAP + zone.length <= inner.width) {
    surface.textRight(right, y, zone, theme.dim);
  }
  for (const { at, text } of chart.times) {
    const isFree =
      cross === undefined || at + text.length < cross.at || at > cross.at + cross.text.length;
    if (isFree) surface.text(inner.x + at, y, text, theme.dim);
  }
  const paintPrice = ({ at, text }: ChartLabel, style: StyleName) => {
    const left = inner.x + plan.columns + plan.profileColumns;
    surface.fill(left, plan.top + at, right - left, 1);
    surface.textRight(right, plan.top + at, text, theme[style]);
  };
  if (chart.last !== undefined) paintPrice(chart.last, "badge");
  if (crosshair?.row !== undefined) {
    paintPrice({ at: crosshair.row, text: crosshair.price }, "selection");
  }
  if (cross !== undefined) surface.text(inner.x + cross.at, y, cross.text, theme.selection);
}

function formatTimeLabel(
  { openTimeMs, column }: ReadCrosshair,
  plan: Plan,
): ChartLabel | undefined {
  const { columns, intervalMs, display } = plan;
  if (column < 0 || column >= columns) return undefined;
  const text = formatAxisTime(openTimeMs, intervalMs, display);
  const at = Math.min(columns - text.length, column - (text.length >> 1));
  return { at: Math.max(0, at), text };
}

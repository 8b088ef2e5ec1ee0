// The candle chart: bodies and wicks at half a cell, volume below, prices on the right, times at the foot.

import { fitPieces } from "../../../select/columns.ts";
import type { Display } from "../../../select/display.ts";
import { MISSING } from "../../../select/fields.ts";
import { drawColumn } from "../../../terminal/cells/bars.ts";
import { drawCandle } from "../../../terminal/cells/candle.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { textWidth } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import type { Decimal } from "../../../units/decimal.ts";
import { formatIsoMs } from "../../../units/time.ts";
import { INTERVAL_MS } from "../../../wire/channels.ts";
import type { Inner } from "../../panes/frame.tsx";
import type { StyleName } from "../../theme/theme.ts";
import {
  type CandleChart,
  type ChartCandle,
  formatAxisTime,
  placeFills,
  placeLines,
  placeMarks,
  selectCandleChart,
} from "./chart.ts";
import type { CandleData } from "./data.ts";
import type { MarketModel } from "./model.ts";
import type { MarketPane, PaintContext } from "./panes.ts";

/** Below this width candles stand side by side, above it with a column between them. */
const ROOMY = 40;
const MIN_ROWS_FOR_VOLUME = 10;
const VOLUME_SHARE = 5;
const AXIS_GAP = 1;
const DOTTED = 0x250a;
const DASHED = 0x2504;
const LABEL_GAP = 2;
const LOOKS: Readonly<Record<ChartCandle["direction"], StyleName>> = {
  up: "up",
  down: "down",
  flat: "flat",
};

/** The pane of the chart. */
export const candles: MarketPane = {
  label: "candles",
  minHeight: 8,
  weight: 6,
  widthIn: () => 40,
  feeds({ candles: last, markCandles }, source) {
    const ofLast = { kind: "candles", channel: last } as const;
    if (source === "last" || markCandles === undefined) return [ofLast];
    const ofMark = { kind: "mark-candles", channel: markCandles } as const;
    return source === "mark" ? [ofMark] : [ofLast, ofMark];
  },
  title(model) {
    const { data, choices } = model;
    const { interval, source } = choices;
    const scrolled = model.scrolledBy("candles");
    return [
      `Candles ${interval}${interval === "1d" ? " UTC" : ""} ${SOURCE_WORDS[source]}`,
      data === undefined
        ? ""
        : formatReach(data.candles, INTERVAL_MS[interval], model.parts.shown.display),
      data === undefined ? "" : wordRebuilt(data.candles),
      scrolled === 0 ? "" : `scrolled ${scrolled}`,
    ];
  },
  paint(context) {
    const { surface, inner, theme, data, model } = context;
    const all = data.candles.candles;
    const scrolled = Math.min(model.choices.scroll.candles, Math.max(0, all.length - 1));
    const shown = all.slice(0, all.length - scrolled);
    if (shown.length === 0) {
      surface.text(inner.x, inner.y, "no candles yet", theme.dim);
      return { scrolled };
    }
    paintValues(context);
    const plan = planOf(inner, axisWidth(shown, model.parts.shown.display));
    const chart = selectCandleChart(shown, {
      columns: plan.columns,
      rows: plan.rows,
      volumeRows: plan.volumeRows,
      step: plan.step,
      intervalMs: INTERVAL_MS[model.choices.interval],
      display: model.parts.shown.display,
      unfinished: data.candles.unfinished,
      rebuilt: data.candles.rebuilt,
    });
    paintEdge(context, chart, plan);
    paintLines(context, chart, plan);
    paintCandles(context, chart, plan);
    paintFills(context, chart, plan);
    paintMarks(context, chart, plan);
    paintLabels(context, chart, plan);
    paintAxes(context, chart, plan);
    return { scrolled };
  },
  /** Oldest first; those that are not the stream's last word say so. */
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

const MARK = "◂";
const SOURCE_WORDS = { last: "last", mark: "mark", both: `last ${MARK} mark` } as const;

/** The same directions, but weaker. */
const REBUILT_STYLES: typeof LOOKS = { up: "bidBar", down: "askBar", flat: "unfinished" };

/** `filling, from 00:36`: how far back the chart has no hole. */
function formatReach(
  { isFilling, fromMs }: CandleData,
  intervalMs: number,
  display: Display,
): string {
  const from = fromMs === undefined ? "" : `from ${formatAxisTime(fromMs, intervalMs, display)}`;
  return [isFilling ? "filling" : "", from].filter(Boolean).join(", ");
}

/** `42 rebuilt`, and how that compares with the stream. */
function wordRebuilt({ rebuilt, compared, differing, obstacle }: CandleData): string {
  if (rebuilt.size === 0 && compared === 0) {
    return obstacle === "" ? "" : `no past: ${visible(obstacle)}`;
  }
  const words = `${rebuilt.size} rebuilt from trades`;
  if (compared === 0) return words;
  return `${words}, ${differing === 0 ? `${compared} agree` : `${differing} of ${compared} differ`}`;
}

/** How the room is divided. Rows count from the top of the plot. */
interface Plan {
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
  readonly volumeRows: number;
  readonly step: number;
}

/** Columns that the longest price of these candles takes. */
function axisWidth(
  shown: readonly { readonly high: string; readonly low: string }[],
  display: Display,
): number {
  const widthOf = (text: string) => display.number(text).length;
  return Math.max(...shown.map(({ high, low }) => Math.max(widthOf(high), widthOf(low))));
}

/** One line for the values, one for the times; a fifth of the rest for the volume where there is room. */
function planOf(inner: Inner, axis: number): Plan {
  const columns = Math.max(1, inner.width - axis - AXIS_GAP);
  const height = Math.max(0, inner.height - 2);
  const volumeRows = height >= MIN_ROWS_FOR_VOLUME ? Math.floor(height / VOLUME_SHARE) : 0;
  return {
    top: inner.y + 1,
    columns,
    rows: height - volumeRows,
    volumeRows,
    step: columns >= ROOMY ? 2 : 1,
  };
}

/** Open, high, low, close and volume of the newest candle, exactly as they came. */
function paintValues({ surface, inner, theme, data, model }: PaintContext): void {
  const { display } = model.parts.shown;
  const newest = data.candles.candles.at(-1);
  if (newest === undefined) return;
  const { open, high, low, close } = newest;
  const volume = "volume_base" in newest ? newest.volume_base : undefined;
  const values: [string, string | undefined, number][] = [
    ["O", open, 3],
    ["H", high, 1],
    ["L", low, 2],
    ["C", close, 0],
    ["V", volume, 5],
    ["M", data.marks.at(-1)?.close, 4],
  ];
  const pieces = values
    .filter(([, value]) => value !== undefined)
    .map(([name, value = MISSING, priority]) => ({
      name,
      value: display.number(value),
      priority,
      width: display.number(value).length + 2,
    }));
  let x = inner.x;
  for (const { name, value, width } of fitPieces(pieces, inner.width, 1)) {
    surface.text(x, inner.y, name, theme.dim);
    surface.text(x + 2, inner.y, value, name === "C" ? theme.strong : theme.text);
    x += width + 1;
  }
}

function paintCandles(
  { surface, inner, theme }: PaintContext,
  chart: CandleChart,
  plan: Plan,
): void {
  const foot = plan.top + plan.rows + plan.volumeRows - 1;
  for (const candle of chart.candles) {
    const x = inner.x + candle.column;
    const style = theme[lookOf(candle)];
    // Where rising and falling have no colours of their own, a rising candle is hollow, as on paper.
    const isHollow = theme.up === theme.down && candle.direction === "up";
    drawCandle(surface, x, lowered(candle, plan.top), { style, isHollow });
    if (plan.volumeRows > 0) drawColumn(surface, x, foot, candle.volume, theme.volume);
  }
}

function lookOf({ isUnfinished, isRebuilt, direction }: ChartCandle): StyleName {
  if (isUnfinished) return "unfinished";
  return (isRebuilt ? REBUILT_STYLES : LOOKS)[direction];
}

/** A dotted line between the last candle that was rebuilt and the first of the stream, where there is a free column. */
function paintEdge({ surface, inner, theme }: PaintContext, chart: CandleChart, plan: Plan): void {
  const first = chart.candles.findIndex(
    ({ isRebuilt }, i) => !isRebuilt && chart.candles[i - 1]?.isRebuilt === true,
  );
  const candle = chart.candles[first];
  if (candle === undefined || plan.step < 2) return;
  const x = inner.x + candle.column - 1;
  for (let row = 0; row < plan.rows + plan.volumeRows; row++) {
    surface.put(x, plan.top + row, DOTTED, theme.dim);
  }
}

/** Prices of alerts, entry and liquidation price of the own position, and where they are on the chart. */
function linesOf({ model }: PaintContext, chart: CandleChart, plan: Plan) {
  const own = model.own.lines.map(({ label, price, isDanger }) => ({
    label,
    price,
    look: isDanger ? ("bad" as const) : ("own" as const),
  }));
  return placeLines(chart, [...alertLines(model), ...own], plan.rows);
}

/** Alerts of the market, each with its state. */
function alertLines(
  model: MarketModel,
): readonly { label: string; price: Decimal; look: StyleName }[] {
  return model.alertMarks.flatMap(({ words, price, condition }) =>
    price === undefined
      ? []
      : [{ label: `alert ${words}`, price, look: condition === "armed" ? "notice" : "dim" }],
  );
}

/** Their lines, behind the candles. */
function paintLines(context: PaintContext, chart: CandleChart, plan: Plan) {
  const { surface, inner, theme } = context;
  for (const { row, isInside, line } of linesOf(context, chart, plan)) {
    if (!isInside) continue;
    surface.fill(inner.x, plan.top + row, plan.columns, 1, theme[line.look], DASHED);
  }
}

/** Their words, before the candles, those of one row one after the other: a number is whole or not there. */
function paintLabels(context: PaintContext, chart: CandleChart, plan: Plan) {
  const { surface, inner, theme } = context;
  const ends = new Map<number, number>();
  for (const { row, label, line } of linesOf(context, chart, plan)) {
    const x = ends.get(row) ?? 0;
    if (x + textWidth(label) > plan.columns) continue;
    const width = surface.text(inner.x + x, plan.top + row, label, theme[line.look]);
    ends.set(row, x + width + LABEL_GAP);
  }
}

function paintFills(
  { surface, inner, theme, model }: PaintContext,
  chart: CandleChart,
  plan: Plan,
) {
  const intervalMs = INTERVAL_MS[model.choices.interval];
  for (const fill of placeFills(chart, model.own.fills, intervalMs, plan.rows)) {
    const { column, row, isBuy } = fill;
    const look = theme[isBuy ? "bidStrong" : "askStrong"];
    // Beside the candle where there is a column between, so that it stays to be seen.
    const x = Math.max(0, column - plan.step + 1);
    surface.text(inner.x + x, plan.top + row, isBuy ? "▲" : "▼", look);
  }
}

/** The mark price at the end of each period, beside its candle; without a column between, of the newest one only. */
function paintMarks({ surface, inner, theme, data }: PaintContext, chart: CandleChart, plan: Plan) {
  for (const { column, row } of placeMarks(chart, data.marks, plan.rows)) {
    if (plan.step < 2 && column !== plan.columns - 1) continue;
    surface.text(inner.x + column + 1, plan.top + row, MARK, theme.own);
  }
}

/** Shapes count from the top of the surface, the chart from the top of its plot. */
function lowered({ high, bodyTop, bodyBottom, low }: ChartCandle, rows: number) {
  const halves = rows * 2;
  return {
    high: high + halves,
    bodyTop: bodyTop + halves,
    bodyBottom: bodyBottom + halves,
    low: low + halves,
  };
}

function paintAxes(context: PaintContext, chart: CandleChart, plan: Plan): void {
  const { surface, inner, theme } = context;
  const right = inner.x + inner.width;
  for (const { at, text } of chart.prices) {
    surface.textRight(right, plan.top + at, text, theme.dim);
  }
  if (chart.last !== undefined) {
    const y = plan.top + chart.last.at;
    surface.fill(inner.x + plan.columns, y, right - inner.x - plan.columns, 1);
    surface.textRight(right, y, chart.last.text, theme.badge);
  }
  paintTimes(surface, context, chart, plan);
}

function paintTimes(
  surface: Surface,
  { inner, theme }: PaintContext,
  chart: CandleChart,
  plan: Plan,
): void {
  const y = plan.top + plan.rows + plan.volumeRows;
  for (const { at, text } of chart.times) {
    if (at + text.length <= plan.columns) surface.text(inner.x + at, y, text, theme.dim);
  }
}

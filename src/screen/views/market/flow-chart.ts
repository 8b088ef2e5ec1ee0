// Order flow on the chart: delta bars or the cumulative delta below the candles, VWAP across them, lots by price at the right edge.
// What is not known is not drawn, and the title says since when sums are, and what they lack.
import { withSign } from "../../../select/fields.ts";
import {
  type CvdPoint,
  dayAnchor,
  type FlowSpan,
  minuteAnchor,
  type Profile,
  roundVwap,
  selectCvd,
  selectProfile,
  selectVwapLine,
  type Vwap,
} from "../../../select/flow.ts";
import type { TradesState } from "../../../state/trades.ts";
import { countEighths } from "../../../terminal/cells/bars.ts";
import { formatDecimal } from "../../../units/decimal.ts";
import { formatUnits } from "../../../units/scale.ts";
import type { TitlePart } from "../../panes/frame.tsx";
import type { PaintedChart } from "./candles.ts";
import { type CandleChart, getCapacity, getGrouping, lowestTicksAt, rowOfPrice } from "./chart.ts";
import { CHART_KEPT_MS, formatSince, formatTradeDelta } from "./flow-views.ts";
import type { MarketModel } from "./model.ts";
import { selectEntry } from "./own-marks.ts";
import type { PaintContext } from "./panes.ts";

/** Where the parts of the chart stand. */
export interface FlowPlan {
  readonly top: number;
  readonly rows: number;
  readonly volumeRows: number;
  readonly columns: number;
  readonly profileColumns: number;
  readonly pitch: number;
  readonly intervalMs: number;
  readonly newestMs: number;
}

const MIN_COLUMNS_BESIDE_PROFILE = 32;
const PROFILE_SHARE = 6;
const MIN_PROFILE = 6;
const MAX_PROFILE = 16;
const DOT = 0xb7;
const FULL = 0x2588;
const RIGHT_HALF = 0x2590;
const UPPER = 0x2580;
const LOWER = 0x2584;
const SHADE = 0x2591;

/** True where the chart shows anything of the order flow. */
export function isFlowShown(choices: MarketModel["choices"]): boolean {
  const { study, vwap, isProfileShown, isFootprint } = choices;
  return study !== "volume" || vwap !== "off" || isProfileShown || isFootprint;
}

/** Columns of the profile, with the one between it and the candles; 0 where there is no room. */
export function profileColumnsIn(model: MarketModel, columns: number): number {
  if (!model.choices.isProfileShown || model.scale === undefined) return 0;
  const wanted = Math.min(MAX_PROFILE, Math.max(MIN_PROFILE, Math.floor(columns / PROFILE_SHARE)));
  return columns - wanted - 1 < MIN_COLUMNS_BESIDE_PROFILE ? 0 : wanted + 1;
}

/** The anchor of VWAP and profile; words where there is none. */
function getAnchor(model: MarketModel, nowMs: number): number | string {
  const { vwap, vwapCursorMs } = model.choices;
  if (vwap === "cursor") return vwapCursorMs ?? "set it with r";
  if (vwap === "entry") return entryMs(model);
  return dayAnchor(nowMs);
}

/** What the position was entered with, as far as is known. */
function entryMs({ own }: MarketModel): number | string {
  const hasLine = own.lines.some(({ word }) => word === "entry");
  if (own.positionLots === 0n || (own.positionLots === undefined && !hasLine)) return "no position";
  const entry = selectEntry(own);
  return entry === undefined ? "no fill known" : minuteAnchor(entry.timeMs);
}

/** From the anchor, or from where trades are known, until now. */
function anchoredSpan(model: MarketModel): FlowSpan | string {
  const { data } = model;
  const nowMs = data?.serverNowMs;
  const sinceMs = data?.tape.flow.sinceMs;
  if (nowMs === undefined || sinceMs === undefined) return "no trades yet";
  const anchor = getAnchor(model, nowMs);
  if (typeof anchor === "string") return anchor;
  return { fromMs: Math.max(anchor, minuteAnchor(sinceMs)), untilMs: nowMs + 1 };
}

type Context = Pick<PaintContext, "data" | "model" | "again">;

function getKept({ data: { tape }, model, again }: Context) {
  return { model, tape, again, keptMs: CHART_KEPT_MS };
}

/** Periods of the candles, oldest first. */
function getPeriods(chart: CandleChart, intervalMs: number): readonly FlowSpan[] {
  return chart.candles.map(({ openTimeMs: fromMs }) => ({ fromMs, untilMs: fromMs + intervalMs }));
}

/** The same for the same periods. */
function getKey({ candles }: CandleChart, intervalMs: number): string {
  return `${candles[0]?.openTimeMs}/${candles.at(-1)?.openTimeMs}/${candles.length}/${intervalMs}`;
}

/** With all from an anchor until the first of them in front, so that sums begin there. */
function sinceAnchor(anchorMs: number, periods: readonly FlowSpan[]): readonly FlowSpan[] {
  const [first] = periods;
  if (first === undefined || first.fromMs <= anchorMs) return periods;
  return [{ fromMs: anchorMs, untilMs: first.fromMs }, ...periods];
}

interface Study {
  readonly points: readonly CvdPoint[];
  /** Undefined where nothing is known. */
  readonly least: bigint | undefined;
  readonly most: bigint | undefined;
}

/** The cumulative delta at the end of each period, or the delta of each. */
function selectStudy(context: Context, chart: CandleChart, intervalMs: number): Study {
  const { data, model } = context;
  const { tape } = data;
  const { study } = model.choices;
  const of = [study, getKey(chart, intervalMs)];
  return model.keptViews.read("study", { ...getKept(context), of }, () => {
    const periods = getPeriods(chart, intervalMs);
    const points = study === "cvd" ? selectSums(tape, periods) : selectDeltas(tape, periods);
    const all = points.flatMap(({ lots }) => lots ?? []).sort((a, b) => (a < b ? -1 : 1));
    return { points, least: all[0], most: all.at(-1) };
  });
}

function selectSums(tape: TradesState, periods: readonly FlowSpan[]): readonly CvdPoint[] {
  const last = periods.at(-1);
  if (last === undefined) return [];
  const anchorMs = dayAnchor(last.fromMs);
  const all = sinceAnchor(anchorMs, periods);
  return selectCvd(tape, anchorMs, all).slice(all.length - periods.length);
}

function selectDeltas(tape: TradesState, periods: readonly FlowSpan[]): readonly CvdPoint[] {
  let before = 0n;
  return selectCvd(tape, periods[0]?.fromMs ?? 0, periods).map(({ lots, isRestart }) => {
    const delta = lots === undefined ? undefined : lots - (isRestart ? 0n : before);
    before = lots ?? 0n;
    return { lots: delta, isRestart };
  });
}

/** Below the candles. */
export function paintStudy(context: PaintContext, chart: CandleChart, plan: FlowPlan): void {
  const { study } = context.model.choices;
  if (plan.volumeRows === 0 || study === "volume") return;
  const { points, least, most } = selectStudy(context, chart, plan.intervalMs);
  if (least === undefined || most === undefined) return;
  const apart = most > -least ? most : -least;
  if (study === "delta") paintDeltas(context, chart, points, apart, plan);
  else paintCvd(context, chart, points, [most, least], plan);
  paintStudyAxis(context, study === "delta" ? [apart, -apart] : [most, least], plan);
}

/** From the middle up what was bought more than sold, down what was sold more. @param most of both, without its sign */
function paintDeltas(
  { surface, inner, theme }: PaintContext,
  chart: CandleChart,
  points: readonly CvdPoint[],
  most: bigint,
  plan: FlowPlan,
): void {
  const middle = plan.volumeRows;
  const side = plan.pitch === 3 ? 1 : 0;
  for (const [i, { column }] of chart.candles.entries()) {
    const lots = points[i]?.lots ?? 0n;
    const halves = Math.ceil(countEighths(Math.abs(Number(lots)), Number(most), middle) / 8);
    const [from, until] = lots > 0n ? [middle - halves, middle] : [middle, middle + halves];
    for (let row = from >> 1; row * 2 < until; row++) {
      const y = plan.top + plan.rows + row;
      const sign = halfSign(row * 2 >= from, row * 2 + 1 < until);
      const look = lots > 0n ? theme.up : theme.down;
      surface.fill(inner.x + column - side, y, side * 2 + 1, 1, look, sign);
    }
  }
}

function halfSign(hasUpper: boolean, hasLower: boolean): number {
  if (!hasUpper) return LOWER;
  return hasLower ? FULL : UPPER;
}

function paintCvd(
  { surface, inner, theme }: PaintContext,
  chart: CandleChart,
  points: readonly CvdPoint[],
  [most, least]: readonly [bigint, bigint],
  plan: FlowPlan,
): void {
  const halves = BigInt(plan.volumeRows * 2 - 1);
  const span = most - least || 1n;
  const side = plan.pitch === 3 ? 1 : 0;
  for (const [i, { column }] of chart.candles.entries()) {
    const lots = points[i]?.lots;
    if (lots === undefined) continue;
    const half = Number(((most - lots) * halves * 2n + span) / (span * 2n));
    const look = lots < (points[i - 1]?.lots ?? 0n) ? theme.down : theme.up;
    const y = plan.top + plan.rows + (half >> 1);
    surface.fill(inner.x + column - side, y, plan.pitch, 1, look, half % 2 === 0 ? UPPER : LOWER);
  }
}

/** What the upper and the lower edge stand for. */
function paintStudyAxis(
  { surface, inner, theme, model }: PaintContext,
  edges: readonly [bigint, bigint],
  plan: FlowPlan,
): void {
  const room = inner.width - plan.columns - 1;
  const { display } = model.parts.shown;
  for (const [i, lots] of edges.entries()) {
    const text = withSign(display.compact(formatUnits(`${lots}`, model.scale?.lotSize)));
    const isTold = i === 1 && (plan.volumeRows < 2 || edges[0] === edges[1]);
    if (text.length > room || isTold) continue;
    const y = plan.top + plan.rows + (i === 0 ? 0 : plan.volumeRows - 1);
    surface.textRight(inner.x + inner.width, y, text, theme.dim);
  }
}

const NO_VWAPS: readonly (Vwap | undefined)[] = [];

/** VWAP at the end of each period. */
function selectVwaps(
  context: Context,
  chart: CandleChart,
  intervalMs: number,
): readonly (Vwap | undefined)[] {
  const { data, model } = context;
  const { tape } = data;
  const span = model.choices.vwap === "off" ? undefined : anchoredSpan(model);
  if (span === undefined || typeof span === "string") return NO_VWAPS;
  const of = [span.fromMs, getKey(chart, intervalMs)];
  return model.keptViews.read("vwap", { ...getKept(context), of }, () => {
    const periods = getPeriods(chart, intervalMs);
    const all = sinceAnchor(span.fromMs, periods);
    return selectVwapLine(tape, span.fromMs, all).slice(all.length - periods.length);
  });
}

/** Behind the candles: a dotted line from the anchor on. */
export function paintVwap(context: PaintContext, chart: CandleChart, plan: FlowPlan): void {
  const { surface, inner, theme, model } = context;
  const { scale } = model;
  if (model.choices.vwap === "off" || scale === undefined || chart.range === undefined) return;
  const points = selectVwaps(context, chart, plan.intervalMs);
  for (const [i, { column }] of chart.candles.entries()) {
    const point = points[i];
    if (point === undefined) continue;
    const row = rowOfPrice(roundVwap(point, scale), chart.range, plan.rows);
    if (row < 0 || row >= plan.rows) continue;
    const left = inner.x + column - (plan.pitch === 3 ? 1 : 0);
    surface.fill(left, plan.top + row, plan.pitch, 1, theme.key, DOT);
  }
}

/** Lots by price since the anchor, in groups of at least a row; undefined where it is not shown. */
function getProfile(
  context: PaintContext,
  chart: CandleChart,
  plan: FlowPlan,
): Profile | undefined {
  const { data, model } = context;
  const { range } = chart;
  const { tape } = data;
  const span = plan.profileColumns === 0 ? "" : anchoredSpan(model);
  if (model.scale === undefined || range === undefined || typeof span === "string") {
    return undefined;
  }
  const grouping = getGrouping(range, plan.rows, model.scale);
  const of = [span.fromMs, grouping];
  const make = () => selectProfile(tape.flow, span, grouping);
  return model.keptViews.read("profile", { ...getKept(context), of }, make);
}

/** At the right edge of the plot: the value area full, the rest in shades, the point of control in a colour of its own. */
export function paintProfile(context: PaintContext, chart: CandleChart, plan: FlowPlan): void {
  const { surface, inner, theme } = context;
  const profile = getProfile(context, chart, plan);
  const { pointOfControl, valueArea } = profile ?? {};
  if (profile === undefined || valueArea === undefined) return;
  const { rows, most } = getRows(context, profile, chart, plan);
  const room = plan.profileColumns - 1;
  const right = inner.x + plan.columns + plan.profileColumns;
  const { lowTicks, highTicks } = valueArea;
  const lookOf = (group: bigint, isInside: boolean) =>
    group === pointOfControl ? theme.notice : isInside ? theme.volume : theme.dim;
  for (const [row, { group, lots }] of rows.entries()) {
    const halves = Math.ceil(countEighths(Number(lots), Number(most), room) / 4);
    const isInside = group >= lowTicks && group <= highTicks;
    const look = lookOf(group, isInside);
    const cells = halves >> 1;
    const y = plan.top + row;
    surface.fill(right - cells, y, cells, 1, look, isInside ? FULL : SHADE);
    if (halves % 2 === 0) continue;
    surface.put(right - cells - 1, y, isInside ? RIGHT_HALF : SHADE, look);
  }
}

interface ProfileRows {
  /** The group of prices in the middle of each row, and what traded there. */
  readonly rows: readonly { readonly group: bigint; readonly lots: bigint }[];
  /** 1 or more. */
  readonly most: bigint;
}

function getRows(
  context: PaintContext,
  profile: Profile,
  { range }: CandleChart,
  { rows: count }: FlowPlan,
): ProfileRows {
  const { model } = context;
  const { scale } = model;
  if (range === undefined || scale === undefined) return { rows: [], most: 1n };
  const of = [profile, ...Object.values(range), count];
  return model.keptViews.read("profileRows", { ...getKept(context), of }, () => {
    const { levels, groupingTicks } = profile;
    const lots = new Map(
      levels.map(({ priceTicks, boughtLots, soldLots }) => [priceTicks, boughtLots + soldLots]),
    );
    const rows = Array.from({ length: count }, (_, row) => {
      const ticks = lowestTicksAt(row, range, count, scale);
      const group = ticks - (ticks % groupingTicks);
      return { group, lots: lots.get(group) ?? 0n };
    });
    return { rows, most: rows.reduce((all, row) => (row.lots > all ? row.lots : all), 1n) };
  });
}

/** A view with the time that its sums are of, or why it is not shown. */
interface Titled {
  readonly name: string;
  readonly of: FlowSpan | string;
}

/** What the chart shows of the order flow, with the time that it is of; those of the same time together. */
export function flowTitles(model: MarketModel): readonly TitlePart[] {
  const { data, choices, parts, panes, scale, own } = model;
  if (data === undefined || !isFlowShown(choices)) return [];
  const { serverNowMs = 0 } = data;
  const { flowChart, chart } = panes.candles.painted ?? {};
  const { hasStudy, hasProfile, obstacle } = flowChart ?? {};
  const painted = [hasStudy, hasProfile, obstacle, chart?.newestMs, chart?.columns, chart?.pitch];
  const entry = choices.vwap === "entry" ? own : undefined;
  const of = [choices, ...painted, scale, parts.shown.display, entry, minuteAnchor(serverNowMs)];
  // The pane's own frames come while trades do.
  const context = { data, model, again: () => {} };
  return model.keptViews.read("titles", { ...getKept(context), of }, () => formatTitles(model));
}

function formatTitles(model: MarketModel): readonly TitlePart[] {
  const { data, parts } = model;
  if (data === undefined) return [];
  const all = [footprintTitle, studyTitle, vwapTitle, profileTitle].flatMap((title) =>
    title(model),
  );
  const reasons = all.flatMap(({ name, of }) => (typeof of === "string" ? `${name}: ${of}` : []));
  const groups = new Map<string, { readonly names: string[]; readonly since: readonly string[] }>();
  for (const { name, of: span } of all) {
    if (typeof span === "string") continue;
    const since = formatSince(data.tape, { span }, parts.shown.display);
    const key = since.join();
    const group = groups.get(key) ?? { names: [], since };
    group.names.push(name);
    groups.set(key, group);
  }
  const sums = [...groups.values()].map(({ names, since }) =>
    since.map((words) => `${names.join(" ")} ${words}`),
  );
  return [...sums, ...reasons];
}

/** The periods that are shown. */
function shownSpan({ newestMs, intervalMs, ...room }: PaintedChart): FlowSpan {
  const untilMs = newestMs + intervalMs;
  return { fromMs: untilMs - getCapacity(room) * intervalMs, untilMs };
}

function footprintTitle({ choices, panes }: MarketModel): readonly Titled[] {
  const { flowChart, chart } = panes.candles.painted ?? {};
  if (!choices.isFootprint || chart === undefined) return [];
  return [{ name: "footprint", of: flowChart?.obstacle ?? shownSpan(chart) }];
}

function studyTitle({ choices, panes }: MarketModel): readonly Titled[] {
  const { study } = choices;
  const { flowChart, chart } = panes.candles.painted ?? {};
  if (study === "volume" || chart === undefined) return [];
  const name = study === "cvd" ? "CVD" : "delta";
  if (flowChart?.hasStudy === false) return [{ name, of: "no room" }];
  const span = shownSpan(chart);
  const of = study === "cvd" ? { ...span, fromMs: dayAnchor(chart.newestMs) } : span;
  return [{ name, of }];
}

function vwapTitle(model: MarketModel): readonly Titled[] {
  const { vwap } = model.choices;
  if (vwap === "off") return [];
  const of = model.scale === undefined ? NO_SCALE : anchoredSpan(model);
  // Where the fills do not lead back to zero, it is not said to be the entry.
  const isGuessed = vwap === "entry" && selectEntry(model.own)?.isExact === false;
  const name = isGuessed && typeof of !== "string" ? "VWAP last fills" : `VWAP ${vwap}`;
  return [{ name, of }];
}

function profileTitle(model: MarketModel): readonly Titled[] {
  if (!model.choices.isProfileShown) return [];
  const { flowChart } = model.panes.candles.painted ?? {};
  const of = flowChart?.hasProfile === false ? "no room" : anchoredSpan(model);
  return [{ name: "profile", of: model.scale === undefined ? NO_SCALE : of }];
}

const NO_SCALE = "no scale";

/** What the title has to know of a frame. */
export interface PaintedFlow {
  readonly hasStudy: boolean;
  readonly hasProfile: boolean;
  /** Why there is no footprint. */
  readonly obstacle: string | undefined;
}

type Figures = readonly (readonly [name: string, value: string])[];

/** Figures of the period at the crosshair, or of the newest one: each with its name. */
export function flowFigures(
  context: PaintContext,
  chart: CandleChart,
  openTimeMs: number,
  plan: FlowPlan,
): Figures {
  const { model } = context;
  if (!isFlowShown(model.choices)) return [];
  const { scale, parts } = model;
  const { display } = parts.shown;
  const vwaps = selectVwaps(context, chart, plan.intervalMs);
  const profile = getProfile(context, chart, plan);
  const { study } = model.choices;
  const of = [openTimeMs, study, vwaps, profile, scale, display, plan.intervalMs];
  return model.keptViews.read("figures", { ...getKept(context), of }, () => {
    const at = chart.candles.findIndex((candle) => candle.openTimeMs === openTimeMs);
    const vwap = vwaps[at];
    const price =
      vwap === undefined || scale === undefined ? undefined : formatDecimal(roundVwap(vwap, scale));
    const control = profile?.pointOfControl;
    const span = { fromMs: openTimeMs, untilMs: openTimeMs + plan.intervalMs };
    const delta =
      study === "volume"
        ? undefined
        : formatTradeDelta(context.data.tape, span, { scale, display });
    return [
      ...(delta === undefined ? [] : [["Δ", delta] as const]),
      ...(price === undefined ? [] : [["VWAP", display.number(price)] as const]),
      ...(control === undefined
        ? []
        : [["POC", display.number(formatUnits(`${control}`, scale?.tickSize))] as const]),
    ];
  });
}

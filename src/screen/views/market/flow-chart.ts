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
import { formatUnits, type Scale } from "../../../units/scale.ts";
import type { TitlePart } from "../../panes/frame.tsx";
import type { PaintedChart } from "./candles.ts";
import { type CandleChart, getCapacity, getGrouping, lowestTicksAt, rowOfPrice } from "./chart.ts";
import type { ChartChoices } from "./choices.ts";
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
function selectStudy(
  tape: TradesState,
  study: MarketModel["choices"]["study"],
  periods: readonly FlowSpan[],
): Study {
  const points = study === "cvd" ? selectSums(tape, periods) : selectDeltas(tape, periods);
  const all = points.flatMap(({ lots }) => lots ?? []).sort((a, b) => (a < b ? -1 : 1));
  return { points, least: all[0], most: all.at(-1) };
}

/** What a frame of the chart has of the order flow; made once for all that paints it. */
export interface ChartFlow {
  /** Undefined where volume stands below the candles. */
  readonly study: Study | undefined;
  readonly vwaps: readonly (Vwap | undefined)[];
  /** Lots by price since the anchor, in groups of at least a row; undefined where it is not shown. */
  readonly profile: Profile | undefined;
}

const NO_FLOW: ChartFlow = { study: undefined, vwaps: [], profile: undefined };

export function readChartFlow(context: Context, chart: CandleChart, plan: FlowPlan): ChartFlow {
  const { model } = context;
  const { study, vwap, isProfileShown } = model.choices;
  if (study === "volume" && vwap === "off" && !isProfileShown) return NO_FLOW;
  const { candles } = chart;
  const { tape } = context.data;
  const kept = getKept(context);
  const span = vwap === "off" && !isProfileShown ? "" : anchoredSpan(model);
  const fromMs = typeof span === "string" || vwap === "off" ? undefined : span.fromMs;
  const ends = [candles[0]?.openTimeMs, candles.at(-1)?.openTimeMs, candles.length];
  const of = [study, fromMs, plan.intervalMs, ...ends];
  const sums = model.keptViews.read("sums", { ...kept, of }, () => {
    const periods = getPeriods(chart, plan.intervalMs);
    return {
      study: study === "volume" ? undefined : selectStudy(tape, study, periods),
      vwaps: fromMs === undefined ? [] : selectVwaps(tape, fromMs, periods),
    };
  });
  const profile = typeof span === "string" ? undefined : getProfile(context, chart, plan, span);
  return { ...sums, profile };
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
export function paintStudy(
  context: PaintContext,
  chart: CandleChart,
  plan: FlowPlan,
  { study }: ChartFlow,
): void {
  const { inner, model } = context;
  if (plan.volumeRows === 0 || study === undefined) return;
  const isCvd = model.choices.study === "cvd";
  const { display } = model.parts.shown;
  const of = [study, plan.volumeRows, isCvd, model.scale, display];
  const { bars, axis } = model.keptViews.read("study", { ...getKept(context), of }, () => ({
    bars: (isCvd ? placeCvd : placeDeltas)(study, plan.volumeRows),
    axis: formatAxis(study, isCvd, model),
  }));
  const side = plan.pitch === 3 ? 1 : 0;
  const width = isCvd ? plan.pitch : side * 2 + 1;
  const top = plan.top + plan.rows;
  for (const [i, { column }] of chart.candles.entries()) {
    const bar = bars[i];
    if (bar !== undefined) paintBar(context, bar, { x: inner.x + column - side, top, width });
  }
  paintStudyAxis(context, axis, plan);
}

function paintStudyAxis(
  { surface, inner, theme }: PaintContext,
  axis: readonly string[],
  { top, rows, columns, volumeRows }: FlowPlan,
): void {
  const room = inner.width - columns - 1;
  for (const [i, text] of axis.slice(0, volumeRows).entries()) {
    if (text.length > room) continue;
    const y = top + rows + (i === 0 ? 0 : volumeRows - 1);
    surface.textRight(inner.x + inner.width, y, text, theme.dim);
  }
}

function paintBar(
  { surface, theme }: PaintContext,
  { from, until, isUp }: StudyBar,
  { x, top, width }: { readonly x: number; readonly top: number; readonly width: number },
): void {
  const look = isUp ? theme.up : theme.down;
  for (let row = from >> 1; row * 2 < until; row++) {
    const sign = halfSign(row * 2 >= from, row * 2 + 1 < until);
    surface.fill(x, top + row, width, 1, look, sign);
  }
}

/** Halves of rows that are filled, from the top. */
interface StudyBar {
  readonly from: number;
  readonly until: number;
  readonly isUp: boolean;
}

/** From the middle up what was bought more than sold, down what was sold more. */
function placeDeltas(study: Study, rows: number): readonly (StudyBar | undefined)[] {
  const most = getFarthest(study);
  return study.points.map(({ lots = 0n }) => {
    const halves = Math.ceil(countEighths(Math.abs(Number(lots)), Number(most), rows) / 8);
    if (halves === 0) return undefined;
    const isUp = lots > 0n;
    return isUp
      ? { from: rows - halves, until: rows, isUp }
      : { from: rows, until: rows + halves, isUp };
  });
}

function placeCvd(
  { points, most = 0n, least = 0n }: Study,
  rows: number,
): readonly (StudyBar | undefined)[] {
  const halves = BigInt(rows * 2 - 1);
  const span = most - least || 1n;
  return points.map(({ lots }, i) => {
    if (lots === undefined) return undefined;
    const from = Number(((most - lots) * halves * 2n + span) / (span * 2n));
    return { from, until: from + 1, isUp: lots >= (points[i - 1]?.lots ?? 0n) };
  });
}

/** The largest delta, without its sign. */
function getFarthest({ most = 0n, least = 0n }: Study): bigint {
  return most > -least ? most : -least;
}

function halfSign(hasUpper: boolean, hasLower: boolean): number {
  if (!hasUpper) return LOWER;
  return hasLower ? FULL : UPPER;
}

/** What the upper and the lower edge stand for; one where both are the same, none where nothing is known. */
function formatAxis(
  study: Study,
  isCvd: boolean,
  { parts, scale }: MarketModel,
): readonly string[] {
  const { most, least } = study;
  if (most === undefined || least === undefined) return [];
  const farthest = getFarthest(study);
  const edges = isCvd ? [most, least] : [farthest, -farthest];
  const shown = edges[0] === edges[1] ? edges.slice(0, 1) : edges;
  const { display } = parts.shown;
  return shown.map((lots) => withSign(display.compact(formatUnits(`${lots}`, scale?.lotSize))));
}

function selectVwaps(
  tape: TradesState,
  fromMs: number,
  periods: readonly FlowSpan[],
): readonly (Vwap | undefined)[] {
  const all = sinceAnchor(fromMs, periods);
  return selectVwapLine(tape, fromMs, all).slice(all.length - periods.length);
}

/** Behind the candles: a dotted line from the anchor on. */
export function paintVwap(
  context: PaintContext,
  chart: CandleChart,
  plan: FlowPlan,
  { vwaps }: ChartFlow,
): void {
  const { surface, inner, theme, model } = context;
  const { scale } = model;
  const { range } = chart;
  if (vwaps.length === 0 || scale === undefined || range === undefined) return;
  const of = [vwaps, scale, plan.rows, ...getEdges(range)];
  const places = model.keptViews.read("vwapRows", { ...getKept(context), of }, () =>
    vwaps.map((point) =>
      point === undefined ? -1 : rowOfPrice(roundVwap(point, scale), range, plan.rows),
    ),
  );
  for (const [i, { column }] of chart.candles.entries()) {
    const row = places[i] ?? -1;
    if (row < 0 || row >= plan.rows) continue;
    const left = inner.x + column - (plan.pitch === 3 ? 1 : 0);
    surface.fill(left, plan.top + row, plan.pitch, 1, theme.key, DOT);
  }
}

type Range = NonNullable<CandleChart["range"]>;

/** The same for the same range. */
function getEdges({ high, low, places, margin, group }: Range): readonly unknown[] {
  return [high, low, places, margin, group];
}

function getProfile(
  context: Context,
  { range }: CandleChart,
  plan: FlowPlan,
  span: FlowSpan,
): Profile | undefined {
  const { data, model } = context;
  const { scale } = model;
  if (plan.profileColumns === 0 || scale === undefined || range === undefined) return undefined;
  const grouping = getGrouping(range, plan.rows, scale);
  const of = [span.fromMs, grouping];
  const make = () => selectProfile(data.tape.flow, span, grouping);
  return model.keptViews.read("profile", { ...getKept(context), of }, make);
}

/** At the right edge of the plot: the value area full, the rest in shades, the point of control in a colour of its own. */
export function paintProfile(
  context: PaintContext,
  chart: CandleChart,
  plan: FlowPlan,
  { profile }: ChartFlow,
): void {
  const { surface, inner, theme, model } = context;
  const { scale } = model;
  const { range } = chart;
  if (profile?.valueArea === undefined || range === undefined || scale === undefined) return;
  const of = [profile, scale, plan.rows, plan.profileColumns, ...getEdges(range)];
  const bars = model.keptViews.read("profileBars", { ...getKept(context), of }, () =>
    placeProfile(profile, range, scale, plan),
  );
  const right = inner.x + plan.columns + plan.profileColumns;
  const looks = { control: theme.notice, inside: theme.volume, outside: theme.dim };
  for (const [row, { halves, isInside, place }] of bars.entries()) {
    const look = looks[place];
    const cells = halves >> 1;
    surface.fill(right - cells, plan.top + row, cells, 1, look, isInside ? FULL : SHADE);
    if (halves % 2 === 0) continue;
    surface.put(right - cells - 1, plan.top + row, isInside ? RIGHT_HALF : SHADE, look);
  }
}

interface ProfileBar {
  /** Halves of cells. */
  readonly halves: number;
  readonly isInside: boolean;
  readonly place: "control" | "inside" | "outside";
}

/** @param levels the lowest first */
function getLotsAt(levels: Profile["levels"], priceTicks: bigint): bigint {
  let [from, until] = [0, levels.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if ((levels[middle]?.priceTicks ?? 0n) < priceTicks) from = middle + 1;
    else until = middle;
  }
  const level = levels[from];
  return level?.priceTicks === priceTicks ? level.boughtLots + level.soldLots : 0n;
}

/** A bar for the group of prices in the middle of each row. */
function placeProfile(
  { levels, groupingTicks, pointOfControl, valueArea }: Profile,
  range: Range,
  scale: Scale,
  { rows: count, profileColumns }: FlowPlan,
): readonly ProfileBar[] {
  const rows = Array.from({ length: count }, (_, row) => {
    const ticks = lowestTicksAt(row, range, count, scale);
    const group = ticks - (ticks % groupingTicks);
    return { group, lots: getLotsAt(levels, group) };
  });
  const most = rows.reduce((all, row) => (row.lots > all ? row.lots : all), 1n);
  const { lowTicks = 0n, highTicks = -1n } = valueArea ?? {};
  return rows.map(({ group, lots: here }) => {
    const isInside = group >= lowTicks && group <= highTicks;
    return {
      halves: Math.ceil(countEighths(Number(here), Number(most), profileColumns - 1) / 4),
      isInside,
      place: group === pointOfControl ? "control" : isInside ? "inside" : "outside",
    };
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
  // Where all are of one time, it is said even where their names have no room.
  const sums = [...groups.values()].map(({ names, since }) => [
    ...since.map((words) => `${names.join(" ")} ${words}`),
    ...(groups.size === 1 ? since.map((words) => `sums ${words}`) : []),
  ]);
  return [...sums, ...reasons];
}

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

/** What was just asked for and has no room in the chart as it was painted last; empty where all has. */
export function findNoRoom(model: MarketModel, asked: Partial<ChartChoices>): string {
  const { flowChart, chart } = model.panes.candles.painted ?? {};
  const { study = "volume", isProfileShown = false } = asked;
  if (study !== "volume" && flowChart?.hasStudy === false) {
    return `${study === "cvd" ? "CVD" : "delta"}: no room below the candles`;
  }
  const hasNone = chart !== undefined && profileColumnsIn(model, chart.columns) === 0;
  return isProfileShown && model.scale !== undefined && hasNone
    ? "profile: no room beside the candles"
    : "";
}

const NO_SCALE = "no scale";

/** What the title has to know of a frame. */
export interface PaintedFlow {
  readonly hasStudy: boolean;
  readonly hasProfile: boolean;
  readonly obstacle: string | undefined;
}

type Figures = readonly (readonly [name: string, value: string])[];

/** Figures of the period at the crosshair, or of the newest one: each with its name. */
export function flowFigures(
  context: PaintContext,
  chart: CandleChart,
  openTimeMs: number,
  plan: FlowPlan,
  { vwaps, profile }: ChartFlow,
): Figures {
  const { model } = context;
  if (!isFlowShown(model.choices)) return [];
  const { scale, parts } = model;
  const { display } = parts.shown;
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

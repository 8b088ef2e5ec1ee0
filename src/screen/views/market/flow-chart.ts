// Order flow on the chart: delta bars or the cumulative delta below the candles, VWAP across them, lots by price at the
// right edge. What is unknown is not drawn; the title shows where sums start, and what is missing.
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
import type { PaintedChart, Plan } from "./candles.ts";
import {
  type CandleChart,
  getCapacity,
  getGrouping,
  lowestTicksAt,
  type PriceRange,
  rowOfPrice,
} from "./chart.ts";
import type { ChartChoices } from "./choices.ts";
import type { MarketData } from "./data.ts";
import {
  CHART_REFRESH_MS,
  type FlowContext,
  formatSince,
  formatTradeDelta,
  selectSign,
} from "./flow-views.ts";
import type { MarketModel } from "./model.ts";
import type { PaintContext } from "./panes.ts";

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

export function isFlowShown(choices: MarketModel["choices"]): boolean {
  const { study, isVwapShown, isProfileShown, isFootprint } = choices;
  return study !== "volume" || isVwapShown || isProfileShown || isFootprint;
}

/** Columns of the profile, including a gap before it; 0 if there is no room. */
export function profileColumnsIn(model: MarketModel, columns: number): number {
  if (!model.choices.isProfileShown || model.scale === undefined) return 0;
  const profileColumns = Math.min(
    MAX_PROFILE,
    Math.max(MIN_PROFILE, Math.floor(columns / PROFILE_SHARE)),
  );
  return columns - profileColumns - 1 < MIN_COLUMNS_BESIDE_PROFILE ? 0 : profileColumns + 1;
}

/** The UTC day up to now, or from the first known trades on; text if there are none. */
function daySpan(model: MarketModel): FlowSpan | string {
  const { serverNowMs: nowMs, tape } = model.data ?? {};
  const sinceMs = tape?.flow.sinceMs;
  if (nowMs === undefined || sinceMs === undefined) return "no trades yet";
  return { fromMs: Math.max(dayAnchor(nowMs), minuteAnchor(sinceMs)), untilMs: nowMs + 1 };
}

/** Adds the time from the anchor to the first period in front, so that sums begin at the anchor. */
function sinceAnchor(anchorMs: number, periods: readonly FlowSpan[]): readonly FlowSpan[] {
  const [first] = periods;
  if (first === undefined || first.fromMs <= anchorMs) return periods;
  return [{ fromMs: anchorMs, untilMs: first.fromMs }, ...periods];
}

interface Study {
  readonly points: readonly CvdPoint[];
  /** Undefined if nothing is known. */
  readonly least: bigint | undefined;
  readonly most: bigint | undefined;
}

/** The cumulative delta at the end of each period, or the delta of each. */
function selectStudy(tape: TradesState, isCvd: boolean, periods: readonly FlowSpan[]): Study {
  const points = isCvd ? selectSums(tape, periods) : selectDeltas(tape, periods);
  const all = points.flatMap(({ lots }) => lots ?? []).sort((a, b) => (a < b ? -1 : 1));
  return { points, least: all[0], most: all.at(-1) };
}

/** Order flow for one frame of the chart, ready to be painted; for each candle, or each row of the plot. */
export interface ChartFlow {
  readonly vwaps: readonly (Vwap | undefined)[];
  /** Rows of the plot; outside of it if there is nothing to paint. */
  readonly vwapRows: readonly number[];
  /** Lots by price since the anchor, in groups at least a row high; undefined if not shown. */
  readonly profile: Profile | undefined;
  readonly profileBars: readonly ProfileBar[];
  readonly studyBars: readonly (StudyBar | undefined)[];
  /** Labels of the top and bottom edge of the study. */
  readonly studyAxis: readonly string[];
}

const NO_FLOW: ChartFlow = {
  vwaps: [],
  vwapRows: [],
  profile: undefined,
  profileBars: [],
  studyBars: [],
  studyAxis: [],
};

export function readChartFlow(context: FlowContext, chart: CandleChart, plan: Plan): ChartFlow {
  const { model, data } = context;
  const { study, isVwapShown, isProfileShown } = model.choices;
  if (study === "volume" && !isVwapShown && !isProfileShown) return NO_FLOW;
  const { tape } = data;
  const { scale, flowCache } = model;
  const { candles, range } = chart;
  const span = isVwapShown || isProfileShown ? daySpan(model) : "";
  const anchorMs = typeof span === "string" ? undefined : span.fromMs;
  const hasProfile = plan.profileColumns > 0 && scale !== undefined && range !== undefined;
  const grouping = hasProfile ? getGrouping(range, plan.rows, scale) : undefined;
  const ends = [candles[0]?.openTimeMs, candles.at(-1)?.openTimeMs, candles.length];
  const of = [study, isVwapShown, anchorMs, grouping, plan.intervalMs, ...ends];
  const makeSums = () => {
    const periods = candles.map(({ openTimeMs: fromMs }) => {
      return { fromMs, untilMs: fromMs + plan.intervalMs };
    });
    const isVwap = isVwapShown && anchorMs !== undefined;
    const isProfile = typeof span !== "string" && grouping !== undefined;
    return {
      study: study === "volume" ? undefined : selectStudy(tape, study === "cvd", periods),
      vwaps: isVwap ? selectVwaps(tape, anchorMs, periods) : [],
      profile: isProfile ? selectProfile(tape.flow, span, grouping) : undefined,
    };
  };
  const sums = flowCache.read("sums", context, of, makeSums, CHART_REFRESH_MS);
  const { high, low, margin, group } = range ?? {};
  const edges = [high, low, range?.places, margin, group];
  const { rows, volumeRows, profileColumns } = plan;
  const { display } = model.parts.shown;
  const placed = [sums, scale, display, rows, volumeRows, profileColumns, ...edges];
  const makeFlow = () => ({
    ...sums,
    ...placeStudy(sums.study, volumeRows, model),
    ...(scale === undefined || range === undefined
      ? { vwapRows: [], profileBars: [] }
      : {
          vwapRows: sums.vwaps.map((point) =>
            point === undefined ? -1 : rowOfPrice(roundVwap(point, scale), range, rows),
          ),
          profileBars: placeProfile(sums.profile, range, scale, plan),
        }),
  });
  return flowCache.read("flow", context, placed, makeFlow, CHART_REFRESH_MS);
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

export function paintStudy(
  { surface, inner, theme, model }: PaintContext,
  chart: CandleChart,
  { pitch, top: plotTop, rows, volumeRows, columns }: Plan,
  { studyBars, studyAxis }: ChartFlow,
): void {
  const side = pitch === 3 ? 1 : 0;
  const width = model.choices.study === "cvd" ? pitch : side * 2 + 1;
  const top = plotTop + rows;
  for (const [i, { column }] of chart.candles.entries()) {
    const { from, until, isUp } = studyBars[i] ?? { from: 0, until: 0, isUp: true };
    const style = isUp ? theme.up : theme.down;
    for (let row = from >> 1; row * 2 < until; row++) {
      surface.fill(inner.x + column - side, top + row, width, 1, style, halfSign(row, from, until));
    }
  }
  const right = inner.x + inner.width;
  const fitting = (text: string | undefined) =>
    text !== undefined && text.length < inner.width - columns ? text : "";
  surface.textRight(right, top, fitting(studyAxis[0]), theme.dim);
  if (volumeRows > 1) {
    surface.textRight(right, top + volumeRows - 1, fitting(studyAxis[1]), theme.dim);
  }
}

/** Glyph of a row whose halves are filled in part. */
function halfSign(row: number, from: number, until: number): number {
  if (row * 2 < from) return LOWER;
  return row * 2 + 1 < until ? FULL : UPPER;
}

/** Filled halves of rows, from the top; `until` is exclusive. */
interface StudyBar {
  readonly from: number;
  readonly until: number;
  readonly isUp: boolean;
}

function placeStudy(
  study: Study | undefined,
  rows: number,
  { choices, parts, scale }: MarketModel,
) {
  if (study === undefined || rows === 0) return { studyBars: [], studyAxis: [] };
  const { most = 0n, least = 0n } = study;
  const isCvd = choices.study === "cvd";
  const farthest = most > -least ? most : -least;
  const [top, bottom] = isCvd ? [most, least] : [farthest, -farthest];
  const edges = study.most === undefined ? [] : top === bottom ? [top] : [top, bottom];
  const { display } = parts.shown;
  return {
    studyBars: isCvd ? placeCvd(study, rows) : placeDeltas(study, Number(farthest), rows),
    studyAxis: edges.map((lots) =>
      withSign(display.compact(formatUnits(`${lots}`, scale?.lotSize))),
    ),
  };
}

/** Up from the middle if more was bought, down if more was sold. */
function placeDeltas({ points }: Study, most: number, rows: number): ChartFlow["studyBars"] {
  return points.map(({ lots = 0n }) => {
    const halves = Math.ceil(countEighths(Math.abs(Number(lots)), most, rows) / 8);
    if (halves === 0) return undefined;
    const isUp = lots > 0n;
    return isUp
      ? { from: rows - halves, until: rows, isUp }
      : { from: rows, until: rows + halves, isUp };
  });
}

function placeCvd({ points, most = 0n, least = 0n }: Study, rows: number): ChartFlow["studyBars"] {
  const halves = BigInt(rows * 2 - 1);
  const span = most - least || 1n;
  return points.map(({ lots }, i) => {
    if (lots === undefined) return undefined;
    const from = Number(((most - lots) * halves * 2n + span) / (span * 2n));
    return { from, until: from + 1, isUp: lots >= (points[i - 1]?.lots ?? 0n) };
  });
}

function selectVwaps(
  tape: TradesState,
  fromMs: number,
  periods: readonly FlowSpan[],
): readonly (Vwap | undefined)[] {
  const all = sinceAnchor(fromMs, periods);
  return selectVwapLine(tape, fromMs, all).slice(all.length - periods.length);
}

/** A dotted line behind the candles, from the anchor on. */
export function paintVwap(
  { surface, inner, theme }: PaintContext,
  chart: CandleChart,
  plan: Plan,
  { vwapRows }: ChartFlow,
): void {
  for (const [i, { column }] of chart.candles.entries()) {
    const row = vwapRows[i] ?? -1;
    if (row < 0 || row >= plan.rows) continue;
    const left = inner.x + column - (plan.pitch === 3 ? 1 : 0);
    surface.fill(left, plan.top + row, plan.pitch, 1, theme.key, DOT);
  }
}

/** At the right edge of the plot: the value area solid, the rest shaded, the point of control in its own colour. */
export function paintProfile(
  { surface, inner, theme }: PaintContext,
  plan: Plan,
  { profileBars }: ChartFlow,
): void {
  const right = inner.x + plan.columns + plan.profileColumns;
  const styles = { control: theme.notice, inside: theme.volume, outside: theme.dim };
  for (const [row, { halves, isInside, place }] of profileBars.entries()) {
    const style = styles[place];
    const cells = halves >> 1;
    surface.fill(right - cells, plan.top + row, cells, 1, style, isInside ? FULL : SHADE);
    if (halves % 2 === 0) continue;
    surface.put(right - cells - 1, plan.top + row, isInside ? RIGHT_HALF : SHADE, style);
  }
}

interface ProfileBar {
  readonly halves: number;
  readonly isInside: boolean;
  readonly place: "control" | "inside" | "outside";
}

function placeProfile(
  profile: Profile | undefined,
  range: PriceRange,
  scale: Scale,
  { rows: count, profileColumns }: Plan,
): readonly ProfileBar[] {
  if (profile?.valueArea === undefined) return [];
  const { levels, groupingTicks, pointOfControl, valueArea } = profile;
  const lots = new Map(
    levels.map(({ priceTicks, boughtLots, soldLots }) => [priceTicks, boughtLots + soldLots]),
  );
  const rows = Array.from({ length: count }, (_, row) => {
    const ticks = lowestTicksAt(row, range, count, scale);
    const group = ticks - (ticks % groupingTicks);
    return { group, lots: lots.get(group) ?? 0n };
  });
  const most = rows.reduce((all, row) => (row.lots > all ? row.lots : all), 1n);
  return rows.map(({ group, lots: here }) => {
    const isInside = group >= valueArea.lowTicks && group <= valueArea.highTicks;
    return {
      halves: Math.ceil(countEighths(Number(here), Number(most), profileColumns - 1) / 4),
      isInside,
      place: group === pointOfControl ? "control" : isInside ? "inside" : "outside",
    };
  });
}

/** Order flow shown on the chart, with the time that it covers; names that share a time are grouped. */
export function flowTitles(model: MarketModel): readonly TitlePart[] {
  const { data, choices, parts, panes, scale } = model;
  if (data === undefined || !isFlowShown(choices)) return [];
  const { volumeRows, profileColumns, obstacle, newestMs, columns, pitch } =
    panes.candles.painted?.chart ?? {};
  const painted = [volumeRows, profileColumns, obstacle, newestMs, columns, pitch];
  const nowMinute = minuteAnchor(data.serverNowMs ?? 0);
  const of = [choices, ...painted, scale, parts.shown.display, nowMinute];
  // No frame is requested: the pane has its own while trades arrive.
  const context = { data, model, repaintAfter: () => {} };
  const make = () => formatTitles(data, model);
  return model.flowCache.read("titles", context, of, make, CHART_REFRESH_MS);
}

function formatTitles(data: MarketData, model: MarketModel): readonly TitlePart[] {
  const all = [...listPeriodSums(model), ...listDaySums(model)];
  const reasons = all.flatMap(([name, of]) => (typeof of === "string" ? `${name}: ${of}` : []));
  const groups = new Map<string, { readonly names: string[]; readonly since: readonly string[] }>();
  for (const [name, span] of all) {
    if (typeof span === "string") continue;
    const since = formatSince(data.tape, { span }, model.parts.shown.display);
    const key = since.join();
    const group = groups.get(key) ?? { names: [], since };
    group.names.push(name);
    groups.set(key, group);
  }
  // If all share a time, it is shown even without room for the names.
  const sums = [...groups.values()].map(({ names, since }) => [
    ...since.map((words) => `${names.join(" ")} ${words}`),
    ...(groups.size === 1 ? since.map((words) => `sums ${words}`) : []),
  ]);
  return [...sums, ...reasons];
}

function shownSpan(plan: PaintedChart): FlowSpan {
  const untilMs = plan.newestMs + plan.intervalMs;
  return { fromMs: untilMs - getCapacity(plan) * plan.intervalMs, untilMs };
}

/** What is shown, with the time that its sums cover, or why it is not shown. */
type Shown = readonly (readonly [name: string, of: FlowSpan | string])[];

function listPeriodSums({ choices, panes }: MarketModel): Shown {
  const { study, isFootprint } = choices;
  const { chart } = panes.candles.painted ?? {};
  if (chart === undefined) return [];
  return [
    ...(isFootprint ? [["footprint", chart.obstacle ?? shownSpan(chart)] as const] : []),
    ...(study === "volume" ? [] : [[STUDY_NAMES[study], studySpan(study, chart)] as const]),
  ];
}

function listDaySums(model: MarketModel): Shown {
  const { isVwapShown, isProfileShown } = model.choices;
  const { chart } = model.panes.candles.painted ?? {};
  const day = model.scale === undefined ? NO_SCALE : daySpan(model);
  const hasRoom = model.scale === undefined || chart?.profileColumns !== 0;
  return [
    ...(isVwapShown ? [["VWAP", day] as const] : []),
    ...(isProfileShown ? [["profile", hasRoom ? day : "no room"] as const] : []),
  ];
}

const STUDY_NAMES = { delta: "delta", cvd: "CVD" } as const;

function studySpan(study: keyof typeof STUDY_NAMES, chart: PaintedChart): FlowSpan | string {
  if (chart.volumeRows === 0) return "no room";
  const span = shownSpan(chart);
  return study === "cvd" ? { ...span, fromMs: dayAnchor(chart.newestMs) } : span;
}

/** Notice for a choice that had no room in the last frame of the chart; else empty. */
export function findNoRoom(model: MarketModel, change: Partial<ChartChoices>): string {
  const { chart } = model.panes.candles.painted ?? {};
  const { study = "volume", isProfileShown = false } = change;
  if (study !== "volume" && chart?.volumeRows === 0) {
    return `${STUDY_NAMES[study]}: no room below the candles`;
  }
  const hasNone = chart !== undefined && profileColumnsIn(model, chart.columns) === 0;
  return isProfileShown && model.scale !== undefined && hasNone
    ? "profile: no room beside the candles"
    : "";
}

const NO_SCALE = "no scale";

/** Figures of the period at the crosshair, or of the newest one, each with its name. */
export function flowFigures(
  context: FlowContext,
  chart: CandleChart,
  openTimeMs: number,
  plan: Plan,
  flow: ChartFlow,
): readonly (readonly [name: string, value: string])[] {
  const { data, model } = context;
  if (!isFlowShown(model.choices)) return [];
  const { scale, parts, choices } = model;
  const { display } = parts.shown;
  const of = [openTimeMs, choices.study, flow, scale, display, plan.intervalMs];
  const make = () => {
    const vwap = flow.vwaps[chart.candles.findIndex((each) => each.openTimeMs === openTimeMs)];
    const control = flow.profile?.pointOfControl;
    const span = { fromMs: openTimeMs, untilMs: openTimeMs + plan.intervalMs };
    const hasDelta = choices.study !== "volume";
    const figures = {
      Δ: hasDelta ? formatTradeDelta(data.tape, span, { scale, display }) : undefined,
      VWAP: vwap && scale && display.number(formatDecimal(roundVwap(vwap, scale))),
      POC:
        control === undefined
          ? undefined
          : display.number(formatUnits(`${control}`, scale?.tickSize)),
    };
    return Object.entries(figures).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    );
  };
  return model.flowCache.read("figures", context, of, make, CHART_REFRESH_MS);
}

// The chart as a footprint: size bought and sold in each candle, by groups of prices.

const TIMES = "×";
/** Columns of a figure: the minimum, and the maximum for any lot size. */
const MIN_FIGURE = 6;
const MAX_FIGURE = 10;

/** Columns from one candle to the next, or text if there is no footprint. */
export function footprintPitch(model: MarketModel, columns: number): number | string {
  if (model.scale === undefined) return NO_SCALE;
  if (model.choices.source === "mark") return "mark prices have no trades";
  const pitch = figureWidth(model.scale) * 2 + 3;
  return columns < pitch ? "no room" : pitch;
}

/** A size below 1 has no more digits than a lot. */
function figureWidth({ lotSize }: Scale): number {
  return Math.min(MAX_FIGURE, Math.max(MIN_FIGURE, lotSize.places + 2));
}

/** Bought × sold beside each candle; nothing beside one with missing trades. @returns what was painted */
export function paintFootprint(
  context: PaintContext,
  chart: CandleChart,
  plan: Plan,
): readonly { readonly x: number; readonly row: number }[] {
  const { surface, inner, theme, data, model } = context;
  const { scale } = model;
  const { range, candles } = chart;
  if (scale === undefined || range === undefined) return [];
  const { display } = model.parts.shown;
  const { tape } = data;
  const width = figureWidth(scale);
  const formatLots = (lots: bigint) => {
    const text = lots === 0n ? "0" : display.compact(formatUnits(`${lots}`, scale.lotSize));
    return text.length > width ? "…" : text;
  };
  const grouping = getGrouping(range, plan.rows, scale);
  const of = [range.high, grouping, plan.newestMs, plan.intervalMs, plan.columns, display];
  const all = model.flowCache.read("footprint", context, of, () =>
    candles.flatMap(({ openTimeMs: fromMs, column }) => {
      const span = { fromMs, untilMs: fromMs + plan.intervalMs };
      if (selectSign(tape, span, false) !== "") return [];
      const { levels, pointOfControl } = selectProfile(tape.flow, span, grouping);
      return levels.map(({ priceTicks, boughtLots, soldLots }) => {
        const { mantissa, places } = scale.tickSize;
        return {
          x: column,
          row: rowOfPrice({ mantissa: priceTicks * mantissa, places }, range, plan.rows),
          bought: formatLots(boughtLots),
          sold: formatLots(soldLots),
          isMost: priceTicks === pointOfControl,
        };
      });
    }),
  );
  const cells = all.filter(({ row }) => row >= 0 && row < plan.rows);
  for (const { x, row, bought, sold, isMost } of cells) {
    const middle = inner.x + x + 1 + width;
    const y = plan.top + row;
    surface.textRight(middle, y, bought, isMost ? theme.bidStrong : theme.bid);
    surface.text(middle, y, TIMES, theme.dim);
    surface.text(middle + 1, y, sold, isMost ? theme.askStrong : theme.ask);
  }
  return cells;
}

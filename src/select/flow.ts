// Order flow: views of what traded where (`state/flow.ts`), each a pure function of the tape. Sums are exact; none includes
// what lies in an open hole. Times are those of the service.

import type { FlowMinute, FlowState, FlowStep, FlowSums } from "../state/flow.ts";
import type { TradesState } from "../state/trades.ts";
import { type Decimal, divideHalfEven } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import {
  DAY_MS,
  formatSpan,
  MINUTE_MS,
  msOfNs,
  NS_PER_MS,
  nsOfMs,
  SECOND_MS,
} from "../units/time.ts";
import { addWhole, roundDownWhole, toWhole, type Whole, WholeSum } from "../units/whole.ts";
import { getStep } from "./orderbook.ts";

const VALUE_AREA_PERCENT = 70n;
/** Windows of the trade rate, and of the average that it is compared with. */
const RATE_SECONDS = 10;
const AVERAGE_SECONDS = 900;

/** From one moment until another, exclusive; Unix milliseconds. */
export interface FlowSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A span in which trades were lost, both ends exclusive. */
export interface FlowHole {
  readonly afterNs: bigint;
  readonly untilNs: bigint;
  /** True once the missed trades have become known. */
  readonly isHealed: boolean;
  /** The first moment of all, of which only a part may have been received: nothing was lost there. */
  readonly isFirstMoment: boolean;
}

/** An average price as an exact fraction, in ticks. */
export interface Vwap {
  /** Sum of price times size, in ticks times lots. */
  readonly numerator: bigint;
  /** Sum of sizes in lots; positive. */
  readonly denominator: bigint;
}

/** What traded at a price, or at a group of prices. */
export interface ProfileLevel {
  /** The lowest price of the group. */
  readonly priceTicks: bigint;
  readonly boughtLots: bigint;
  readonly soldLots: bigint;
  readonly trades: number;
}

export interface Profile {
  /** Prices per level, in ticks: as requested, or more if only coarser groups are held. */
  readonly groupingTicks: bigint;
  /** By price, lowest first; only levels at which something traded. */
  readonly levels: readonly ProfileLevel[];
  /** The level with the most lots, the lowest of several; undefined if no lots traded. */
  readonly pointOfControl: bigint | undefined;
  /** Levels around it that hold at least 70 % of all lots; undefined if no lots traded. */
  readonly valueArea: { readonly lowTicks: bigint; readonly highTicks: bigint } | undefined;
}

export interface WindowCoverage {
  /** Fraction of the window that is covered, 0 to 1: below 1 it is still filling. */
  readonly reached: number;
  readonly healed: number;
  readonly open: number;
  /** Milliseconds of the window in open holes. */
  readonly openMs: number;
}

/**
 * The time that sums cover, Unix milliseconds, both ends inclusive, and how much of it is known; undefined before the first
 * update, `untilMs` before the first trade. Holes are oldest first.
 */
export function selectFlowCoverage(tape: TradesState) {
  const { sinceMs, newestNs } = tape.flow;
  if (sinceMs === undefined) return undefined;
  const untilMs = newestNs === undefined ? undefined : msOfNs(newestNs);
  const endMs = untilMs === undefined || untilMs < sinceMs ? sinceMs : untilMs;
  const span = { fromMs: sinceMs, untilMs: endMs };
  const holes = selectFlowHoles(tape);
  const spanNs = (BigInt(span.untilMs) - BigInt(span.fromMs)) * NS_PER_MS;
  const knownNs = spanNs - openNs(holes, span);
  return { sinceMs, untilMs, knownMs: Number(knownNs / NS_PER_MS), holes };
}

/** What was lost since the start of the sums, oldest first. */
export function selectFlowHoles(tape: TradesState): readonly FlowHole[] {
  const sinceNs = BigInt(nsOfMs(tape.flow.sinceMs ?? 0));
  // The moment at an edge may be incomplete, so it is part of an open hole.
  const open = tape.uncertain.map(({ afterNs, untilNs, isFirstMoment }) => ({
    afterNs: BigInt(afterNs) - 1n,
    untilNs: BigInt(untilNs) + 1n,
    isHealed: false,
    isFirstMoment,
  }));
  const healed = tape.healed.map(({ afterNs, untilNs }) => ({
    afterNs: BigInt(afterNs),
    untilNs: BigInt(untilNs),
    isHealed: true,
    isFirstMoment: false,
  }));
  return [...open, ...healed]
    .filter(({ untilNs }) => untilNs > sinceNs)
    .sort((a, b) => (a.afterNs < b.afterNs ? -1 : a.afterNs > b.afterNs ? 1 : 0));
}

/** Holes whose trades are still unknown. */
function openHoles(tape: TradesState): readonly FlowHole[] {
  return selectFlowHoles(tape).filter(({ isHealed, isFirstMoment }) => !isHealed && !isFirstMoment);
}

function touches({ afterNs, untilNs }: FlowHole, { fromMs, untilMs }: FlowSpan): boolean {
  return untilNs > BigInt(fromMs) * NS_PER_MS && afterNs + 1n < BigInt(untilMs) * NS_PER_MS;
}

/** Nanoseconds of a span that lie in open holes. @param holes oldest first */
function openNs(holes: readonly FlowHole[], { fromMs, untilMs }: FlowSpan): bigint {
  const endNs = BigInt(untilMs) * NS_PER_MS;
  let atNs = BigInt(fromMs) * NS_PER_MS;
  let sum = 0n;
  for (const { afterNs, untilNs, isHealed } of holes) {
    if (isHealed) continue;
    const from = afterNs > atNs ? afterNs : atNs;
    const until = untilNs < endNs ? untilNs : endNs;
    if (until <= from) continue;
    sum += until - from;
    atNs = until;
  }
  return sum;
}

export function selectWindowCoverage(tape: TradesState, span: FlowSpan): WindowCoverage {
  const { sinceMs = span.untilMs } = tape.flow;
  const lengthMs = Math.max(1, span.untilMs - span.fromMs);
  const missingMs = Math.min(lengthMs, Math.max(0, sinceMs - span.fromMs));
  const whole = { fromMs: Math.trunc(span.fromMs), untilMs: Math.trunc(span.untilMs) };
  const holes = selectFlowHoles(tape).filter((each) => !each.isFirstMoment && touches(each, whole));
  return {
    reached: (lengthMs - missingMs) / lengthMs,
    healed: holes.filter(({ isHealed }) => isHealed).length,
    open: holes.filter(({ isHealed }) => !isHealed).length,
    openMs: Number(openNs(holes, whole) / NS_PER_MS),
  };
}

export const formatHoles = (open: number): string => `${open} ${open === 1 ? "hole" : "holes"}`;

/** `2 healed, 1 hole 0.8 s, 12% covered`; empty if nothing was lost and the whole window is covered. */
export function formatWindowCoverage({ reached, healed, open, openMs }: WindowCoverage): string {
  const words = [
    ...(healed > 0 ? [`${healed} healed`] : []),
    ...(open > 0 ? [`${formatHoles(open)} ${formatSpan(openMs)}`] : []),
    ...(reached < 1 ? [`${Math.floor(reached * 100)}% covered`] : []),
  ];
  return words.join(", ");
}

/** Sign of a number whose window has an open hole: unsigned sums are lower bounds, others may be off either way. */
export function holeSign({ open, reached }: WindowCoverage, isSigned: boolean): "" | "≥" | "±" {
  if (open === 0 && reached >= 1) return "";
  return isSigned ? "±" : "≥";
}

/** Sums of spans before the newest minute are cached: among the periods of a chart, only the newest one changes. */
const rememberedSpans = new WeakMap<FlowState, { version: number; spans: Map<string, SpanSums> }>();
const MAX_REMEMBERED_SPANS = 1000;

type SpanSums = ReturnType<typeof addSums>;

function sumMinutes(flow: FlowState, span: FlowSpan): SpanSums {
  const newestMs = flow.minutes.at(-1)?.openMs ?? Number.NEGATIVE_INFINITY;
  if (span.untilMs > newestMs) return addSums(selectMinutes(flow, span));
  let known = rememberedSpans.get(flow);
  if (known?.version !== flow.pastVersion || known.spans.size > MAX_REMEMBERED_SPANS) {
    known = { version: flow.pastVersion, spans: new Map() };
    rememberedSpans.set(flow, known);
  }
  const name = `${span.fromMs}/${span.untilMs}`;
  const sums = known.spans.get(name) ?? addSums(selectMinutes(flow, span));
  known.spans.set(name, sums);
  return sums;
}

/** `value` is in ticks times lots. */
function addSums(parts: Iterable<FlowSums & { readonly value?: Whole }>) {
  const [bought, sold, values] = [new WholeSum(), new WholeSum(), new WholeSum()];
  let trades = 0;
  for (const each of parts) {
    bought.add(each.bought);
    sold.add(each.sold);
    values.add(each.value ?? 0);
    trades += each.trades;
  }
  return { bought: bought.total, sold: sold.total, value: values.total, trades };
}

/**
 * Sums of a span. Exact if its ends are whole minutes, or whole seconds within the last hour; else the sums of the minutes
 * that begin in it.
 */
export function selectTradeDelta(flow: FlowState, span: FlowSpan) {
  const isOfMinutes = span.fromMs % MINUTE_MS === 0 && span.untilMs % MINUTE_MS === 0;
  const sums = isOfMinutes ? sumMinutes(flow, span) : addSums(selectParts(flow, span));
  const { bought: boughtLots, sold: soldLots, trades } = sums;
  return { boughtLots, soldLots, deltaLots: boughtLots - soldLots, trades };
}

/** Whole minutes of a span, and seconds of the minutes that its ends cut. */
function* selectParts(flow: FlowState, { fromMs, untilMs }: FlowSpan): Generator<FlowSums> {
  const from = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
  for (const minute of selectMinutes(flow, { fromMs: from, untilMs })) {
    const { openMs, seconds } = minute;
    const isWhole = openMs >= fromMs && openMs + MINUTE_MS <= untilMs;
    if (isWhole || (seconds === undefined && openMs >= fromMs)) yield minute;
    else if (seconds !== undefined) {
      yield* seconds.filter(
        ({ second }) => second * SECOND_MS >= fromMs && second * SECOND_MS < untilMs,
      );
    }
  }
}

/** Minutes with trades that begin in a span, oldest first. */
function selectMinutes(
  { minutes }: FlowState,
  { fromMs, untilMs }: FlowSpan,
): readonly FlowMinute[] {
  let low = 0;
  let high = minutes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((minutes[middle]?.openMs ?? 0) < fromMs) low = middle + 1;
    else high = middle;
  }
  const found = minutes.slice(low);
  const end = found.findIndex(({ openMs }) => openMs >= untilMs);
  return end < 0 ? found : found.slice(0, end);
}

export const WHOLE_FLOW: FlowSpan = {
  fromMs: Number.NEGATIVE_INFINITY,
  untilMs: Number.POSITIVE_INFINITY,
};

export function dayAnchor(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Anchors are whole minutes: the one that contains the moment. */
export function minuteAnchor(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

/** The average price since an anchor, a whole minute. Undefined if no lots traded. */
export function selectVwap(flow: FlowState, span: FlowSpan = WHOLE_FLOW): Vwap | undefined {
  const { value: numerator, bought, sold } = sumMinutes(flow, span);
  const denominator = bought + sold;
  return denominator === 0n ? undefined : { numerator, denominator };
}

/** The price as shown: with the decimals of the tick, rounded half to even. */
export function roundVwap({ numerator, denominator }: Vwap, { tickSize }: Scale): Decimal {
  const { mantissa, places } = tickSize;
  return { ...divideHalfEven(numerator * mantissa, denominator, 0), places };
}

/** The average price at the end of each period; undefined before the first trade, and from the first open hole on. */
export function selectVwapLine(
  tape: TradesState,
  anchorMs: number,
  periods: readonly FlowSpan[],
): readonly (Vwap | undefined)[] {
  const open = openHoles(tape);
  const { sinceMs } = tape.flow;
  // The minute in which the sums begin counts from there on.
  if (sinceMs === undefined || minuteAnchor(sinceMs) > anchorMs)
    return periods.map(() => undefined);
  let [numerator, denominator] = [0n, 0n];
  let doneMs = anchorMs;
  return periods.map(({ untilMs }) => {
    if (untilMs <= anchorMs) return undefined;
    if (open.some((hole) => touches(hole, { fromMs: anchorMs, untilMs }))) return undefined;
    const more = selectVwap(tape.flow, { fromMs: doneMs, untilMs });
    doneMs = Math.max(doneMs, untilMs);
    numerator += more?.numerator ?? 0n;
    denominator += more?.denominator ?? 0n;
    return denominator === 0n ? undefined : { numerator, denominator };
  });
}

export interface CvdPoint {
  /** Lots; undefined for a period that is not known in full. */
  readonly lots: bigint | undefined;
  /** True where the sum restarts: right after a period that is not known. */
  readonly isRestart: boolean;
}

/**
 * The running sum of deltas since an anchor, by period; interrupted, never bridged, where a period has an open hole or is
 * not covered: after that it restarts at 0.
 * @param periods oldest first, of whole minutes
 */
export function selectCvd(
  tape: TradesState,
  anchorMs: number,
  periods: readonly FlowSpan[],
): readonly CvdPoint[] {
  const open = openHoles(tape);
  const { sinceMs = Number.POSITIVE_INFINITY } = tape.flow;
  let sum: bigint | undefined;
  return periods.map(({ fromMs, untilMs }) => {
    const isBefore = untilMs <= Math.max(anchorMs, sinceMs);
    // The period in which the sums begin counts from there on.
    if (isBefore || open.some((hole) => touches(hole, { fromMs, untilMs }))) {
      sum = undefined;
      return { lots: undefined, isRestart: false };
    }
    const isRestart = sum === undefined;
    const span = { fromMs: Math.max(fromMs, anchorMs), untilMs };
    sum = (sum ?? 0n) + selectTradeDelta(tape.flow, span).deltaLots;
    return { lots: sum, isRestart };
  });
}

/**
 * Lots by price, in groups of this many ticks, over minutes that begin in the span; for a candle, this is the footprint.
 * @param groupingTicks positive
 */
export function selectProfile(
  flow: FlowState,
  span: FlowSpan = WHOLE_FLOW,
  groupingTicks = 1n,
): Profile {
  const minutes = selectMinutes(flow, span);
  const coarsest = minutes.reduce((most, { grouping }) => (grouping > most ? grouping : most), 1n);
  const grouping = commonMultiple(groupingTicks, coarsest);
  const sums = sumGroups(flow, span, grouping);
  const levels = [...sums.values()].sort((a, b) => (a.price < b.price ? -1 : 1)).map(toLevel);
  const best = levels.reduce<number>((at, level, i) => {
    const most = levels[at];
    return most === undefined || getLots(level) > getLots(most) ? i : at;
  }, -1);
  const control = levels[best];
  if (control === undefined || getLots(control) === 0n) {
    return { groupingTicks: grouping, levels, pointOfControl: undefined, valueArea: undefined };
  }
  const [low, high] = growArea(levels, best);
  return {
    groupingTicks: grouping,
    levels,
    pointOfControl: control.priceTicks,
    valueArea: {
      lowTicks: levels[low]?.priceTicks ?? control.priceTicks,
      highTicks: levels[high]?.priceTicks ?? control.priceTicks,
    },
  };
}

interface CellSum {
  /** Price in ticks; the lowest of a group. */
  readonly price: Whole;
  bought: Whole;
  sold: Whole;
  trades: number;
}

type Sums = Map<Whole, CellSum>;

type Cell = Readonly<CellSum>;

function addTo(sums: Sums, price: Whole, { bought, sold, trades }: Cell): void {
  const sum = sums.get(price);
  if (sum === undefined) {
    sums.set(price, { price, bought, sold, trades });
    return;
  }
  sum.bought = addWhole(sum.bought, bought);
  sum.sold = addWhole(sum.sold, sold);
  sum.trades += trades;
  if (sum.trades === 0) sums.delete(price);
}

/** How a view accumulates cells; a cell with negative figures is subtracted. */
interface CellFold<T> {
  readonly make: () => T;
  readonly add: (value: T, cell: Cell) => void;
}

/** What was accumulated over all cells of a span, and is updated with each trade. */
interface CellView {
  of: unknown;
  span: FlowSpan;
  stepTotal: number;
  readonly value: unknown;
}

const cellViews = new WeakMap<FlowState, Map<string, CellView>>();
/** Number of cached views of one flow: each candle of a footprint is one. */
const MAX_VIEWS = 48;
const NEVER = -1;

/**
 * The result of a view for a span: derived from its previous result if possible, which is changed in place.
 * @param name of the view @param of what it depends on besides the cells
 */
function readCells<T>(
  flow: FlowState,
  span: FlowSpan,
  { name, of, fold }: { readonly name: string; readonly of: unknown; readonly fold: CellFold<T> },
): T {
  const views = cellViews.get(flow) ?? new Map<string, CellView>();
  cellViews.set(flow, views);
  const known = views.get(name);
  const stepTotal = known === undefined || known.of !== of ? NEVER : known.stepTotal;
  const steps = flow.stepsSince(stepTotal);
  views.delete(name);
  if (known !== undefined && steps !== undefined) {
    const value = known.value as T;
    takeSteps(value, known.span, steps, fold);
    move(value, flow, [known.span, span], fold);
    views.set(name, { of, span, stepTotal: flow.stepTotal, value });
    return value;
  }
  const value = fold.make();
  addMinutes(value, selectMinutes(flow, span), fold);
  views.set(name, { of, span, stepTotal: flow.stepTotal, value });
  const [oldest] = views.keys();
  if (views.size > MAX_VIEWS && oldest !== undefined) views.delete(oldest);
  return value;
}

function takeSteps<T>(
  value: T,
  { fromMs, untilMs }: FlowSpan,
  steps: readonly FlowStep[],
  { add }: CellFold<T>,
): void {
  for (const { openMs, price, isBought, lots, sign } of steps) {
    if (openMs < fromMs || openMs >= untilMs) continue;
    const [bought, sold] = isBought ? [lots, 0] : [0, lots];
    add(value, { price, bought, sold, trades: sign });
  }
}

/** Moves both ends of the span, forwards or back. */
function move<T>(
  value: T,
  flow: FlowState,
  [before, after]: readonly [FlowSpan, FlowSpan],
  fold: CellFold<T>,
): void {
  const takeOut: CellFold<T> = {
    ...fold,
    add: (to, { price, bought, sold, trades }) =>
      fold.add(to, { price, bought: -bought, sold: -sold, trades: -trades }),
  };
  const between = (fromMs: number, untilMs: number) => selectMinutes(flow, { fromMs, untilMs });
  addMinutes(value, between(before.fromMs, after.fromMs), takeOut);
  addMinutes(value, between(after.fromMs, before.fromMs), fold);
  addMinutes(value, between(before.untilMs, after.untilMs), fold);
  addMinutes(value, between(after.untilMs, before.untilMs), takeOut);
}

function addMinutes<T>(value: T, minutes: readonly FlowMinute[], { add }: CellFold<T>): void {
  for (const { cells } of minutes) for (const cell of cells.values()) add(value, cell);
}

function sumGroups(flow: FlowState, span: FlowSpan, groupingTicks: bigint): Sums {
  const grouping = toWhole(groupingTicks);
  const fold: CellFold<Sums> = {
    make: () => new Map(),
    add: (sums, cell) => addTo(sums, roundDownWhole(cell.price, grouping), cell),
  };
  const name = `groups/${grouping}/${span.fromMs}`;
  return readCells(flow, span, { name, of: undefined, fold });
}

function toLevel({ price, bought, sold, trades }: Cell): ProfileLevel {
  return {
    priceTicks: BigInt(price),
    boughtLots: BigInt(bought),
    soldLots: BigInt(sold),
    trades,
  };
}

function getLots({ boughtLots, soldLots }: ProfileLevel): bigint {
  return boughtLots + soldLots;
}

function commonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

/**
 * Indices of the lowest and highest level of the value area, which grows by the larger neighbour, or by the lower one if
 * they are equal.
 */
function growArea(levels: readonly ProfileLevel[], from: number): readonly [number, number] {
  const total = levels.reduce((sum, level) => sum + getLots(level), 0n);
  const lotsAt = (i: number) => {
    const level = levels[i];
    return level === undefined ? -1n : getLots(level);
  };
  let [low, high] = [from, from];
  let held = lotsAt(from);
  while (held * 100n < total * VALUE_AREA_PERCENT) {
    const [below, above] = [lotsAt(low - 1), lotsAt(high + 1)];
    if (below >= above) {
      low--;
      held += below;
    } else {
      high++;
      held += above;
    }
  }
  return [low, high];
}

export type TradedAtRow = Pick<ProfileLevel, "boughtLots" | "soldLots">;

export interface TradedAtLevels {
  /** At a row, by its price in ticks: prices are grouped like those on that side of the book. */
  at(side: "bid" | "ask", rowTicks: bigint): TradedAtRow;
  /**
   * The part of `at`, in the row at the best price of one side, that belongs to the row at that of the other. Where their
   * steps overlap, prices up to the best bid are the bid's, and prices from the best ask on the ask's; at prices in
   * between, which both rows contain, what was sold is the bid's and what was bought the ask's, as it was taken from that
   * side.
   */
  across(best: { readonly bid: bigint | undefined; readonly ask: bigint | undefined }): {
    readonly bid: TradedAtRow;
    readonly ask: TradedAtRow;
  };
}

/** Lots bought and sold at the rows of a ladder, in minutes that begin at a time or later. */
export function selectTradedAtLevels(
  flow: FlowState,
  fromMs: number,
  grouping = 1n,
): TradedAtLevels {
  const steps = sumSteps(flow, fromMs, grouping);
  const rowOf = (step: bigint, isHere: IsHere): TradedAtRow =>
    sumWhere(steps.get(toWhole(step)), isHere);
  const bidRow = (row: bigint) => rowOf(row, isAny);
  const askRow = (row: bigint) => {
    const below = rowOf(row - grouping, (price) => price > row - grouping);
    const exact = rowOf(row, (price) => BigInt(price) === row);
    return {
      boughtLots: below.boughtLots + exact.boughtLots,
      soldLots: below.soldLots + exact.soldLots,
    };
  };
  return {
    at: (side, row) => (side === "bid" || grouping === 1n ? bidRow(row) : askRow(row)),
    across({ bid, ask }) {
      if (grouping === 1n || bid === undefined || ask === undefined || bid >= ask) {
        return { bid: NOTHING_TRADED, ask: NOTHING_TRADED };
      }
      const step = getStep(bid, grouping, "bid");
      const above = getStep(ask, grouping, "ask") - grouping;
      return {
        bid: {
          boughtLots: rowOf(step, (price) => price > above && price > bid).boughtLots,
          soldLots: rowOf(step, (price) => price > above && price >= ask).soldLots,
        },
        ask: {
          boughtLots: rowOf(step, (price) => price > above && price <= bid).boughtLots,
          soldLots: rowOf(step, (price) => price > above && price < ask).soldLots,
        },
      };
    },
  };
}

export const NOTHING_TRADED: TradedAtRow = { boughtLots: 0n, soldLots: 0n };
const isAny = () => true;
type IsHere = (price: Whole) => boolean;

/** Sums of prices, by the step that each is in, rounded down. */
type Steps = Map<Whole, Sums>;

function sumWhere(sums: Sums | undefined, isHere: IsHere): TradedAtRow {
  if (sums === undefined) return NOTHING_TRADED;
  let bought: Whole = 0;
  let sold: Whole = 0;
  for (const sum of sums.values()) {
    if (!isHere(sum.price)) continue;
    bought = addWhole(bought, sum.bought);
    sold = addWhole(sold, sum.sold);
  }
  return { boughtLots: BigInt(bought), soldLots: BigInt(sold) };
}

function addToStep(steps: Steps, width: Whole, cell: Cell): void {
  const step = roundDownWhole(cell.price, width);
  let sums = steps.get(step);
  if (sums === undefined) {
    sums = new Map();
    steps.set(step, sums);
  }
  addTo(sums, cell.price, cell);
}

function sumSteps(flow: FlowState, fromMs: number, grouping: bigint): Steps {
  const width = toWhole(grouping);
  const fold: CellFold<Steps> = {
    make: () => new Map(),
    add: (steps, cell) => addToStep(steps, width, cell),
  };
  return readCells(
    flow,
    { ...WHOLE_FLOW, fromMs: minuteAnchor(fromMs) },
    { name: "steps", of: grouping, fold },
  );
}

/**
 * Trades per second: in the last ten seconds, and in the last quarter of an hour if that is covered.
 * @param nowMs time of the service, Unix milliseconds
 */
export function selectTradeRate(tape: TradesState, nowMs: number) {
  const { flow } = tape;
  if (flow.sinceMs === undefined) return undefined;
  const untilMs = Math.floor(nowMs / SECOND_MS) * SECOND_MS;
  const tradesOf = (seconds: number) =>
    selectTradeDelta(flow, { fromMs: untilMs - seconds * SECOND_MS, untilMs }).trades / seconds;
  const isCovered = flow.sinceMs <= untilMs - AVERAGE_SECONDS * SECOND_MS;
  return {
    perSecond: tradesOf(RATE_SECONDS),
    average: isCovered ? tradesOf(AVERAGE_SECONDS) : undefined,
  };
}

/**
 * The newest trade before a moment, to the second or else the minute: its price, and the start of its second or minute,
 * Unix milliseconds.
 */
export function selectPriceBefore(flow: FlowState, ms: number) {
  for (let i = flow.minutes.length - 1; i >= 0; i--) {
    const { openMs, last, seconds } = flow.minutes[i] as FlowMinute;
    if (openMs >= ms) continue;
    if (openMs + MINUTE_MS <= ms) return { priceTicks: last, openMs };
    const second = seconds?.findLast((each) => each.second * SECOND_MS < ms);
    if (second !== undefined) return { priceTicks: second.last, openMs: second.second * SECOND_MS };
  }
  return undefined;
}

// What the views of order flow read: sums, average prices, profiles and coverage, each over a span of time. All are exact; a span
// with an open hole is said by `coverageOf`, never bridged.

import type { Flow, FlowMinute, FlowSecond, FlowSums } from "../state/flow.ts";
import { DAY_MS, MINUTE_MS, msOfNs, NS_PER_MS, SECOND_MS } from "../units/time.ts";
import { addWhole, roundDownWhole, type Whole } from "../units/whole.ts";

/** Unix milliseconds of the service; the end is not part of it. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A time of which trades are missing, between two that are known. */
export interface FlowHole {
  readonly after_ns: string;
  readonly until_ns: string;
  readonly healed: boolean;
}

/** What is known of a market's trades: those of the stream, and older ones from the listing. */
export interface KnownFlow {
  readonly flows: readonly Flow[];
  readonly holes: readonly FlowHole[];
  /** From when on every trade outside the holes is known, Unix milliseconds; undefined before the first. */
  readonly sinceMs: number | undefined;
}

export interface Traded {
  readonly boughtLots: bigint;
  readonly soldLots: bigint;
}

export const WHOLE_FLOW: Span = {
  fromMs: Number.NEGATIVE_INFINITY,
  untilMs: Number.POSITIVE_INFINITY,
};

/** The start of the UTC day, where the average price of the day begins. */
export function dayStartMs(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

function* minutesIn(flows: readonly Flow[], { fromMs, untilMs }: Span): Generator<FlowMinute> {
  for (const { minutes } of flows) {
    let low = 0;
    let high = minutes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((minutes[middle]?.openMs ?? 0) < fromMs) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < minutes.length; i++) {
      const minute = minutes[i] as FlowMinute;
      if (minute.openMs >= untilMs) break;
      yield minute;
    }
  }
}

/** Whole minutes of a span, and seconds of the minutes that its ends cut, while those are kept. */
function* partsIn(flows: readonly Flow[], { fromMs, untilMs }: Span): Generator<FlowSums> {
  const from = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
  const isIn = ({ second }: FlowSecond) =>
    second * SECOND_MS >= fromMs && second * SECOND_MS < untilMs;
  for (const minute of minutesIn(flows, { fromMs: from, untilMs })) {
    const { openMs, seconds } = minute;
    const isWhole = openMs >= fromMs && openMs + MINUTE_MS <= untilMs;
    if (isWhole) yield minute;
    else if (seconds !== undefined) yield* seconds.filter(isIn);
    else if (openMs >= fromMs) yield minute;
  }
}

/** What takers bought and sold. Exact if the ends are whole minutes, or whole seconds of the last hour. */
export function selectDelta({ flows }: KnownFlow, span: Span) {
  let [bought, sold]: [Whole, Whole] = [0, 0];
  let trades = 0;
  for (const part of partsIn(flows, span)) {
    bought = addWhole(bought, part.bought);
    sold = addWhole(sold, part.sold);
    trades += part.trades;
  }
  const [boughtLots, soldLots] = [BigInt(bought), BigInt(sold)];
  return { boughtLots, soldLots, deltaLots: boughtLots - soldLots, trades };
}

/** An average price as an exact fraction: ticks times lots over lots. */
export interface Vwap {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** @returns undefined if no lots traded in minutes that begin in the span */
export function selectVwap({ flows }: KnownFlow, span: Span = WHOLE_FLOW): Vwap | undefined {
  let [value, lots]: [Whole, Whole] = [0, 0];
  for (const minute of minutesIn(flows, span)) {
    value = addWhole(value, minute.value);
    lots = addWhole(lots, addWhole(minute.bought, minute.sold));
  }
  return lots === 0 ? undefined : { numerator: BigInt(value), denominator: BigInt(lots) };
}

/** The average price since an anchor at the end of each period; undefined where it is not known in full. */
export function selectVwapLine(
  known: KnownFlow,
  anchorMs: number,
  periods: readonly Span[],
): readonly (Vwap | undefined)[] {
  let [numerator, denominator] = [0n, 0n];
  let doneMs = anchorMs;
  return periods.map(({ untilMs }) => {
    if (untilMs <= anchorMs || !isKnown(known, { fromMs: anchorMs, untilMs })) return undefined;
    const more = selectVwap(known, { fromMs: doneMs, untilMs });
    doneMs = Math.max(doneMs, untilMs);
    numerator += more?.numerator ?? 0n;
    denominator += more?.denominator ?? 0n;
    return denominator === 0n ? undefined : { numerator, denominator };
  });
}

/**
 * The running sum of deltas from a minute on, by the end of each period; undefined where the time since the one before is not known
 * in full, after which it begins again at 0.
 * @param periods oldest first, of whole minutes
 */
export function selectCvd(
  known: KnownFlow,
  anchorMs: number,
  periods: readonly Span[],
): readonly (bigint | undefined)[] {
  let fromMs = anchorMs;
  let sum: bigint | undefined;
  return periods.map(({ untilMs }) => {
    if (untilMs <= anchorMs) return undefined;
    const span = { fromMs, untilMs };
    fromMs = untilMs;
    sum = isKnown(known, span) ? (sum ?? 0n) + selectDelta(known, span).deltaLots : undefined;
    return sum;
  });
}

export interface ProfileLevel extends Traded {
  /** The lowest price of the group. */
  readonly priceTicks: bigint;
}

export interface Profile {
  readonly groupingTicks: bigint;
  /** Prices rise. */
  readonly levels: readonly ProfileLevel[];
  /** The group in which most traded, the lower one of two; undefined if nothing did. */
  readonly pointOfControl: bigint | undefined;
  /** The groups round it that hold 70 % of the lots, by their lowest prices. */
  readonly valueArea: { readonly lowTicks: bigint; readonly highTicks: bigint } | undefined;
}

const VALUE_AREA_PERCENT = 70n;

/**
 * Lots by price, in groups of this many ticks, over the minutes that begin in a span; of a candle's span, this is its footprint.
 * Where minutes hold coarser cells, the groups are a common multiple.
 */
export function selectProfile(
  known: KnownFlow,
  span: Span = WHOLE_FLOW,
  groupingTicks = 1n,
): Profile {
  let coarsest = 1;
  for (const minute of minutesIn(known.flows, span))
    if (minute.grouping > coarsest) coarsest = minute.grouping;
  const grouping = commonMultiple(groupingTicks, BigInt(coarsest));
  const groups = [...sumGroups(known.flows, span, grouping)];
  const levels = groups
    .map(([price, { bought, sold }]) => ({
      priceTicks: BigInt(price),
      boughtLots: BigInt(bought),
      soldLots: BigInt(sold),
    }))
    .sort((a, b) => (a.priceTicks < b.priceTicks ? -1 : 1));
  const lots = levels.map(({ boughtLots, soldLots }) => boughtLots + soldLots);
  const best = lots.reduce((at, each, i) => (each > (lots[at] ?? 0n) ? i : at), 0);
  const control = levels[best];
  if (control === undefined || lots[best] === 0n)
    return { groupingTicks: grouping, levels, pointOfControl: undefined, valueArea: undefined };
  const [low, high] = growArea(lots, best);
  const [lowTicks, highTicks] = [levels[low], levels[high]].map((each) => each?.priceTicks ?? 0n);
  return {
    groupingTicks: grouping,
    levels,
    pointOfControl: control.priceTicks,
    valueArea: { lowTicks: lowTicks ?? 0n, highTicks: highTicks ?? 0n },
  };
}

/** Grown by the larger neighbour; of two that are equal, by the lower one. */
function growArea(lots: readonly bigint[], from: number): readonly [low: number, high: number] {
  const total = lots.reduce((sum, each) => sum + each, 0n);
  let [low, high] = [from, from];
  let held = lots[from] ?? 0n;
  while (held * 100n < total * VALUE_AREA_PERCENT) {
    const [below, above] = [lots[low - 1] ?? -1n, lots[high + 1] ?? -1n];
    if (below >= above) low--;
    else high++;
    held += below >= above ? below : above;
  }
  return [low, high];
}

interface Remembered {
  readonly of: readonly [grouping: bigint, minutes: number, changes: number];
  readonly groups: ReadonlyMap<Whole, { readonly bought: bigint; readonly sold: bigint }>;
}
/** The sums of all minutes but the newest, by the start of a span: they change once a minute, while a frame is drawn often. */
const remembered = new WeakMap<Flow, Map<string, Remembered>>();
const MAX_REMEMBERED = 64;

function sumGroups(flows: readonly Flow[], span: Span, grouping: bigint) {
  const sums = new Map<Whole, { bought: bigint; sold: bigint }>();
  for (const flow of flows) {
    const newest = flow.minutes.at(-1);
    const older = { ...span, untilMs: Math.min(span.untilMs, newest?.openMs ?? 0) };
    addGroups(sums, olderGroups(flow, older, grouping));
    if (newest === undefined || newest.openMs < span.fromMs || newest.openMs >= span.untilMs)
      continue;
    addGroups(sums, groupsOf([newest], grouping));
  }
  return sums;
}

function addGroups(
  sums: Map<Whole, { bought: bigint; sold: bigint }>,
  groups: Remembered["groups"],
): void {
  for (const [price, { bought, sold }] of groups) {
    const sum = sums.get(price);
    sums.set(price, { bought: (sum?.bought ?? 0n) + bought, sold: (sum?.sold ?? 0n) + sold });
  }
}

function olderGroups(flow: Flow, span: Span, grouping: bigint): Remembered["groups"] {
  const minutes = [...minutesIn([flow], span)];
  const changes = minutes.reduce((sum, { version }) => sum + version, 0);
  const name = `${span.fromMs}/${span.untilMs}`;
  const known = remembered.get(flow) ?? new Map<string, Remembered>();
  remembered.set(flow, known);
  const held = known.get(name);
  if (held?.of[0] === grouping && held.of[1] === minutes.length && held.of[2] === changes)
    return held.groups;
  const groups = groupsOf(minutes, grouping);
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.set(name, { of: [grouping, minutes.length, changes], groups });
  return groups;
}

function groupsOf(minutes: readonly FlowMinute[], grouping: bigint): Remembered["groups"] {
  const width: Whole = grouping <= Number.MAX_SAFE_INTEGER ? Number(grouping) : grouping;
  const groups = new Map<Whole, { bought: Whole; sold: Whole }>();
  for (const { prices, cellBought, cellSold } of minutes)
    for (const [i, ticks] of prices.entries()) {
      const price = roundDownWhole(ticks, width);
      let group = groups.get(price);
      if (group === undefined) {
        group = { bought: 0, sold: 0 };
        groups.set(price, group);
      }
      group.bought = addWhole(group.bought, cellBought[i] ?? 0);
      group.sold = addWhole(group.sold, cellSold[i] ?? 0);
    }
  return new Map(
    Array.from(groups, ([price, { bought, sold }]) => [
      price,
      { bought: BigInt(bought), sold: BigInt(sold) },
    ]),
  );
}

function commonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

/**
 * Lots bought and sold at each row of a ladder in the minutes that begin in a span, by the row's price in ticks. The rows of bids
 * are rounded down to the grouping, those of asks up.
 */
export function selectTradedAtRows(
  known: KnownFlow,
  span: Span,
  groupingTicks: bigint,
): (side: "bid" | "ask", rowTicks: bigint) => Traded {
  const exact = sumGroups(known.flows, span, 1n);
  const rows = { bid: new Map<bigint, Traded>(), ask: new Map<bigint, Traded>() };
  for (const [price, { bought, sold }] of exact) {
    const ticks = BigInt(price);
    const low = ticks - (ticks % groupingTicks);
    addRow(rows.bid, low, bought, sold);
    addRow(rows.ask, low === ticks ? low : low + groupingTicks, bought, sold);
  }
  return (side, rowTicks) => rows[side].get(rowTicks) ?? NOTHING_TRADED;
}

export const NOTHING_TRADED: Traded = { boughtLots: 0n, soldLots: 0n };

function addRow(rows: Map<bigint, Traded>, row: bigint, bought: bigint, sold: bigint): void {
  const { boughtLots, soldLots } = rows.get(row) ?? NOTHING_TRADED;
  rows.set(row, { boughtLots: boughtLots + bought, soldLots: soldLots + sold });
}

const RATE_SECONDS = 10;
const AVERAGE_SECONDS = 900;

/** Trades a second: in the last ten seconds, and in the last quarter of an hour where that is known. */
export function selectTradeRate(known: KnownFlow, nowMs: number) {
  if (known.sinceMs === undefined) return undefined;
  const untilMs = Math.floor(nowMs / SECOND_MS) * SECOND_MS;
  const rate = (seconds: number) =>
    selectDelta(known, { fromMs: untilMs - seconds * SECOND_MS, untilMs }).trades / seconds;
  const isLongKnown = known.sinceMs <= untilMs - AVERAGE_SECONDS * SECOND_MS;
  return {
    perSecond: rate(RATE_SECONDS),
    average: isLongKnown ? rate(AVERAGE_SECONDS) : undefined,
  };
}

/** The newest trade before a moment, to the second or else the minute: its price, and the start of that second or minute. */
export function selectPriceBefore({ flows }: KnownFlow, ms: number): PriceBefore | undefined {
  const found = flows.flatMap(({ minutes }) => priceBefore(minutes, ms) ?? []);
  return found.reduce<PriceBefore | undefined>(
    (best, each) => (best === undefined || each.atMs > best.atMs ? each : best),
    undefined,
  );
}

interface PriceBefore {
  readonly priceTicks: string;
  readonly atMs: number;
}

function priceBefore(minutes: readonly FlowMinute[], ms: number): PriceBefore | undefined {
  for (let i = minutes.length - 1; i >= 0; i--) {
    const { openMs, last, seconds } = minutes[i] as FlowMinute;
    if (openMs >= ms) continue;
    if (openMs + MINUTE_MS <= ms) return { priceTicks: last, atMs: openMs };
    const second = seconds?.findLast((each) => each.second * SECOND_MS < ms);
    if (second !== undefined) return { priceTicks: second.last, atMs: second.second * SECOND_MS };
  }
  return undefined;
}

export interface Coverage {
  /** Share of the span from which trades are known, 0 to 1. */
  readonly reached: number;
  readonly openHoles: number;
  readonly openMs: number;
}

/** How much of a span is known. */
export function coverageOf(
  { holes, sinceMs = Number.POSITIVE_INFINITY }: KnownFlow,
  span: Span,
): Coverage {
  const open = holes.filter((hole) => !hole.healed && meets(hole, span));
  const openNs = open.reduce((sum, { after_ns, until_ns }) => {
    const [from, until] = [BigInt(after_ns), BigInt(until_ns)];
    return until > from ? sum + until - from : sum;
  }, 0n);
  const length = span.untilMs - span.fromMs;
  const reached = (span.untilMs - Math.max(span.fromMs, sinceMs)) / length;
  return {
    reached: Math.max(0, Math.min(1, reached)),
    openHoles: open.length,
    openMs: Number(openNs / NS_PER_MS),
  };
}

function isKnown(known: KnownFlow, span: Span): boolean {
  const { reached, openHoles } = coverageOf(known, span);
  return reached >= 1 && openHoles === 0;
}

function meets({ after_ns, until_ns }: FlowHole, { fromMs, untilMs }: Span): boolean {
  return msOfNs(after_ns) < untilMs && msOfNs(until_ns) >= fromMs;
}

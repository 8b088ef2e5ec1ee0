// Finds the trades missing from a hole of the tape in the REST listing, if they can be proven: the trades on both sides of the
// hole must be listed one by one, with nothing else between them. Pure.

import { parseDecimal } from "../units/decimal.ts";
import { type Scale, toUnits } from "../units/scale.ts";
import { msOfNs } from "../units/time.ts";
import { stripZeros } from "../units/uint.ts";
import type { Trade } from "../wire/channels/trades.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { compareNs } from "./backlog.ts";
import type { TapeHole, TapeSpan, TradesState } from "./trades.ts";

/** Trades on each side of a hole that must be listed, too, if the tape has that many. */
const EDGE_TRADES = 20;
/** Minimum width of an edge, if the tape has enough trades: listed times may be truncated or rounded. */
const EDGE_MS = 2;

/** A hole, joined with others at the same position, and the adjacent trades of the tape. */
export interface HoleEdges {
  readonly span: TapeSpan;
  /** Oldest first; whole milliseconds, unless cut off by the end of the tape or by another hole. */
  readonly before: readonly Trade[];
  readonly behind: readonly Trade[];
}

/** The same, valid only until the tape changes. */
export interface FoundEdges extends HoleEdges {
  /** Other trades of the same time that arrived so late or early that they are elsewhere on the tape. */
  readonly aside: readonly Trade[];
}

export interface ListedRun {
  /** Newest first; rows outside the time of edges and hole may be missing. */
  readonly records: readonly TradeRecord[];
  /** Unix milliseconds of its newest row; undefined for an empty listing. */
  readonly newestMs: number | undefined;
  /** Server time up to which the listing counts as complete even if nothing that recent is listed. */
  readonly wholeUntilMs: number;
}

/** The trades of a hole, oldest first, or why they are not proven. */
export type MissedTrades =
  | { readonly isProven: true; readonly trades: readonly Trade[] }
  | { readonly isProven: false; readonly reason: string };

export function holeEdges(tape: TradesState, hole: TapeHole): FoundEdges {
  const trades = tape.recent(Number.POSITIVE_INFINITY).toReversed();
  return withAside(tape, getEdges(trades, tape.holes, hole, tape.lateMs));
}

export function findEdges(tape: TradesState, afterNs: string): FoundEdges | undefined {
  const hole = tape.holes.find((each) => each.afterNs === afterNs);
  if (hole !== undefined) return holeEdges(tape, hole);
  const released = tape.releasedHoles.find(({ span }) => span.afterNs === afterNs);
  if (released === undefined) return undefined;
  const isFirst = released.span === tape.firstMoment && !tape.hasReleased;
  return withAside(tape, isFirst ? { ...released, behind: firstTrades(tape) } : released);
}

function withAside(tape: TradesState, edges: HoleEdges): FoundEdges {
  const { fromMs, untilMs } = edgesSpan(edges, tape.lateMs);
  const left = new Map<string, number>();
  const count = (trade: Trade, by: number) => {
    const key = getKey(trade, 0);
    const counted = (left.get(key) ?? 0) + by;
    left.set(key, counted);
    return counted;
  };
  for (const trade of [...edges.before, ...edges.behind]) count(trade, 1);
  const aside = tape
    .recent(Number.POSITIVE_INFINITY)
    .filter((trade) => isBetween(trade, fromMs, untilMs) && count(trade, -1) < 0);
  return { ...edges, aside };
}

export function firstTrades(tape: TradesState): readonly Trade[] {
  const trades = tape.recent(Number.POSITIVE_INFINITY).toReversed();
  const positions = tape.holes.map((hole) => positionOfHole(trades, hole));
  const end = Math.min(...positions, trades.length);
  return nearest(trades.slice(0, end), 2 * tape.lateMs);
}

/** Index of the first trade after a hole, or of the end of the tape. */
export function positionOfHole(trades: readonly Trade[], { next }: TapeHole): number {
  return next === undefined ? trades.length : trades.indexOf(next);
}

/** @param trades of the tape, oldest first @param lateMs maximum lateness of trades */
export function getEdges(
  trades: readonly Trade[],
  holes: readonly TapeHole[],
  hole: TapeHole,
  lateMs: number,
): HoleEdges {
  const position = positionOfHole(trades, hole);
  const here = holes.filter(({ next }) => next === hole.next);
  const span = here.reduce<TapeSpan>(
    (all, { afterNs, untilNs }) => ({
      afterNs: compareNs(afterNs, all.afterNs) < 0 ? afterNs : all.afterNs,
      untilNs: compareNs(untilNs, all.untilNs) > 0 ? untilNs : all.untilNs,
    }),
    { afterNs: hole.afterNs, untilNs: hole.untilNs },
  );
  // A backlog may have brought some of the trades in between.
  const isBefore = ({ timestamp_ns }: Trade) => compareNs(timestamp_ns, span.afterNs) <= 0;
  const beginning = trades.slice(0, position).findLastIndex(isBefore) + 1;
  const positions = holes.map((each) => positionOfHole(trades, each));
  const from = Math.max(0, ...positions.filter((each) => each < beginning));
  const until = Math.min(trades.length, ...positions.filter((each) => each > position));
  return {
    span,
    before: nearest(trades.slice(from, beginning).toReversed(), lateMs).toReversed(),
    behind: nearest(trades.slice(position, until), 2 * lateMs),
  };
}

/** Period of the listing to be read, in Unix milliseconds. */
export function edgesSpan(
  { span, before, behind }: HoleEdges,
  lateMs: number,
): {
  readonly fromMs: number;
  readonly untilMs: number;
} {
  const [oldest, last] = [before[0], before.at(-1)].map((trade) => trade && getTimeMs(trade));
  return {
    fromMs:
      Math.min(oldest ?? msOfNs(span.afterNs), (last ?? Number.POSITIVE_INFINITY) - lateMs) - 1,
    untilMs: msOfNs(behind.at(-1)?.timestamp_ns ?? span.untilNs) + 1,
  };
}

/**
 * Finds the missing trades of a hole.
 * @param scale value of ticks and lots
 * @param lateMs maximum lateness of trades: missing ones may be this much earlier, and twice as much later
 */
export function findMissedTrades(
  edges: FoundEdges,
  run: ListedRun,
  scale: Scale,
  lateMs = 0,
): MissedTrades {
  const { before, behind, aside } = edges;
  const { fromMs, untilMs } = edgesSpan(edges, lateMs);
  const listed = run.records
    .filter(({ timestamp_ms: ms }) => ms >= fromMs && ms <= untilMs)
    .reverse()
    .map((record) => toTrade(record, scale));
  if (!isAllDefined(listed)) return unproven("a listed trade is no whole number of ticks and lots");
  const newestMs = run.newestMs ?? Number.NEGATIVE_INFINITY;
  // The newest listed millisecond may still be incomplete.
  const sure = behind.filter((trade) => getTimeMs(trade) < newestMs);
  const isQuiet = behind.length === 0 && run.wholeUntilMs >= untilMs && newestMs < untilMs;
  if (sure.length === 0 && !isQuiet) return unproven("the listing is behind the hole's end");
  const [first, newest] = [behind[0], sure.at(-1)];
  if (lateMs > 0 && first !== undefined && newest !== undefined) {
    if (getTimeMs(newest) <= getTimeMs(first) + 2 * lateMs + EDGE_MS) return unproven(TOO_LITTLE);
  }
  const left = new Unmatched(listed);
  if (![...before, ...sure].every((trade) => left.take(trade))) {
    return unproven("a trade beside the hole is not listed");
  }
  for (const trade of aside) left.take(trade);
  return judgeRest(edges, sure, left.trades, lateMs);
}

/** Listed trades missing from the tape must lie in the hole, and be distinguishable from those beyond the edges. */
function judgeRest(
  { span, before, behind }: HoleEdges,
  sure: readonly Trade[],
  rest: readonly Trade[],
  lateMs: number,
): MissedTrades {
  const [oldest, newest] = [before[0], sure.at(-1)];
  const outer = {
    fromMs: oldest === undefined ? msOfNs(span.afterNs) : getTimeMs(oldest) + 1,
    untilMs: newest === undefined ? Number.POSITIVE_INFINITY : getTimeMs(newest),
  };
  const [last, first] = [before.at(-1), behind[0]];
  const hole = {
    fromMs: last === undefined ? msOfNs(span.afterNs) : getTimeMs(last) - lateMs,
    // The listing may round a time up.
    untilMs: (first === undefined ? msOfNs(span.untilNs) : getTimeMs(first)) + 2 * lateMs + 1,
  };
  const trades = rest.filter((trade) => isBetween(trade, hole.fromMs, hole.untilMs));
  const missed = new Set(trades);
  const others = rest.filter((trade) => !missed.has(trade));
  if (others.some((trade) => isBetween(trade, outer.fromMs + 1, outer.untilMs - 1))) {
    return unproven("a listed trade beside the hole is not on the tape");
  }
  const isAmbiguous = (trade: Trade) =>
    (oldest !== undefined && getTimeMs(trade) <= outer.fromMs) || getTimeMs(trade) >= outer.untilMs;
  if (trades.some(isAmbiguous)) return unproven(TOO_LITTLE);
  return { isProven: true, trades };
}

const TOO_LITTLE = "too little of the tape lies beside the hole";

function unproven(reason: string): MissedTrades {
  return { isProven: false, reason };
}

/**
 * The first trades: whole milliseconds, over more time than rounding can shift.
 * @param wideMs additional time to cover
 */
function nearest(trades: readonly Trade[], wideMs: number): readonly Trade[] {
  const times = trades.map(({ timestamp_ns }) => msOfNs(timestamp_ns));
  const [first = 0] = times;
  const end = times.findIndex((ms, i) => {
    const last = times[i - 1] ?? first;
    return i >= EDGE_TRADES && ms !== last && Math.abs(last - first) > EDGE_MS + wideMs;
  });
  return end < 0 ? trades : trades.slice(0, end);
}

function toTrade(record: TradeRecord, { tickSize, lotSize }: Scale): Trade | undefined {
  const [price, quantity] = [parseDecimal(record.price), parseDecimal(record.quantity)];
  const ticks = price && toUnits(price, tickSize);
  const lots = quantity && toUnits(quantity, lotSize);
  if (ticks === undefined || lots === undefined || record.timestamp_ms < 0) return undefined;
  return {
    timestamp_ns: `${record.timestamp_ms}000000`,
    price_ticks: `${ticks}`,
    size_base_lots: `${lots}`,
    taker_is_bid: record.taker_is_bid,
  };
}

function isBetween(trade: Trade, fromMs: number, untilMs: number): boolean {
  const ms = getTimeMs(trade);
  return ms >= fromMs && ms <= untilMs;
}

function getTimeMs({ timestamp_ns }: Trade): number {
  return msOfNs(timestamp_ns);
}

function isAllDefined<T>(values: readonly (T | undefined)[]): values is readonly T[] {
  return !values.includes(undefined);
}

class Unmatched {
  readonly #trades: (Trade | undefined)[];
  readonly #positions = new Map<string, number[]>();

  constructor(trades: readonly Trade[]) {
    this.#trades = [...trades];
    for (const [i, trade] of trades.entries()) {
      const key = getKey(trade, 0);
      this.#positions.set(key, [...(this.#positions.get(key) ?? []), i]);
    }
  }

  get trades(): readonly Trade[] {
    return this.#trades.filter((trade) => trade !== undefined);
  }

  /** Removes the match of this trade, whose listed time may be truncated or rounded. False if there is none. */
  take(trade: Trade): boolean {
    for (const offset of [0, 1, -1]) {
      const position = this.#positions.get(getKey(trade, offset))?.shift();
      if (position === undefined) continue;
      this.#trades[position] = undefined;
      return true;
    }
    return false;
  }
}

function getKey(trade: Trade, offsetMs: number): string {
  const { timestamp_ns, price_ticks, size_base_lots, taker_is_bid } = trade;
  const ms = msOfNs(timestamp_ns) + offsetMs;
  return `${ms}/${stripZeros(price_ticks)}/${stripZeros(size_base_lots)}/${taker_is_bid}`;
}

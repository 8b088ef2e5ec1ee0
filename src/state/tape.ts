// The trades of a market, oldest first. Inside a subscription every trade is new; the first frame of a later one is laid over the
// held tape. Where they do not meet there is a hole, and trades go on behind it.
import { compareUint, isZero, stripZeros } from "../units/uint.ts";
import type { Trade } from "../wire/frames.ts";
import { addTrade, createFlow, type Flow, isBefore } from "./flow.ts";
import { type Fold, NO_FINDINGS } from "./fold.ts";

/** Trades that were missed. Times are nanoseconds of the service. */
export interface Hole {
  readonly after_ns: string;
  until_ns: string;
  readonly cause: "connection" | "gap" | "renewed";
  /** The listing has filled it. */
  healed: boolean;
  /** Index in `trades` of the first trade behind it. */
  at: number;
}

/** An interruption behind which nothing is missing: the backlog reached back to what was held. */
export interface Join {
  readonly after_ns: string;
  readonly until_ns: string;
}

export interface Tape {
  sequence: string | null;
  /** Of the newest frame; undefined before the first. */
  frameNs: string | undefined;
  trades: Trade[];
  holes: Hole[];
  /** Holes that stayed open, before the oldest trade that is held: sums lack their trades. */
  lost?: readonly Hole[] | undefined;
  joins: Join[];
  /** What the newest frame added, oldest first: for sums over trades. */
  added: readonly Trade[];
  /** Sums from the first frame's oldest trade on, and of what the listing tells of the time before. */
  flow: Flow;
  earlier: Flow;
  /** Why the listing tells of nothing before that; undefined while it may. */
  earlierEnd?: string;
  /** Do frames list the newest trade first? As the last ones said whose trades tell, first frames and later ones. */
  isNewestFirst: { first: boolean | undefined; later: boolean | undefined };
  /** Trades before the first later frame. */
  told: number;
}

export const MAX_TRADES = 2000;
const MAX_JOINS = 200;

export const tapeFold: Fold<Tape, "trades"> = {
  empty: () => ({
    sequence: null,
    frameNs: undefined,
    ...{ trades: [], holes: [], joins: [], added: [], flow: createFlow(), earlier: createFlow() },
    isNewestFirst: { first: undefined, later: undefined },
    told: 0,
  }),
  apply(tape, { body, timestampNs, sequence }, { place, isContinuous }) {
    const isFirst = place === "first";
    const isWhole = !body.trades.some(isNothing);
    const traded = isWhole ? body.trades : body.trades.filter((trade) => !isNothing(trade));
    const trades = oldestFirst(tape, traded, isFirst ? "first" : "later");
    const before = beforeOf(tape, isContinuous ? "renewed" : "connection");
    Object.assign(tape, { sequence, frameNs: timestampNs, added: [] });
    if (place === "gap") openHole(tape, timestampNs, "gap");
    if (isFirst && before) beginAgain(tape, trades, before, timestampNs);
    else append(tape, trades);
    if (isFirst) tape.told = tape.trades.length;
    sum(tape);
    trim(tape);
    return NO_FINDINGS;
  },
};

/** It stands for no trade. */
function isNothing({ price_ticks, size_base_lots }: Trade): boolean {
  return isZero(price_ticks) || isZero(size_base_lots);
}

/** What was known before the first frame of another subscription. */
interface Before {
  readonly sequence: string | null;
  readonly frameNs: string;
  readonly cause: "renewed" | "connection";
}

function beforeOf({ sequence, frameNs }: Tape, cause: Before["cause"]): Before | undefined {
  return frameNs === undefined ? undefined : { sequence, frameNs, cause };
}

function beginAgain(
  tape: Tape,
  trades: readonly Trade[],
  { sequence, frameNs, cause }: Before,
  nowNs: string,
): void {
  const [oldest] = trades;
  // Still at the same transaction: nothing was missed, even if nothing is listed again.
  if (oldest === undefined && sequence !== null && sequence === tape.sequence)
    noteJoin(tape, nowNs);
  else if (tape.trades.length > 0) layOver(tape, trades, nowNs, cause);
  else {
    // Nothing was held: what is listed reaches back to the frame before, or something may be missing since then.
    if (oldest === undefined || isBefore(frameNs, oldest.timestamp_ns))
      openHole(tape, nowNs, cause, frameNs);
    append(tape, trades);
  }
}

/** Takes what was added into the sums; a trade from before the first one known is of the time before. */
function sum({ flow, earlier, added }: Tape): void {
  const sinceNs = flow.oldestNs;
  for (const trade of added) {
    const isEarlier = sinceNs !== undefined && isBefore(trade.timestamp_ns, sinceNs);
    addTrade(isEarlier ? earlier : flow, trade);
  }
}

function oldestFirst(
  tape: Tape,
  trades: readonly Trade[],
  sort: "first" | "later",
): readonly Trade[] {
  const [first] = trades;
  const last = trades.at(-1);
  if (first === undefined || last === undefined) return trades;
  const order = compareTimes(first, last) || compareSweep(first, last);
  if (order !== 0) {
    if (sort === "later" && tape.isNewestFirst.later === undefined && order > 0) turnUntold(tape);
    tape.isNewestFirst[sort] = order > 0;
  }
  return tape.isNewestFirst[sort] === true ? trades.toReversed() : trades;
}

/** Later frames turn out to list the newest first: those of equal trades that came before were taken the other way. */
function turnUntold(tape: Tape): void {
  const untold = tape.trades.splice(tape.told);
  while (untold.length > 0) {
    const [first] = untold;
    const end = untold.findIndex((trade) => trade.timestamp_ns !== first?.timestamp_ns);
    tape.trades.push(...untold.splice(0, end < 0 ? untold.length : end).reverse());
  }
}

/** Of one taker at one time, the better price was first: a buyer's lower one, a seller's higher one. */
function compareSweep(first: Trade, last: Trade): number {
  if (first.taker_is_bid !== last.taker_is_bid) return 0;
  const order = compareUint(stripZeros(first.price_ticks), stripZeros(last.price_ticks));
  return first.taker_is_bid ? order : -order;
}

function compareTimes(a: Trade, b: Trade): number {
  return compareUint(stripZeros(a.timestamp_ns), stripZeros(b.timestamp_ns));
}

function append(tape: Tape, trades: readonly Trade[]): void {
  closeHole(tape, trades[0]);
  for (const trade of trades) tape.trades.push(trade);
  tape.added = trades;
}

/** The first trade behind a hole says where it ends. */
function closeHole(tape: Tape, trade: Trade | undefined): void {
  const hole = tape.holes.at(-1);
  if (trade !== undefined && hole?.at === tape.trades.length) hole.until_ns = trade.timestamp_ns;
}

/**
 * The longest overlap on which both agree joins them; either may stick out on either side. The oldest segment that it meets counts:
 * holes that it covers are none any more.
 */
function layOver(
  tape: Tape,
  trades: readonly Trade[],
  nowNs: string,
  cause: Before["cause"],
): void {
  const begins = [0, ...tape.holes.map(({ at }) => at)];
  for (const [segment, from] of begins.entries()) {
    const offset = overlapOf(tape.trades.slice(from, begins[segment + 1]), trades);
    if (offset === undefined) continue;
    if (cause === "connection") noteJoin(tape, nowNs);
    // What healed a hole has the listing's times: the list's own trades of before are the same ones.
    const isHealed = tape.holes[segment - 1]?.healed === true;
    const behind = isHealed && offset < 0 ? trades.slice(-offset) : trades;
    join(tape, behind, from + Math.max(0, offset), segment);
    return;
  }
  openHole(tape, nowNs, cause);
  append(tape, trades);
}

/** The list is the truth from its beginning to its end; held trades that are newer than its end stay. */
function join(tape: Tape, trades: readonly Trade[], at: number, segment: number): void {
  const replaced = tape.trades.slice(at);
  const last = trades.at(-1);
  const end = replaced.findLastIndex((trade) => last !== undefined && isSame(trade, last));
  tape.added = without(trades, replaced);
  tape.trades = [
    ...tape.trades.slice(0, at),
    ...trades,
    ...(end < 0 ? [] : replaced.slice(end + 1)),
  ];
  tape.holes = tape.holes.slice(0, segment);
}

/** Those of a list that the other has not, equal ones counted. */
function without(trades: readonly Trade[], held: readonly Trade[]): readonly Trade[] {
  const left = new Map<string, number>();
  for (const trade of held) left.set(textOf(trade), (left.get(textOf(trade)) ?? 0) + 1);
  return trades.filter((trade) => {
    const count = left.get(textOf(trade)) ?? 0;
    left.set(textOf(trade), count - 1);
    return count <= 0;
  });
}

function textOf(trade: Trade): string {
  const { timestamp_ns, price_ticks, size_base_lots, taker_is_bid } = trade;
  return `${timestamp_ns} ${price_ticks} ${size_base_lots} ${taker_is_bid}`;
}

function noteJoin(tape: Tape, nowNs: string): void {
  const after_ns = tape.trades.at(-1)?.timestamp_ns;
  if (after_ns === undefined) return;
  tape.joins = [...tape.joins, { after_ns, until_ns: nowNs }].slice(-MAX_JOINS);
}

function openHole(tape: Tape, nowNs: string, cause: Hole["cause"], afterNs = "0"): void {
  // Still nothing since the last one: it goes on.
  if (tape.holes.at(-1)?.at === tape.trades.length) return;
  const after_ns = tape.trades.at(-1)?.timestamp_ns ?? afterNs;
  tape.holes.push({ after_ns, until_ns: nowNs, cause, healed: false, at: tape.trades.length });
}

/**
 * The numbers turned out to show no gaps: what they made is dropped.
 */
export function dropGaps(tape: Tape): void {
  const isOther = ({ cause }: Hole) => cause !== "gap";
  tape.holes = tape.holes.filter(isOther);
  tape.lost = tape.lost?.filter(isOther);
}

/** Fills a hole with the trades that the listing has between its ends, oldest first. */
export function healHole(tape: Tape, hole: Hole, trades: readonly Trade[]): void {
  if (!tape.holes.includes(hole) || hole.healed) return;
  const { at } = hole;
  tape.trades = [...tape.trades.slice(0, at), ...trades, ...tape.trades.slice(at)];
  for (const each of tape.holes) if (each.at >= at) each.at += trades.length;
  hole.healed = true;
  tape.added = trades;
  sum(tape);
}

/** Where `trades` begins in `held`; negative if before it. */
function overlapOf(held: readonly Trade[], trades: readonly Trade[]): number | undefined {
  let best: number | undefined;
  let longest = 0;
  for (let offset = 1 - trades.length; offset < held.length; offset++) {
    const length = Math.min(held.length, offset + trades.length) - Math.max(0, offset);
    if (length <= longest || !agrees(held, trades, offset)) continue;
    best = offset;
    longest = length;
  }
  return best;
}

function agrees(held: readonly Trade[], trades: readonly Trade[], offset: number): boolean {
  const end = Math.min(held.length, offset + trades.length);
  for (let i = Math.max(0, offset); i < end; i++) {
    const [a, b] = [held[i], trades[i - offset]];
    if (a === undefined || b === undefined || !isSame(a, b)) return false;
  }
  return true;
}

function isSame(a: Trade, b: Trade): boolean {
  return (
    a.timestamp_ns === b.timestamp_ns &&
    a.price_ticks === b.price_ticks &&
    a.size_base_lots === b.size_base_lots &&
    a.taker_is_bid === b.taker_is_bid
  );
}

function trim(tape: Tape): void {
  const excess = tape.trades.length - MAX_TRADES;
  // In larger steps, so that a busy tape is not moved for each trade.
  if (excess < MAX_TRADES / 4) return;
  tape.trades = tape.trades.slice(excess);
  tape.told = Math.max(0, tape.told - excess);
  for (const hole of tape.holes) hole.at -= excess;
  const { oldestNs = "0" } = tape.flow;
  tape.lost = [...(tape.lost ?? []), ...tape.holes.filter(({ at }) => at <= 0)].filter(
    ({ healed, until_ns }) => !healed && !isBefore(until_ns, oldestNs),
  );
  tape.holes = tape.holes.filter(({ at }) => at > 0);
}

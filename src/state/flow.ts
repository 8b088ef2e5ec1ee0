// Folds trades into sums by minute and price (order flow), exact and of any size. It adds and removes exactly the trades that
// the tape (`state/trades.ts`) adds and removes, and uses the same holes, so that both agree on which times are complete.

import { MINUTE_MS, msOfNs } from "../units/time.ts";
import {
  addWhole,
  multiplyWhole,
  parseWhole,
  roundDownWhole,
  toWhole,
  type Whole,
} from "../units/whole.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { compareNs } from "./backlog.ts";
import type { FlowFacts } from "./facts-schema.ts";

/** Minutes with trades kept: a day of them. When older ones are dropped, the sums begin after them. */
export const MAX_FLOW_MINUTES = 1440;
/** Cells (one per minute and price) kept; beyond that, prices of the oldest minutes are grouped by tens. */
export const MAX_FLOW_CELLS = 100_000;
/** Target when grouping, so that it does not run again for every trade. */
const CELLS_AFTER = 90_000;
/** Minutes for which sums by second are kept, too. */
const SECONDS_KEPT_MINUTES = 61;
/** Steps kept for readers that maintain their own sums: more than half a second at 5,000 trades a second. */
const MAX_STEPS = 4096;
/** Trades set aside because they lie in open holes; beyond that, the sums restart after the holes. */
const MAX_SET_ASIDE = 10_000;
const NS_PER_SECOND_DIGITS = 9;

/** A span of server time, nanoseconds as digit text, both ends inclusive. */
interface NsSpan {
  readonly afterNs: string;
  readonly untilNs: string;
}

/** Sums of trades in lots. */
export interface FlowSums {
  readonly bought: Whole;
  readonly sold: Whole;
  readonly trades: number;
}

/** Trades at a price, or in a group of prices. */
export interface FlowCell extends FlowSums {
  /** Ticks; the lowest of a group. */
  readonly price: Whole;
}

export interface FlowSecond extends FlowSums {
  /** Unix seconds. */
  readonly second: number;
  /** Price of its newest trade, in ticks. */
  readonly last: string;
}

/** Trades of one minute. Only the fold changes it. */
export interface FlowMinute extends FlowSums {
  /** Start in Unix milliseconds. */
  readonly openMs: number;
  /** Sum of price times size, in ticks times lots. */
  readonly value: Whole;
  /** Ticks per cell: 1, or a power of ten if there were too many cells. */
  readonly grouping: bigint;
  /** By price, unordered. */
  readonly cells: ReadonlyMap<Whole, FlowCell>;
  /** Price of its newest trade, in ticks. */
  readonly last: string;
  /** Oldest first; undefined once dropped. */
  readonly seconds: readonly FlowSecond[] | undefined;
}

/** A trade added to the cell sums, or removed. */
export interface FlowStep {
  readonly openMs: number;
  readonly price: Whole;
  readonly isBought: boolean;
  /** Negative when removed. */
  readonly lots: Whole;
  readonly sign: 1 | -1;
}

/** Sums as digit text, and the number of trades. */
type SumFacts = readonly [bought: string, sold: string, trades: number];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Minute extends Mutable<Omit<FlowMinute, "cells" | "seconds">> {
  cells: Map<Whole, Mutable<FlowCell>>;
  seconds: Second[] | undefined;
  lastNs: string;
  /** The fold that may change it: copies share a minute until one changes it. Undefined for old minutes, which rarely change. */
  owner: object | undefined;
}

interface Second extends Mutable<FlowSecond> {
  lastNs: string;
}

export class FlowState {
  /** Only minutes with trades, oldest first. */
  #minutes: Minute[] = [];
  /** The minute of the last trade. */
  #current: Minute | undefined;
  /** Number of cells in all minutes. */
  size = 0;
  #pastVersion = 0;
  #stepTotal = 0;
  /** The latest steps, while a reader asks for them. */
  #steps: FlowStep[] | undefined;
  #hasReader = false;
  #owner = {};
  /** Unix milliseconds: trades before are in no sum. Undefined before the first update. */
  sinceMs: number | undefined;
  /** Time of the newest trade since then, nanoseconds as digit text; undefined before the first. */
  newestNs: string | undefined;
  /** Spans in which trades may be missing. Trades within them are in no sum. */
  #open: readonly NsSpan[] = [];
  #openUntilNs = "0";
  /** Accepted trades that lie in open spans. */
  #aside = new Set<Trade>();

  /** Oldest first; only minutes with trades. */
  get minutes(): readonly FlowMinute[] {
    return this.#minutes;
  }

  /** Changes whenever a minute before the newest does, unless it was the newest until then or is dropped because of its age. */
  get pastVersion(): number {
    return this.#pastVersion;
  }

  /** Steps since the start. */
  get stepTotal(): number {
    return this.#stepTotal;
  }

  /** Steps after the first `total`, oldest first; undefined if applying them would not give the current cells. */
  stepsSince(total: number): readonly FlowStep[] | undefined {
    this.#steps ??= [];
    this.#hasReader = true;
    const first = this.#stepTotal - this.#steps.length;
    return total < first ? undefined : this.#steps.slice(total - first);
  }

  /** The coarsest grouping of any minute, in ticks per cell. */
  get grouping(): bigint {
    return this.#minutes.reduce((most, { grouping }) => (grouping > most ? grouping : most), 1n);
  }

  /** Sets the start of the sums; only the first call counts. @param sinceMs Unix milliseconds, inclusive */
  begin(sinceMs: number): void {
    this.sinceMs ??= sinceMs;
  }

  add(trade: Trade): void {
    if (this.#isInOpenSpan(trade.timestamp_ns)) this.#setAside(trade);
    else this.#fold(trade, 1);
  }

  remove(trade: Trade): void {
    if (!this.#aside.delete(trade)) this.#fold(trade, -1);
  }

  /**
   * Sets the open spans. A moment at an edge may be incomplete, so it belongs to the span.
   * @param held trades on the tape: others in a new span can no longer be subtracted
   * @param releasedNs time of the newest trade released by the tape
   */
  setOpen(spans: readonly NsSpan[], held: readonly Trade[], releasedNs: string): void {
    const before = this.#open;
    const isNew = ({ afterNs, untilNs }: NsSpan) =>
      !before.some(
        (each) => compareNs(each.afterNs, afterNs) <= 0 && compareNs(each.untilNs, untilNs) >= 0,
      );
    const added = spans.filter(isNew);
    this.#open = spans;
    this.#openUntilNs = spans.reduce(
      (most, { untilNs }) => (compareNs(untilNs, most) > 0 ? untilNs : most),
      "0",
    );
    for (const trade of [...this.#aside]) {
      if (this.#isInOpenSpan(trade.timestamp_ns)) continue;
      this.#aside.delete(trade);
      this.#fold(trade, 1);
    }
    if (added.length === 0) return;
    for (const trade of held) {
      if (!this.#isInOpenSpan(trade.timestamp_ns) || this.#aside.has(trade)) continue;
      this.#fold(trade, -1);
      this.#setAside(trade);
    }
    if (releasedNs === "0") return;
    for (const { afterNs, untilNs } of added) {
      if (compareNs(afterNs, releasedNs) <= 0) this.raiseFloor(untilNs);
    }
  }

  /** Times up to this are no longer known exactly: the sums begin with the next minute. */
  raiseFloor(untilNs: string): void {
    if (this.sinceMs === undefined) return;
    const floorMs = (Math.floor(msOfNs(untilNs) / MINUTE_MS) + 1) * MINUTE_MS;
    this.sinceMs = Math.max(this.sinceMs, floorMs);
    const kept = this.#minutes.filter(({ openMs }) => openMs >= floorMs);
    for (const { openMs, cells } of this.#minutes) if (openMs < floorMs) this.size -= cells.size;
    this.#minutes = kept;
    this.#breakSteps();
    this.#current = undefined;
    for (const trade of [...this.#aside]) {
      if (msOfNs(trade.timestamp_ns) < floorMs) this.#aside.delete(trade);
    }
  }

  /** An independent fold with the same state; minutes are shared until one of both changes them. */
  copyHeld(): FlowState {
    const copy = new FlowState();
    copy.#minutes = [...this.#minutes];
    copy.size = this.size;
    copy.sinceMs = this.sinceMs;
    copy.newestNs = this.newestNs;
    copy.#open = this.#open;
    copy.#openUntilNs = this.#openUntilNs;
    copy.#aside = new Set(this.#aside);
    this.#owner = {};
    this.#current = undefined;
    return copy;
  }

  /** @param placeOf index of a trade on the tape; undefined if it has been released */
  facts(placeOf: (trade: Trade) => number | undefined): FlowFacts {
    return {
      sinceMs: this.sinceMs,
      newestNs: this.newestNs,
      aside: Array.from(this.#aside, (trade) => placeOf(trade) ?? trade),
      minutes: this.#minutes.map((minute) => ({
        openMs: minute.openMs,
        sums: getSumFacts(minute),
        value: `${minute.value}`,
        grouping: `${minute.grouping}`,
        last: minute.last,
        lastNs: minute.lastNs,
        cells: Array.from(
          minute.cells.values(),
          (cell) => [`${cell.price}`, ...getSumFacts(cell)] as const,
        ),
        seconds: minute.seconds?.map(
          (each) => [each.second, ...getSumFacts(each), each.last, each.lastNs] as const,
        ),
      })),
    };
  }

  /** Replaces the state. @param open the open spans. @param trades those of the tape */
  restore(facts: FlowFacts, open: readonly NsSpan[], trades: readonly Trade[]): void {
    this.#minutes = facts.minutes.map(({ cells, seconds, sums, value, grouping, ...minute }) => ({
      ...minute,
      ...parseSums(sums),
      value: parseWhole(value),
      grouping: BigInt(grouping),
      cells: new Map(
        cells.map(([digits, ...of]) => {
          const price = parseWhole(digits);
          return [price, { price, ...parseSums(of) }];
        }),
      ),
      seconds: seconds?.map(([second, bought, sold, count, last, lastNs]) => ({
        second,
        last,
        lastNs,
        ...parseSums([bought, sold, count]),
      })),
      owner: this.#owner,
    }));
    this.#current = undefined;
    this.size = this.#minutes.reduce((sum, { cells }) => sum + cells.size, 0);
    this.sinceMs = facts.sinceMs;
    this.newestNs = facts.newestNs;
    this.#aside = new Set();
    this.setOpen(open, [], "0");
    for (const each of facts.aside) {
      const trade = typeof each === "number" ? trades[each] : each;
      if (trade !== undefined) this.#aside.add(trade);
    }
  }

  #isInOpenSpan(timeNs: string): boolean {
    const open = this.#open;
    if (open.length === 0 || compareNs(timeNs, this.#openUntilNs) > 0) return false;
    return open.some(
      ({ afterNs, untilNs }) => compareNs(timeNs, afterNs) >= 0 && compareNs(timeNs, untilNs) <= 0,
    );
  }

  #setAside(trade: Trade): void {
    this.#aside.add(trade);
    if (this.#aside.size > MAX_SET_ASIDE) this.raiseFloor(this.#openUntilNs);
  }

  #fold(trade: Trade, sign: 1 | -1): void {
    const { timestamp_ns, price_ticks, size_base_lots, taker_is_bid } = trade;
    const second = getSecond(timestamp_ns);
    if (this.#isBefore(second, timestamp_ns)) return;
    const minute = this.#minute(Math.floor(second / 60) * MINUTE_MS, sign);
    if (minute === undefined) return;
    if (minute !== this.#minutes.at(-1)) this.#pastVersion++;
    const lots = parseWhole(size_base_lots);
    const price = parseWhole(price_ticks);
    const value = multiplyWhole(price, lots);
    const signedLots = sign === 1 ? lots : -lots;
    addLots(minute, taker_is_bid, signedLots, sign);
    minute.value = addWhole(minute.value, sign === 1 ? value : -value);
    this.#foldCell(minute, price, taker_is_bid, signedLots, sign);
    foldSecond(minute, second, trade, signedLots, sign);
    if (sign === 1) {
      noteLast(minute, trade);
      const newest = this.newestNs;
      if (newest === undefined || compareNs(timestamp_ns, newest) > 0) {
        this.newestNs = timestamp_ns;
      }
    }
    if (this.size > MAX_FLOW_CELLS) this.#coarsen();
  }

  #noteStep(step: FlowStep): void {
    this.#stepTotal++;
    if (this.#steps === undefined) return;
    this.#steps.push(step);
    if (this.#steps.length <= MAX_STEPS) return;
    this.#steps = this.#hasReader ? this.#steps.slice(MAX_STEPS / 2) : undefined;
    this.#hasReader = false;
  }

  #breakSteps(): void {
    this.#pastVersion++;
    this.#stepTotal++;
    this.#steps = undefined;
  }

  #isBefore(second: number, timeNs: string): boolean {
    const sinceMs = this.sinceMs;
    if (sinceMs === undefined) return true;
    // A second may begin before the sums do.
    return second * 1000 < sinceMs && msOfNs(timeNs) < sinceMs;
  }

  #foldCell(
    { openMs, cells, grouping }: Minute,
    price: Whole,
    isBought: boolean,
    lots: Whole,
    sign: 1 | -1,
  ): void {
    const key = grouping === 1n ? price : roundDownWhole(price, toWhole(grouping));
    this.#noteStep({ openMs, price: key, isBought, lots, sign });
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = { price: key, bought: 0, sold: 0, trades: 0 };
      cells.set(key, cell);
      this.size++;
    }
    addLots(cell, isBought, lots, sign);
    if (cell.trades === 0) {
      cells.delete(key);
      this.size--;
    }
  }

  /** The minute starting at a time, ready to be changed; undefined if there is nothing to remove from. */
  #minute(openMs: number, sign: 1 | -1): Minute | undefined {
    const current = this.#current;
    if (current?.openMs === openMs) return current;
    const minutes = this.#minutes;
    let at = minutes.length - 1;
    while (at >= 0 && (minutes[at] as Minute).openMs > openMs) at--;
    const found = minutes[at];
    if (found?.openMs === openMs) {
      const own = found.owner === this.#owner ? found : copyMinute(found, this.#owner);
      minutes[at] = own;
      this.#current = own;
      return own;
    }
    if (sign === -1) return undefined;
    const made = newMinute(openMs, this.#owner);
    minutes.splice(at + 1, 0, made);
    this.#current = made;
    this.#dropOld();
    // The new minute may have been the oldest and been dropped.
    return minutes.includes(made) ? made : undefined;
  }

  #dropOld(): void {
    const minutes = this.#minutes;
    if (minutes.length > MAX_FLOW_MINUTES) {
      this.#breakSteps();
      const [oldest] = minutes.splice(0, 1) as [Minute];
      this.size -= oldest.cells.size;
      this.sinceMs = Math.max(this.sinceMs ?? 0, oldest.openMs + MINUTE_MS);
      if (this.#current === oldest) this.#current = undefined;
    }
    for (let i = minutes.length - SECONDS_KEPT_MINUTES - 1; i >= 0; i--) {
      const minute = minutes[i] as Minute;
      if (minute.seconds === undefined) break;
      minutes[i] = { ...minute, seconds: undefined, owner: undefined };
      if (this.#current === minute) this.#current = minutes[i];
    }
  }

  /** Groups prices by tens, the finest and oldest minutes first, until there are few enough cells. */
  #coarsen(): void {
    this.#breakSteps();
    while (this.size > CELLS_AFTER) {
      const finest = this.#minutes.reduce<bigint | undefined>((least, { grouping, cells }) => {
        if (cells.size < 2) return least;
        return least === undefined || grouping < least ? grouping : least;
      }, undefined);
      if (finest === undefined) return;
      for (const [i, { grouping, cells }] of this.#minutes.entries()) {
        if (grouping === finest && cells.size > 1) this.#coarsenAt(i);
        if (this.size <= CELLS_AFTER) return;
      }
    }
  }

  /** Leaves a minute with at most half of its cells. */
  #coarsenAt(i: number): void {
    const minute = this.#minutes[i] as Minute;
    let coarse = minute;
    while (coarse.cells.size * 2 > minute.cells.size) {
      coarse = coarsened(coarse, coarse.grouping * 10n, this.#owner);
    }
    this.size += coarse.cells.size - minute.cells.size;
    this.#minutes[i] = coarse;
    if (this.#current === minute) this.#current = coarse;
  }
}

function getSumFacts({ bought, sold, trades }: FlowSums): SumFacts {
  return [`${bought}`, `${sold}`, trades];
}

function parseSums([bought, sold, trades]: SumFacts): FlowSums {
  return { bought: parseWhole(bought), sold: parseWhole(sold), trades };
}

/** Unix seconds. */
function getSecond(timeNs: string): number {
  return timeNs.length <= NS_PER_SECOND_DIGITS ? 0 : Number(timeNs.slice(0, -NS_PER_SECOND_DIGITS));
}

function newMinute(openMs: number, owner: object): Minute {
  return {
    openMs,
    bought: 0,
    sold: 0,
    trades: 0,
    value: 0,
    grouping: 1n,
    cells: new Map(),
    last: "",
    lastNs: "",
    seconds: [],
    owner,
  };
}

function copyMinute(minute: Minute, owner: object): Minute {
  const cells = new Map<Whole, Mutable<FlowCell>>();
  for (const [key, cell] of minute.cells) cells.set(key, copyCell(cell));
  // Written out, in the field order of a new one: objects made by a spread are slower to use for each trade.
  return {
    openMs: minute.openMs,
    bought: minute.bought,
    sold: minute.sold,
    trades: minute.trades,
    value: minute.value,
    grouping: minute.grouping,
    cells,
    last: minute.last,
    lastNs: minute.lastNs,
    seconds: minute.seconds?.map(copySecond),
    owner,
  };
}

function copyCell({ price, bought, sold, trades }: FlowCell): Mutable<FlowCell> {
  return { price, bought, sold, trades };
}

function copySecond({ second, bought, sold, trades, last, lastNs }: Second): Second {
  return { second, bought, sold, trades, last, lastNs };
}

function coarsened(minute: Minute, grouping: bigint, owner: object): Minute {
  const cells = new Map<Whole, Mutable<FlowCell>>();
  for (const { price, bought, sold, trades } of minute.cells.values()) {
    const key = roundDownWhole(price, toWhole(grouping));
    const cell = cells.get(key) ?? { price: key, bought: 0, sold: 0, trades: 0 };
    cell.bought = addWhole(cell.bought, bought);
    cell.sold = addWhole(cell.sold, sold);
    cell.trades += trades;
    cells.set(key, cell);
  }
  return { ...copyMinute({ ...minute, cells: new Map() }, owner), grouping, cells };
}

function foldSecond(
  { seconds }: Minute,
  second: number,
  trade: Trade,
  lots: Whole,
  sign: 1 | -1,
): void {
  if (seconds === undefined) return;
  let at = seconds.length - 1;
  while (at >= 0 && (seconds[at] as Second).second > second) at--;
  let found = seconds[at];
  if (found?.second !== second) {
    found = { second, bought: 0, sold: 0, trades: 0, last: "", lastNs: "" };
    seconds.splice(at + 1, 0, found);
  }
  addLots(found, trade.taker_is_bid, lots, sign);
  if (sign === 1) noteLast(found, trade);
}

function addLots(sums: Mutable<FlowSums>, isBought: boolean, lots: Whole, sign: 1 | -1): void {
  if (isBought) sums.bought = addWhole(sums.bought, lots);
  else sums.sold = addWhole(sums.sold, lots);
  sums.trades += sign;
}

function noteLast(of: { last: string; lastNs: string }, trade: Trade): void {
  if (of.lastNs !== "" && compareNs(trade.timestamp_ns, of.lastNs) < 0) return;
  of.last = trade.price_ticks;
  of.lastNs = trade.timestamp_ns;
}

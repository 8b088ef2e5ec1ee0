// Order flow: trades folded into sums by minute and price, exact and of any size. Plain data; a minute keeps its cells in parallel
// lists, so that copying a day of them is quick. Adding is independent of order: a hole that the listing fills is added later.
import { MINUTE_MS, msOfNs, SECOND_MS } from "../units/time.ts";
import { addWhole, multiplyWhole, parseWhole, roundDownWhole, type Whole } from "../units/whole.ts";
import type { Trade } from "../wire/frames.ts";

/** Sums of trades; bought and sold by takers, in lots. */
export interface FlowSums {
  bought: Whole;
  sold: Whole;
  trades: number;
}

export interface FlowSecond extends FlowSums {
  /** Unix seconds. */
  second: number;
  /** Price of its newest trade, in ticks, and the time of that. */
  last: string;
  lastNs: string;
}

/** The trades of one minute. The lists stand side by side, in no order of price. */
export interface FlowMinute extends FlowSums {
  /** Unix milliseconds. */
  openMs: number;
  /** Sum of price times size, in ticks times lots. */
  value: Whole;
  /** Ticks in a cell: 1, or a power of ten where there were too many cells. */
  grouping: number;
  /** In ticks, the lowest of a cell. */
  prices: Whole[];
  cellBought: Whole[];
  cellSold: Whole[];
  last: string;
  lastNs: string;
  /** Oldest first; undefined once the minute is older than an hour. */
  seconds: FlowSecond[] | undefined;
  /** Counts changes, for what is derived from it. */
  version: number;
}

export interface Flow {
  /** Only minutes with trades, oldest first. */
  minutes: FlowMinute[];
  cells: number;
  /** The oldest and the newest trade, nanoseconds as digits; undefined while there is none. */
  oldestNs: string | undefined;
  newestNs: string | undefined;
}

/** A day. */
const MAX_FLOW_MINUTES = 1440;
/** Beyond this the oldest minutes have their prices merged by tens, until a tenth is free again. */
export const MAX_FLOW_CELLS = 100_000;
const CELLS_AFTER_MERGE = 90_000;
const SECONDS_KEPT_MINUTES = 61;

export function createFlow(): Flow {
  return { minutes: [], cells: 0, oldestNs: undefined, newestNs: undefined };
}

/** The first minute that is kept, Unix milliseconds. */
export function keptFromMs({ minutes }: Flow): number {
  const newestMs = minutes.at(-1)?.openMs ?? Number.NEGATIVE_INFINITY;
  return newestMs - (MAX_FLOW_MINUTES - 1) * MINUTE_MS;
}

/** Minutes that a copy has, too: whoever changes one makes it its own before. */
const shared = new WeakSet<FlowMinute>();

/** A flow of its own; its minutes are copied when one of the two changes them. */
export function copyFlow(flow: Flow): Flow {
  for (const minute of flow.minutes) shared.add(minute);
  return { ...flow, minutes: [...flow.minutes] };
}

function own(minutes: FlowMinute[], at: number, minute: FlowMinute): FlowMinute {
  if (!shared.has(minute)) return minute;
  const copy = structuredClone(minute);
  minutes[at] = copy;
  return copy;
}

/** One that is older than what is kept is not taken. */
export function addTrade(flow: Flow, trade: Trade): void {
  const { timestamp_ns, price_ticks, size_base_lots, taker_is_bid } = trade;
  const ms = msOfNs(timestamp_ns);
  const openMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  if (openMs < keptFromMs(flow)) return;
  const minute = minuteOf(flow, openMs);
  const price = parseWhole(price_ticks);
  const lots = parseWhole(size_base_lots);
  addTo(minute, lots, taker_is_bid);
  minute.value = addWhole(minute.value, multiplyWhole(price, lots));
  minute.version++;
  if (!isBefore(timestamp_ns, minute.lastNs)) {
    minute.last = price_ticks;
    minute.lastNs = timestamp_ns;
  }
  addToCell(flow, minute, price, lots, taker_is_bid);
  if (minute.seconds !== undefined)
    addToSecond(minute.seconds, Math.floor(ms / SECOND_MS), trade, lots);
  if (flow.oldestNs === undefined || isBefore(timestamp_ns, flow.oldestNs))
    flow.oldestNs = timestamp_ns;
  if (flow.newestNs === undefined || isBefore(flow.newestNs, timestamp_ns))
    flow.newestNs = timestamp_ns;
}

/** Is a time earlier? Nanoseconds as digits without leading zeros. */
export function isBefore(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

function addTo(sums: FlowSums, lots: Whole, isBought: boolean): void {
  if (isBought) sums.bought = addWhole(sums.bought, lots);
  else sums.sold = addWhole(sums.sold, lots);
  sums.trades++;
}

/** Nearly always the newest. */
function minuteOf(flow: Flow, openMs: number): FlowMinute {
  const { minutes } = flow;
  let at = minutes.length;
  while (at > 0 && (minutes[at - 1]?.openMs ?? 0) > openMs) at--;
  const held = minutes[at - 1];
  if (held?.openMs === openMs) return own(minutes, at - 1, held);
  const minute: FlowMinute = {
    ...{ openMs, bought: 0, sold: 0, trades: 0, value: 0, grouping: 1 },
    ...{ prices: [], cellBought: [], cellSold: [], last: "", lastNs: "0", seconds: [], version: 0 },
  };
  minutes.splice(at, 0, minute);
  trim(flow);
  return minute;
}

/** Drops what is older than a day, and the seconds of what is older than an hour. */
function trim(flow: Flow): void {
  const { minutes } = flow;
  const newestMs = minutes.at(-1)?.openMs ?? 0;
  const fromMs = keptFromMs(flow);
  const dropped = minutes.findIndex(({ openMs }) => openMs >= fromMs);
  for (const { prices } of minutes.splice(0, Math.max(0, dropped))) flow.cells -= prices.length;
  if (dropped > 0 && minutes[0] !== undefined) flow.oldestNs = `${minutes[0].openMs}000000`;
  for (let i = minutes.length - 1; i >= 0; i--) {
    const minute = minutes[i];
    if (minute === undefined || minute.openMs > newestMs - SECONDS_KEPT_MINUTES * MINUTE_MS)
      continue;
    if (minute.seconds === undefined) break;
    own(minutes, i, minute).seconds = undefined;
  }
}

/** Where each price of a minute stands in its lists; derived, so not part of the data. */
const places = new WeakMap<FlowMinute, Map<Whole, number>>();

function placesOf(minute: FlowMinute): Map<Whole, number> {
  let map = places.get(minute);
  if (map === undefined) {
    map = new Map(minute.prices.map((price, i) => [price, i]));
    places.set(minute, map);
  }
  return map;
}

function addToCell(
  flow: Flow,
  minute: FlowMinute,
  ticks: Whole,
  lots: Whole,
  isBought: boolean,
): void {
  const price = minute.grouping === 1 ? ticks : roundDownWhole(ticks, minute.grouping);
  const map = placesOf(minute);
  let at = map.get(price);
  if (at === undefined) {
    at = minute.prices.push(price) - 1;
    minute.cellBought.push(0);
    minute.cellSold.push(0);
    map.set(price, at);
    flow.cells++;
  }
  const sums = isBought ? minute.cellBought : minute.cellSold;
  sums[at] = addWhole(sums[at] ?? 0, lots);
  if (flow.cells > MAX_FLOW_CELLS) mergeCells(flow);
}

/** The oldest of the finest minutes first, ever coarser until enough cells are free. */
function mergeCells(flow: Flow): void {
  while (flow.cells > CELLS_AFTER_MERGE) {
    const finest = flow.minutes.reduce(
      (least, { grouping }) => Math.min(least, grouping),
      Number.POSITIVE_INFINITY,
    );
    for (const [i, minute] of flow.minutes.entries()) {
      if (flow.cells <= CELLS_AFTER_MERGE) return;
      if (minute.grouping === finest) coarsen(flow, own(flow.minutes, i, minute));
    }
  }
}

function coarsen(flow: Flow, minute: FlowMinute): void {
  const { prices, cellBought, cellSold } = minute;
  flow.cells -= prices.length;
  minute.grouping *= 10;
  minute.prices = [];
  minute.cellBought = [];
  minute.cellSold = [];
  minute.version++;
  places.delete(minute);
  const map = placesOf(minute);
  for (const [i, price] of prices.entries()) {
    const group = roundDownWhole(price, minute.grouping);
    let at = map.get(group);
    if (at === undefined) {
      at = minute.prices.push(group) - 1;
      map.set(group, at);
    }
    minute.cellBought[at] = addWhole(minute.cellBought[at] ?? 0, cellBought[i] ?? 0);
    minute.cellSold[at] = addWhole(minute.cellSold[at] ?? 0, cellSold[i] ?? 0);
  }
  flow.cells += minute.prices.length;
}

function addToSecond(seconds: FlowSecond[], second: number, trade: Trade, lots: Whole): void {
  let at = seconds.length;
  while (at > 0 && (seconds[at - 1]?.second ?? 0) > second) at--;
  let sums = seconds[at - 1];
  if (sums?.second !== second) {
    sums = { second, bought: 0, sold: 0, trades: 0, last: "", lastNs: "0" };
    seconds.splice(at, 0, sums);
  }
  addTo(sums, lots, trade.taker_is_bid);
  if (isBefore(trade.timestamp_ns, sums.lastNs)) return;
  sums.last = trade.price_ticks;
  sums.lastNs = trade.timestamp_ns;
}

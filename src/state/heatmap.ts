// Folds the order book over time: the size resting in each row of prices at the end of each second, and the trades within it.
// A second in which the book was missing, suspect or undecided is marked as such and holds no rows.
import { NS_PER_MS } from "../units/time.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Trade } from "../wire/channels/trades.ts";
import type { OrderbookView } from "./orderbook.ts";
import { isCurrent } from "./pane-state.ts";
import type { Store } from "./store.ts";

/** Seconds kept; with the bytes per second, this bounds the total to less than 2 MB. */
export const HEAT_SECONDS = 3600;
/** Byte budget of a second: for each side, best rows first, and for its trades. */
const SIDE_BYTES = 220;
const TRADE_BYTES = 60;

/** One second of a heatmap: whole seconds since 1970 by our clock. */
export type HeatSecond = number;

/** `absent`: not recorded. `missed`: recorded, but at its end there was no valid book. `held`: has rows. */
export type HeatState = "absent" | "missed" | "held";

/** Rows count from price 0, each `rowTicks` wide: bids are rounded down to a row, asks up. */
export interface HeatVisitor {
  /** @param row relative to the base passed to `visit` */
  bid(row: number, lots: number): void;
  ask(row: number, lots: number): void;
  trade(row: number, boughtLots: number, soldLots: number): void;
}

/** Resting and traded size in one row, exact; resting size is undefined beyond the depth of the recorded book. */
export interface HeatCell {
  readonly bidLots: bigint | undefined;
  readonly askLots: bigint | undefined;
  readonly boughtLots: bigint;
  readonly soldLots: bigint;
}

/** Taker buys and sells in one row. */
export type HeatTraded = Pick<HeatCell, "boughtLots" | "soldLots">;

/** One row of one side, or of the trades, summed. */
export interface HeatRow {
  readonly row: bigint;
  readonly lots: bigint;
  /** Trades only: lots sold by takers; `lots` then holds those bought. */
  readonly soldLots?: bigint;
}

/** Rows of a book, best first on each side, and of the trades, lowest first. */
export interface HeatRows {
  readonly bids: readonly HeatRow[];
  readonly asks: readonly HeatRow[];
  readonly trades: readonly HeatRow[];
}

export interface HeatChannels {
  readonly orderbook: string;
  readonly trades: string;
}

/** True when the book is, as far as can be known, that of the service. */
export function isBookProven(store: Store, channel: string, nowMs: number): boolean {
  const slice = store.slice("orderbook", channel);
  const { hasBook, isOpen } = slice.data;
  return hasBook && !isOpen && isCurrent(store.paneState(slice, nowMs));
}

/**
 * A fold over a store that must run before each change (`Store.beforeChange`). Time may go back, as in a recording: seconds
 * already recorded are not recorded again.
 */
export class Heatmap {
  readonly channels: HeatChannels;
  readonly rowTicks: bigint;
  /** Unix milliseconds less the time of the events. */
  readonly #offsetMs: number;
  readonly #minutes = new Map<number, Minute>();
  readonly #packer = new Packer();
  /** The current second; all before it are closed. Undefined before the first event. */
  next: HeatSecond | undefined;
  #isBroken = false;
  #tradeTotal: number | undefined;

  constructor(channels: HeatChannels, rowTicks: bigint, offsetMs: number) {
    this.channels = channels;
    this.rowTicks = rowTicks;
    this.#offsetMs = offsetMs;
  }

  /** The oldest second kept; undefined before the first is closed. */
  get first(): HeatSecond | undefined {
    const [minute] = this.#minutes.entries();
    return minute && minute[0] * MINUTE + minute[1].first;
  }

  get bytes(): number {
    let sum = 0;
    for (const { memory } of this.#minutes.values()) sum += memory;
    return sum;
  }

  secondOf(atMs: number): HeatSecond {
    return Math.floor((atMs + this.#offsetMs) / 1000);
  }

  /** Start of a second, by the clock of the events. */
  startMsOf(second: HeatSecond): number {
    return second * 1000 - this.#offsetMs;
  }

  /** The store is about to change, or has not changed until now. */
  advance(store: Store, atMs: number): void {
    const second = this.secondOf(atMs);
    if (this.next === undefined) this.skipTo(store, atMs);
    if (this.next === undefined || second < this.next) return;
    // After hours without events, skip the seconds that would be dropped anyway.
    if (second - this.next > HEAT_SECONDS) this.next = second - HEAT_SECONDS;
    while (this.next < second) this.#close(store, this.next++);
    // State from before the second began does not belong to it.
    if (this.#isBroken || atMs <= this.startMsOf(second)) return;
    this.#isBroken = !isBookProven(store, this.channels.orderbook, atMs);
  }

  /** Restarts at this moment: nothing is known about the time since the last second. */
  skipTo(store: Store, atMs: number): void {
    const second = this.secondOf(atMs);
    if (this.next !== undefined && second <= this.next) return;
    this.next = second;
    this.#isBroken = atMs > this.startMsOf(second);
    this.#tradeTotal = store.slice("trades", this.channels.trades).data.total;
  }

  /**
   * Copies the seconds from `from` to before `until` from a heatmap with narrower rows, before anything else is recorded here.
   * A row that may extend beyond the depth recorded there is left out.
   * @throws {RangeError} when its rows do not combine into those of this one
   */
  takeOver(narrower: Heatmap, from: HeatSecond, until: HeatSecond): void {
    if (!canRegroup(narrower.rowTicks, this.rowTicks)) throw new RangeError("rows do not fit");
    const factor = this.rowTicks / narrower.rowTicks;
    for (let second = from; second < until; second++) {
      const state = narrower.stateOf(second);
      if (state === "absent") continue;
      const broken = narrower.isBroken(second) ? BROKEN : 0;
      const rows = narrower.rowsAt(second);
      const minute = this.#minuteFor(second);
      if (rows === undefined) minute.add(placeIn(second), KNOWN | BROKEN, undefined);
      else {
        const packed = this.#packer.pack(regroup(rows, factor));
        minute.add(
          placeIn(second),
          HELD | broken | this.#cut | (narrower.#bitsOf(second) & CUT),
          packed,
        );
      }
    }
  }

  stateOf(second: HeatSecond): HeatState {
    const state = this.#bitsOf(second);
    return state === 0 ? "absent" : (state & HELD) === HELD ? "held" : "missed";
  }

  /** True where the book was invalid for part of a second, or the second was not recorded. */
  isBroken(second: HeatSecond): boolean {
    const state = this.#bitsOf(second);
    return state === 0 || (state & BROKEN) !== 0;
  }

  /** Visits the rows of a `held` second, best first on each side; does nothing for others. */
  visit(second: HeatSecond, base: bigint, visitor: HeatVisitor): void {
    this.#readerOf(second)?.visit(base, visitor);
  }

  visitTrades(second: HeatSecond, base: bigint, visit: HeatVisitor["trade"]): void {
    this.#readerOf(second)?.visitTrades(base, visit);
  }

  tradedAt(second: HeatSecond, row: bigint): HeatTraded | undefined {
    const trades = this.#readerOf(second)?.trades();
    if (trades === undefined) return undefined;
    const isCut = (this.#bitsOf(second) & CUT) !== 0;
    const highest = trades.at(-1)?.row;
    if (isCut && (highest === undefined || row > highest)) return undefined;
    const { lots = 0n, soldLots = 0n } = trades.find((each) => each.row === row) ?? {};
    return { boughtLots: lots, soldLots };
  }

  /** Every row of a `held` second, exact, best first on each side. */
  rowsAt(second: HeatSecond): HeatRows | undefined {
    return this.#readerOf(second)?.rows();
  }

  /** For the rows packed last. */
  get #cut(): number {
    return this.#packer.isCut ? CUT : 0;
  }

  #bitsOf(second: HeatSecond): number {
    return this.#minuteOf(second)?.stateOf(placeIn(second)) ?? 0;
  }

  #readerOf(second: HeatSecond): Reader | undefined {
    return this.#minuteOf(second)?.reader(placeIn(second));
  }

  #minuteOf(second: HeatSecond): Minute | undefined {
    return this.#minutes.get(Math.floor(second / MINUTE));
  }

  #close(store: Store, second: HeatSecond): void {
    const endMs = this.startMsOf(second + 1);
    const isHeld = isBookProven(store, this.channels.orderbook, endMs);
    const minute = this.#minuteFor(second);
    const trades = this.#newTrades(store, second);
    if (isHeld) {
      const book = store.slice("orderbook", this.channels.orderbook).data.depth();
      const packed = this.#packer.pack(createHeatRows(book, trades, this.rowTicks));
      minute.add(placeIn(second), HELD | (this.#isBroken ? BROKEN : 0) | this.#cut, packed);
    } else minute.add(placeIn(second), KNOWN | BROKEN, undefined);
    this.#isBroken = false;
  }

  #minuteFor(second: HeatSecond): Minute {
    const number = Math.floor(second / MINUTE);
    const known = this.#minutes.get(number);
    if (known !== undefined) return known;
    for (const each of this.#minutes.values()) each.trim();
    const minute = new Minute();
    this.#minutes.set(number, minute);
    const [oldest = number] = this.#minutes.keys();
    if (number - oldest > HEAT_SECONDS / MINUTE) this.#minutes.delete(oldest);
    return minute;
  }

  /** Trades received since the last second was closed. Older ones, as in a backlog, belong to no column. */
  #newTrades(store: Store, second: HeatSecond): readonly Trade[] {
    const tape = store.slice("trades", this.channels.trades).data;
    const before = this.#tradeTotal ?? tape.total;
    this.#tradeTotal = tape.total;
    if (tape.total <= before) return [];
    const sinceMs = (second - 1) * 1000;
    return tradesSince(tape.recent(tape.total - before), store.link?.skewMs, sinceMs);
  }
}

/** True when rows of a width consist of whole narrower rows. */
export function canRegroup(narrowerTicks: bigint, rowTicks: bigint): boolean {
  return rowTicks > narrowerTicks && rowTicks % narrowerTicks === 0n;
}

function regroup({ bids, asks, trades }: HeatRows, factor: bigint): HeatRows {
  const side = (rows: readonly HeatRow[], isBid: boolean): HeatRow[] => {
    const sums: { row: bigint; lots: bigint }[] = [];
    for (const { row: narrow, lots } of rows) {
      const row = getHeatRow(narrow, factor, isBid);
      const last = sums.at(-1);
      if (last?.row === row) last.lots += lots;
      else sums.push({ row, lots });
    }
    // The rest of the worst row may not have been recorded.
    const worst = rows.at(-1);
    if (worst !== undefined && worst.row % factor !== 0n) sums.pop();
    return sums;
  };
  const dots = trades.flatMap(({ row, lots, soldLots = 0n }) => [
    { row: getHeatRow(row, factor, false), lots, soldLots: 0n },
    { row: getHeatRow(row, factor, true), lots: 0n, soldLots },
  ]);
  return {
    bids: side(bids, true),
    asks: side(asks, false),
    trades: sumDots(dots.filter(({ lots, soldLots }) => lots + soldLots > 0n)),
  };
}

/**
 * Trades at or after a time of our clock.
 * @param trades newest first
 * @param skewMs our clock less the service's
 */
export function tradesSince(
  trades: readonly Trade[],
  skewMs: number | undefined,
  sinceMs: number,
): readonly Trade[] {
  const sinceNs = BigInt(Math.max(0, Math.floor(sinceMs - (skewMs ?? 0)))) * NS_PER_MS;
  const end = trades.findIndex(({ timestamp_ns }) => BigInt(timestamp_ns) < sinceNs);
  return end < 0 ? trades : trades.slice(0, end);
}

const MINUTE = 60;
const KNOWN = 1;
const HELD = 3;
const BROKEN = 4;
const SAME = 8;
/** There was no room for all rows of its trades. */
const CUT = 16;

function placeIn(second: HeatSecond): number {
  return ((second % MINUTE) + MINUTE) % MINUTE;
}

/** Sixty seconds, one after the other in one buffer. */
class Minute {
  readonly #states = new Uint8Array(MINUTE);
  readonly #ends = new Uint16Array(MINUTE);
  #bytes = new Uint8Array(FIRST_BYTES);
  #end = 0;
  #last = -1;
  first = MINUTE;

  get memory(): number {
    return this.#bytes.length + this.#states.length + this.#ends.byteLength;
  }

  stateOf(place: number): number {
    return this.#states[place] ?? 0;
  }

  /** In order of time. @param packed for a `held` second */
  add(place: number, state: number, packed: Uint8Array | undefined): void {
    for (let i = this.#last + 1; i < place; i++) this.#ends[i] = this.#end;
    const isSame = packed !== undefined && this.#isAsBefore(packed);
    if (packed !== undefined && !isSame) this.#append(packed);
    this.#states[place] = state | (isSame ? SAME : 0);
    this.#ends[place] = this.#end;
    this.#last = place;
    this.first = Math.min(this.first, place);
  }

  trim(): void {
    if (this.#bytes.length > this.#end) this.#bytes = this.#bytes.slice(0, this.#end);
  }

  reader(place: number): Reader | undefined {
    const begin = this.#beginOf(place);
    return begin === undefined ? undefined : new Reader(this.#bytes, begin);
  }

  /** Where the bytes of a second begin; undefined if it is not `held`. */
  #beginOf(place: number): number | undefined {
    if ((this.stateOf(place) & HELD) !== HELD) return undefined;
    let at = place;
    while ((this.stateOf(at) & SAME) !== 0) at--;
    return this.#ends[at - 1] ?? 0;
  }

  #isAsBefore(packed: Uint8Array): boolean {
    const begin = this.#beginOf(this.#last);
    if (begin === undefined || this.#end - begin !== packed.length) return false;
    for (let i = 0; i < packed.length; i++) {
      if (this.#bytes[begin + i] !== packed[i]) return false;
    }
    return true;
  }

  #append(packed: Uint8Array): void {
    const end = this.#end + packed.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#end));
      this.#bytes = larger;
    }
    this.#bytes.set(packed, this.#end);
    this.#end = end;
  }
}

const FIRST_BYTES = 1024;

/** Rows of trades and both sides as bytes: counts, gaps from row to row, lots; seven bits per byte, lowest first. */
class Packer {
  readonly #bytes = new Uint8Array(2 * SIDE_BYTES + TRADE_BYTES + 3 * MAX_COUNT);
  #end = 0;
  /** True when there was no room for all rows of the trades. */
  isCut = false;

  /** @returns a buffer that the next call overwrites */
  pack({ bids, asks, trades }: HeatRows): Uint8Array {
    this.#end = 0;
    // Trades come first: for many seconds they are read without the book.
    this.isCut = this.#rows(trades, 1n, TRADE_BYTES) < trades.length;
    this.#rows(bids, -1n, SIDE_BYTES);
    this.#rows(asks, 1n, SIDE_BYTES);
    return this.#bytes.subarray(0, this.#end);
  }

  /** Packs rows from the first on while they fit. @returns how many */
  #rows(rows: readonly HeatRow[], direction: bigint, most: number): number {
    const start = this.#end;
    this.#end += MAX_COUNT;
    let count = 0;
    let before = 0n;
    for (const { row, lots, soldLots } of rows) {
      const gap = count === 0 ? row : (row - before) * direction;
      const needed =
        countDigits(gap) + countDigits(lots) + (soldLots === undefined ? 0 : countDigits(soldLots));
      if (this.#end + needed - start - MAX_COUNT > most) break;
      this.#put(gap);
      this.#put(lots);
      if (soldLots !== undefined) this.#put(soldLots);
      before = row;
      count++;
    }
    this.#bytes[start] = count;
    return count;
  }

  #put(value: bigint): void {
    let rest = value;
    while (rest > MAX_EXACT) {
      this.#bytes[this.#end++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    let quick = Number(rest);
    while (quick > 127) {
      this.#bytes[this.#end++] = (quick % 128) | 128;
      quick = Math.floor(quick / 128);
    }
    this.#bytes[this.#end++] = quick;
  }
}

/** A count takes one byte, since no side has room for more than 127 rows. */
const MAX_COUNT = 1;
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

function countDigits(value: bigint): number {
  let length = 1;
  for (let rest = value >> 7n; rest > 0n; rest >>= 7n) length++;
  return length;
}

/** @param levels best first. @param most maximum number of rows */
function sumLevels(
  levels: readonly PriceLevel[],
  rowTicks: bigint,
  isBid: boolean,
  most: number,
): readonly HeatRow[] {
  const rows: { row: bigint; lots: bigint }[] = [];
  const width = rowTicks <= MAX_EXACT ? Number(rowTicks) : undefined;
  let before: number | bigint | undefined;
  for (const { price_ticks, size_base_lots } of levels) {
    const row =
      width !== undefined && price_ticks.length < EXACT_DIGITS
        ? getQuickRow(Number(price_ticks), width, isBid)
        : getHeatRow(BigInt(price_ticks), rowTicks, isBid);
    const last = rows.at(-1);
    // biome-ignore lint/suspicious/noDoubleEquals: a Number and a BigInt may be the same row
    if (last !== undefined && before == row) last.lots += BigInt(size_base_lots);
    else if (rows.length >= most) break;
    else rows.push({ row: BigInt(row), lots: BigInt(size_base_lots) });
    before = row;
  }
  return rows;
}

/** Integers with this many digits may not be exact as a Number. */
const EXACT_DIGITS = 16;

/** As `getHeatRow`, for prices that are exact as a Number. */
function getQuickRow(priceTicks: number, rowTicks: number, isBid: boolean): number {
  const above = priceTicks % rowTicks;
  return (priceTicks - above) / rowTicks + (isBid || above === 0 ? 0 : 1);
}

function sumTrades(trades: readonly Trade[], rowTicks: bigint): readonly HeatRow[] {
  const dots = trades.map(({ price_ticks, size_base_lots, taker_is_bid }) => {
    const lots = BigInt(size_base_lots);
    const row = getHeatRow(BigInt(price_ticks), rowTicks, !taker_is_bid);
    return { row, lots: taker_is_bid ? lots : 0n, soldLots: taker_is_bid ? 0n : lots };
  });
  return sumDots(dots);
}

function sumDots(dots: readonly Required<HeatRow>[]): readonly HeatRow[] {
  const rows = new Map<bigint, { row: bigint; lots: bigint; soldLots: bigint }>();
  for (const { row, lots, soldLots } of dots) {
    const known = rows.get(row) ?? { row, lots: 0n, soldLots: 0n };
    known.lots += lots;
    known.soldLots += soldLots;
    rows.set(row, known);
  }
  return [...rows.values()].sort((a, b) => (a.row < b.row ? -1 : 1));
}

/** Row of a price: rounded down for bids and for taker sells, up for asks and taker buys. */
export function getHeatRow(priceTicks: bigint, rowTicks: bigint, isBid: boolean): bigint {
  return isBid ? priceTicks / rowTicks : (priceTicks + rowTicks - 1n) / rowTicks;
}

/** Rows of a book and trades, as for a second that ends now. @param trades newest first */
export function createHeatRows(
  { bids, asks }: OrderbookView,
  trades: readonly Trade[],
  rowTicks: bigint,
): HeatRows {
  const most = SIDE_BYTES / 2;
  return {
    bids: sumLevels(bids, rowTicks, true, most),
    asks: sumLevels(asks, rowTicks, false, most),
    trades: sumTrades(trades, rowTicks),
  };
}

/** One row. Between a side's best and worst row, a row without an entry is empty; beyond them, nothing is known. */
export function createHeatCell({ bids, asks, trades }: HeatRows, wanted: bigint): HeatCell {
  const trade = trades.find(({ row }) => row === wanted);
  const lotsIn = (rows: readonly HeatRow[], isInside: (best: bigint, worst: bigint) => boolean) => {
    const [best, worst] = [rows[0]?.row, rows.at(-1)?.row];
    if (best === undefined || worst === undefined || !isInside(best, worst)) return undefined;
    return rows.find(({ row }) => row === wanted)?.lots ?? 0n;
  };
  return {
    bidLots: lotsIn(bids, (best, worst) => wanted <= best && wanted >= worst),
    askLots: lotsIn(asks, (best, worst) => wanted >= best && wanted <= worst),
    boughtLots: trade?.lots ?? 0n,
    soldLots: trade?.soldLots ?? 0n,
  };
}

class Reader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  visit(base: bigint, visitor: HeatVisitor): void {
    this.visitTrades(base, (row, lots, soldLots) => visitor.trade(row, lots, soldLots));
    this.#visitRows(base, -1, (row, lots) => visitor.bid(row, lots));
    this.#visitRows(base, 1, (row, lots) => visitor.ask(row, lots));
  }

  visitTrades(base: bigint, visit: HeatVisitor["trade"]): void {
    this.#visitRows(base, 1, (row, lots) => visit(row, lots, this.#number()));
  }

  #visitRows(base: bigint, direction: number, visit: (row: number, lots: number) => void): void {
    const count = this.#bytes[this.#at++] ?? 0;
    let row = 0;
    for (let i = 0; i < count; i++) {
      row = i === 0 ? Number(this.#integer() - base) : row + direction * this.#number();
      visit(row, this.#number());
    }
  }

  trades(): readonly HeatRow[] {
    return this.#exactRows(1n, true);
  }

  rows(): HeatRows {
    const trades = this.trades();
    return { trades, bids: this.#exactRows(-1n, false), asks: this.#exactRows(1n, false) };
  }

  #exactRows(direction: bigint, hasSold: boolean): readonly HeatRow[] {
    const count = this.#bytes[this.#at++] ?? 0;
    let row = 0n;
    return Array.from({ length: count }, (_, i) => {
      const gap = this.#integer();
      row = i === 0 ? gap : row + direction * gap;
      const lots = this.#integer();
      return hasSold ? { row, lots, soldLots: this.#integer() } : { row, lots };
    });
  }

  /** As close as a Number can represent it. */
  #number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  #integer(): bigint {
    const start = this.#at;
    const quick = this.#number();
    if (quick <= Number.MAX_SAFE_INTEGER) return BigInt(quick);
    let value = 0n;
    let shift = 0n;
    for (let i = start; i < this.#at; i++, shift += 7n) {
      value += BigInt((this.#bytes[i] ?? 0) & 127) << shift;
    }
    return value;
  }
}

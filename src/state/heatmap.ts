// Folds the order book over time: the size resting at each row of prices at the end of each second, and the trades within it.
// A second in which the book was missing, suspect or undecided is marked so and holds nothing.
import { NS_PER_MS } from "../units/time.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Trade } from "../wire/channels/trades.ts";
import type { OrderbookView } from "./orderbook.ts";
import { isCurrent } from "./pane-state.ts";
import type { Store } from "./store.ts";

/** Seconds that are kept; with the bytes of each, a bound on all of them: less than 2 MB. */
export const HEAT_SECONDS = 3600;
/** What a second may take: half of most of it for each side, the best rows first, and the rest for its trades. */
const SIDE_BYTES = 220;
const TRADE_BYTES = 60;

/** A second of a heatmap: whole seconds since 1970 by our clock. */
export type HeatSecond = number;

/** What is known of a second. `absent`: nobody was looking. `missed`: at its end the book was none to be shown. */
export type HeatState = "absent" | "missed" | "held";

/** Rows count from price 0, each so many ticks wide: bids are rounded down to them, asks up. */
export interface HeatVisitor {
  /** @param row less the base that was given */
  bid(row: number, lots: number): void;
  ask(row: number, lots: number): void;
  trade(row: number, boughtLots: number, soldLots: number): void;
}

/** What rests and trades in one row, exactly; undefined where the book that was held does not reach. */
export interface HeatCell {
  readonly bidLots: bigint | undefined;
  readonly askLots: bigint | undefined;
  readonly boughtLots: bigint;
  readonly soldLots: bigint;
}

/** What takers bought and sold in one row. */
export type HeatTraded = Pick<HeatCell, "boughtLots" | "soldLots">;

/** One row of one side, or of the trades, summed up. */
export interface HeatRow {
  readonly row: bigint;
  readonly lots: bigint;
  /** Of trades: what takers sold; `lots` is what they bought. */
  readonly soldLots?: bigint;
}

/** Rows of a book, the best of each side first, and of the trades, the lowest first. */
export interface HeatRows {
  readonly bids: readonly HeatRow[];
  readonly asks: readonly HeatRow[];
  readonly trades: readonly HeatRow[];
}

export interface HeatChannels {
  readonly orderbook: string;
  readonly trades: string;
}

/** True where the book is what the service has, as far as anybody can know. */
export function isBookProven(store: Store, channel: string, nowMs: number): boolean {
  const slice = store.slice("orderbook", channel);
  const { hasBook, isOpen } = slice.data;
  return hasBook && !isOpen && isCurrent(store.paneState(slice, nowMs));
}

/**
 * A fold over a store, which has to be looked at before each change (`Store.beforeChange`). Time may go back, as in a recording:
 * what is known already is not taken again.
 */
export class Heatmap {
  readonly channels: HeatChannels;
  readonly rowTicks: bigint;
  /** Unix milliseconds less the time of the events. */
  readonly #offsetMs: number;
  readonly #minutes = new Map<number, Minute>();
  readonly #packer = new Packer();
  /** The second that is under way: all before it are closed. Undefined before anything was seen. */
  next: HeatSecond | undefined;
  #isBroken = false;
  #tradeTotal: number | undefined;

  constructor(channels: HeatChannels, rowTicks: bigint, offsetMs: number) {
    this.channels = channels;
    this.rowTicks = rowTicks;
    this.#offsetMs = offsetMs;
  }

  /** The oldest second that is kept; undefined before the first is closed. */
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

  /** The moment at which a second begins, by the clock of the events. */
  startMsOf(second: HeatSecond): number {
    return second * 1000 - this.#offsetMs;
  }

  /** What the store holds is about to change, or has stood until now. */
  advance(store: Store, atMs: number): void {
    const second = this.secondOf(atMs);
    if (this.next === undefined) this.skipTo(store, atMs);
    if (this.next === undefined || second < this.next) return;
    // Nobody waits for hours that nothing was received in.
    if (second - this.next > HEAT_SECONDS) this.next = second - HEAT_SECONDS;
    while (this.next < second) this.#close(store, this.next++);
    // What stood until the second began is not of it.
    if (this.#isBroken || atMs <= this.startMsOf(second)) return;
    this.#isBroken = !isBookProven(store, this.channels.orderbook, atMs);
  }

  /** Begins again at this moment: of the time since the last one nothing is known. */
  skipTo(store: Store, atMs: number): void {
    const second = this.secondOf(atMs);
    if (this.next !== undefined && second <= this.next) return;
    this.next = second;
    this.#isBroken = atMs > this.startMsOf(second);
    this.#tradeTotal = store.slice("trades", this.channels.trades).data.total;
  }

  /**
   * Takes over what one with narrower rows holds of some seconds, from `from` to before `until`, before anything else is held.
   * A row of which a part may be beyond what that one kept is left out.
   * @throws {RangeError} when its rows do not make up those of this one
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

  /** True where the book was missed for a part of a second, or nobody was looking. */
  isBroken(second: HeatSecond): boolean {
    const state = this.#bitsOf(second);
    return state === 0 || (state & BROKEN) !== 0;
  }

  /** Goes through the rows of a second that is held, the best of each side first; nothing of any other. */
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

  /** Every row of a second that is held, exactly, the best of each side first. */
  rowsAt(second: HeatSecond): HeatRows | undefined {
    return this.#readerOf(second)?.rows();
  }

  /** Of what was packed last. */
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

  /** What was received since the last second was closed; older trades, as a backlog brings them, belong to no column. */
  #newTrades(store: Store, second: HeatSecond): readonly Trade[] {
    const tape = store.slice("trades", this.channels.trades).data;
    const before = this.#tradeTotal ?? tape.total;
    this.#tradeTotal = tape.total;
    if (tape.total <= before) return [];
    const sinceMs = (second - 1) * 1000;
    return tradesSince(tape.recent(tape.total - before), store.link?.skewMs, sinceMs);
  }
}

/** True where rows of a width are made up of whole narrower ones. */
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
    // What else is in the worst row may not have been kept.
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
 * Those not before a time of our clock.
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
/** Not all rows of its trades had room. */
const CUT = 16;

function placeIn(second: HeatSecond): number {
  return ((second % MINUTE) + MINUTE) % MINUTE;
}

/** Sixty seconds, one behind the other in one piece of memory. */
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

  /** In the order of time. @param packed of a second that is held */
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

  /** Where the bytes of a second begin; undefined where it is not held. */
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

/** Rows of both sides and of the trades as bytes: counts, gaps from row to row, lots; seven bits in each, the lowest first. */
class Packer {
  readonly #bytes = new Uint8Array(2 * SIDE_BYTES + TRADE_BYTES + 3 * MAX_COUNT);
  #end = 0;
  /** True when not all rows of the trades had room. */
  isCut = false;

  /** @returns memory that the next call writes over */
  pack({ bids, asks, trades }: HeatRows): Uint8Array {
    this.#end = 0;
    // The trades of many seconds are looked at without their books.
    this.isCut = this.#rows(trades, 1n, TRADE_BYTES) < trades.length;
    this.#rows(bids, -1n, SIDE_BYTES);
    this.#rows(asks, 1n, SIDE_BYTES);
    return this.#bytes.subarray(0, this.#end);
  }

  /** Those from the first one on that fit. @returns how many */
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

/** @param levels best first. @param most rows */
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

/** Digits of a whole number from which on a Number may not hold it. */
const EXACT_DIGITS = 16;

/** As `heatRowOf`, of what a Number holds. */
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

/** Row of a price: of bids, and of what takers sell to them, rounded down, of asks up. */
export function getHeatRow(priceTicks: bigint, rowTicks: bigint, isBid: boolean): bigint {
  return isBid ? priceTicks / rowTicks : (priceTicks + rowTicks - 1n) / rowTicks;
}

/** A book and trades as rows: what a second would hold that ended now. @param trades newest first */
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

/** One row. Between the best and the worst row of a side a row without an entry is empty; beyond nothing is known. */
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

  /** As near as a Number can have it. */
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

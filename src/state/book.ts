// One two-sided order book, updated by the frames of one channel under one interpretation.
import { compareUint, isZero, stripZeros } from "../units/uint.ts";
import type { Orderbook, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditDifference } from "./audits.ts";

// One side of an order book: levels in a sorted array with the best price last, so that changes near the top, which are the
// majority, move few elements. Exact for prices of any size.

interface Entry {
  /** The price as a Number: exact up to 2^53; above, ordered, with ties broken by `price`. */
  readonly approximate: number;
  /** Digit text without leading zeros. */
  readonly price: string;
  readonly level: PriceLevel;
}

/** Above this, different integers may have the same Number. */
const EXACT_LIMIT = Number.MAX_SAFE_INTEGER;

/** The levels of one side, best first, each price once. Mutated only by its book. */
class BookSide {
  private readonly isBid: boolean;
  private sorted: Entry[] = [];
  /** Levels stored but not sorted yet: where every frame is a whole book, few are ever read. */
  private unsorted: readonly PriceLevel[] | undefined;
  /** Best price of unsorted levels that arrived in order; read several times per frame. */
  private best: string | undefined;
  private hasBest = false;

  constructor(isBid: boolean) {
    this.isBid = isBid;
  }

  get size(): number {
    return this.entries.length;
  }

  /** Price of the best level, digit text without leading zeros; undefined when the side is empty. */
  get bestPrice(): string | undefined {
    if (this.hasBest) return this.best;
    const levels = this.unsorted;
    if (levels === undefined || !isBestFirst(levels, this.isBid)) return this.entries.at(-1)?.price;
    const best = levels.find(({ size_base_lots }) => !isZero(size_base_lots));
    this.best = best && stripZeros(best.price_ticks);
    this.hasBest = true;
    return this.best;
  }

  apply(level: PriceLevel): void {
    const price = stripZeros(level.price_ticks);
    const approximate = Number(price);
    const entries = this.entries;
    const at = find(entries, this.isBid, approximate, price);
    const entry = entries[at];
    const isHeld = entry !== undefined && isAt(entry, approximate, price);
    if (isZero(level.size_base_lots)) {
      if (isHeld) remove(entries, at);
    } else if (isHeld) entries[at] = { approximate, price: entry.price, level };
    else insert(entries, at, { approximate, price, level });
  }

  /** Replaces every level, in any order; of two levels at one price the later wins. */
  replace(levels: readonly PriceLevel[]): void {
    this.unsorted = levels;
    this.hasBest = false;
  }

  holds({ price_ticks, size_base_lots }: PriceLevel): boolean {
    const held = this.find(stripZeros(price_ticks))?.level.size_base_lots;
    return held !== undefined && stripZeros(held) === stripZeros(size_base_lots);
  }

  /** How many of the levels are held with exactly this size. Stops once more than `maxMissing` are not. */
  countHeld(levels: readonly PriceLevel[], maxMissing: number): number {
    let held = 0;
    let missing = 0;
    for (const level of levels) {
      if (missing > maxMissing) break;
      if (this.holds(level)) held++;
      else missing++;
    }
    return held;
  }

  /** True when the levels of a whole side arrived best first, no two at one price. */
  get isOrdered(): boolean {
    return this.bestPrice === undefined
      ? this.size === 0
      : this.unsorted !== undefined && this.hasBest;
  }

  /** An upper bound on the number of levels, without sorting. */
  get mostLevels(): number {
    return (this.unsorted ?? this.sorted).length;
  }

  /**
   * Lower bound on how many of the levels are held with exactly this size, from one pass over both lists. 0 if the side did not
   * arrive in order or is already sorted.
   * @param enough stop at this count
   */
  countInStep(levels: readonly PriceLevel[], enough: number): number {
    const held = this.unsorted;
    if (held === undefined || this.bestPrice === undefined || !this.hasBest) return 0;
    return countSame(held, levels, this.isBid, enough);
  }

  has(price: string): boolean {
    return this.find(price) !== undefined;
  }

  /** The best `count` levels, best first, as received. */
  top(count: number): PriceLevel[] {
    const levels: PriceLevel[] = [];
    const entries = this.entries;
    const end = Math.max(0, entries.length - count);
    for (let i = entries.length - 1; i >= end; i--) {
      const entry = entries[i];
      if (entry !== undefined) levels.push(entry.level);
    }
    return levels;
  }

  /**
   * Differences from a snapshot of this side, down to the depth that both hold: worse levels of a cut side are unknown.
   * An empty side is complete. Rows are prices without leading zeros.
   * @param isCut false when the snapshot holds every existing level
   */
  compare(part: keyof Depth, snapshot: BookSide, isCut: boolean): AuditDifference[] {
    const ours = this.entries;
    const theirs = snapshot.entries;
    // Worst level first.
    const [oursWorst] = ours;
    const [theirsWorst] = theirs;
    const isBounded = isCut && oursWorst !== undefined && theirsWorst !== undefined;
    const floor = isBounded ? this.better(oursWorst, theirsWorst) : undefined;
    const isIn = (entry: Entry) => floor === undefined || this.better(entry, floor) === entry;
    const extra = ours.filter((entry) => isIn(entry) && !snapshot.has(entry.price));
    const other = theirs.filter((entry) => isIn(entry) && !this.holds(entry.level));
    return [
      ...extra.map(({ price }) => ({ part, row: price, how: "extra" as const })),
      ...other.map(({ price }) => {
        const how = this.has(price) ? ("different" as const) : ("missing" as const);
        return { part, row: price, how };
      }),
    ];
  }

  /** The better of two levels; the first if their prices are equal. */
  private better(a: Entry, b: Entry): Entry {
    const order = compareEntry(a, b.approximate, b.price);
    return order === 0 || order > 0 === this.isBid ? a : b;
  }

  private find(price: string): Entry | undefined {
    const entries = this.entries;
    const entry = entries[find(entries, this.isBid, Number(price), price)];
    return entry?.price === price ? entry : undefined;
  }

  private get entries(): Entry[] {
    if (this.unsorted !== undefined) {
      this.sorted = sortEntries(this.unsorted, this.isBid);
      this.unsorted = undefined;
      this.hasBest = false;
    }
    return this.sorted;
  }
}

/** Up to this many entries, a loop is faster than `splice`, which also allocates a list of the removed items. */
const FEW = 24;

function remove(entries: Entry[], at: number): void {
  if (entries.length - at > FEW) {
    entries.splice(at, 1);
    return;
  }
  for (let i = at + 1; i < entries.length; i++) entries[i - 1] = entries[i] as Entry;
  entries.pop();
}

function insert(entries: Entry[], at: number, entry: Entry): void {
  if (entries.length - at > FEW) {
    entries.splice(at, 0, entry);
    return;
  }
  entries.push(entry);
  for (let i = entries.length - 1; i > at; i--) entries[i] = entries[i - 1] as Entry;
  entries[at] = entry;
}

/** Index of the price among the entries: its own if held, else its insertion point. */
function find(
  entries: readonly Entry[],
  isBid: boolean,
  approximate: number,
  price: string,
): number {
  if (approximate <= EXACT_LIMIT) return findExact(entries, isBid, approximate);
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    const order = entry === undefined ? 0 : compareEntry(entry, approximate, price);
    if (order === 0) return middle;
    // Bids ascend towards the end, where the best is; asks descend.
    if (order < 0 === isBid) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As `find`, for prices that are exact as a Number, as nearly all are: compares numbers only. */
function findExact(entries: readonly Entry[], isBid: boolean, exact: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const held = (entries[middle] as Entry).approximate;
    if (held === exact) return middle;
    if (held < exact === isBid) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isAt(entry: Entry, approximate: number, price: string): boolean {
  return entry.approximate === approximate && (approximate <= EXACT_LIMIT || entry.price === price);
}

/** True when the levels are in the usual order: best first, no two at one price. */
function isBestFirst(levels: readonly PriceLevel[], isBid: boolean): boolean {
  let before: string | undefined;
  for (const { price_ticks } of levels) {
    const price = stripZeros(price_ticks);
    if (before !== undefined && !(isBid ? isBelow(price, before) : isBelow(before, price)))
      return false;
    before = price;
  }
  return true;
}

/** Levels common to two lists, both best first: counts too few if either has another order. */
function countSame(
  held: readonly PriceLevel[],
  levels: readonly PriceLevel[],
  isBid: boolean,
  enough: number,
): number {
  let [count, i, at] = [0, 0, 0];
  while (i < levels.length && at < held.length && count < enough) {
    const [level, other] = [levels[i] as PriceLevel, held[at] as PriceLevel];
    if (level.price_ticks === other.price_ticks) {
      if (level.size_base_lots === other.size_base_lots) count++;
      i++;
      at++;
    } else if (isBetter(level, other, isBid)) i++;
    else at++;
  }
  return count;
}

function isBetter({ price_ticks }: PriceLevel, other: PriceLevel, isBid: boolean): boolean {
  return isBid ? isBelow(other.price_ticks, price_ticks) : isBelow(price_ticks, other.price_ticks);
}

/** For integers without leading zeros. Runs for each level of each whole book. */
function isBelow(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Entries of a whole side in our order. The sort takes one pass if the levels are already ordered, either way. */
function sortEntries(levels: readonly PriceLevel[], isBid: boolean): Entry[] {
  const entries = levels.map((level) => {
    const price = stripZeros(level.price_ticks);
    return { approximate: Number(price), price, level };
  });
  const direction = isBid ? 1 : -1;
  entries.sort((a, b) => direction * compareEntry(a, b.approximate, b.price));
  return entries.filter(
    (entry, i) => entries[i + 1]?.price !== entry.price && !isZero(entry.level.size_base_lots),
  );
}

function compareEntry(entry: Entry, approximate: number, price: string): number {
  if (entry.approximate !== approximate) return entry.approximate - approximate;
  return approximate <= EXACT_LIMIT ? 0 : compareUint(entry.price, price);
}

/** Best prices of both sides, digit text without leading zeros; undefined where a side is empty. */
export interface Top {
  readonly bid: string | undefined;
  readonly ask: string | undefined;
}

export interface Depth {
  readonly bids: number;
  readonly asks: number;
}

/** A side of the book. */
export type SideName = keyof Top;

/** Both sides. Mutated only by its fold; everything it returns is a copy. */
export class Book {
  private bids = new BookSide(true);
  private asks = new BookSide(false);

  /** A book from a frame that holds all of it. */
  static of({ bids, asks }: Orderbook): Book {
    const book = new Book();
    book.bids.replace(bids);
    book.asks.replace(asks);
    return book;
  }

  /** Applies a frame as a delta: each level carries its new absolute size, 0 removes it. */
  apply({ bids, asks }: Orderbook): void {
    for (const level of bids) this.bids.apply(level);
    for (const level of asks) this.asks.apply(level);
  }

  get top(): Top {
    return { bid: this.bids.bestPrice, ask: this.asks.bestPrice };
  }

  get size(): number {
    return this.bids.size + this.asks.size;
  }

  has(side: SideName, price: string | undefined): boolean {
    return price !== undefined && (side === "bid" ? this.bids : this.asks).has(price);
  }

  /** How many levels of a frame are held with exactly the same size. Stops once more than `maxMissing` are not. */
  countHeld({ bids, asks }: Orderbook, maxMissing: number): number {
    const held = this.bids.countHeld(bids, maxMissing);
    return held + this.asks.countHeld(asks, maxMissing - (bids.length - held));
  }

  /**
   * True when, without sorting anything, a frame is seen to remove no level, to have more than half as many levels as the book,
   * and to repeat at least half of the book.
   */
  isClearlyRepeatedBy({ bids, asks }: Orderbook): boolean {
    const most = this.bids.mostLevels + this.asks.mostLevels;
    if ((bids.length + asks.length) * 2 <= most) return false;
    const half = most / 2;
    const repeated = this.bids.countInStep(bids, half);
    if (repeated + this.asks.countInStep(asks, half - repeated) < half) return false;
    return !(mayRemove(bids) || mayRemove(asks));
  }

  /**
   * Differences between the book and a snapshot of it, down to the depth that both hold.
   * @param deepest levels per side of the deepest snapshot so far: a snapshot with fewer is not cut
   */
  compare(snapshot: Book, deepest: Depth): AuditDifference[] {
    const { bids, asks } = snapshot;
    return [
      ...this.bids.compare("bids", bids, bids.size >= deepest.bids),
      ...this.asks.compare("asks", asks, asks.size >= deepest.asks),
    ];
  }

  /** True when neither side holds fewer levels than the other book's. */
  isAsDeepAs(other: Book): boolean {
    return this.bids.size >= other.bids.size && this.asks.size >= other.asks.size;
  }

  /** True when the levels arrived best first, each price once, as far as can be checked at no cost. */
  get isOrdered(): boolean {
    return this.bids.isOrdered && this.asks.isOrdered;
  }

  get levels(): Depth {
    return { bids: this.bids.size, asks: this.asks.size };
  }

  /** The best `count` levels of each side, best first. A copy that later frames do not change. */
  depth(count: number): { bids: PriceLevel[]; asks: PriceLevel[] } {
    return { bids: this.bids.top(count), asks: this.asks.top(count) };
  }
}

/** True when a size starts with a zero, and so may be 0. */
function mayRemove(levels: readonly PriceLevel[]): boolean {
  for (const { size_base_lots } of levels) if (size_base_lots.charCodeAt(0) === 48) return true;
  return false;
}

/** True when the best bid is not below the best ask, as it always is in a real book. */
export function isCrossed({ bid, ask }: Top): boolean {
  return bid !== undefined && ask !== undefined && compareUint(bid, ask) >= 0;
}

/** True when the best bid equals the best ask. */
export function isLocked({ bid, ask }: Top): boolean {
  return bid !== undefined && bid === ask;
}

export function isSameTop(a: Top, b: Top): boolean {
  return a.bid === b.bid && a.ask === b.ask;
}

// An order book: two lists of levels, best first, in the wire's own records. A frame of changes sets absolute sizes; 0 removes.
// Beside each list stand its prices as numbers, to search in; where a number is not exact, the texts decide.

import type { Finding } from "../dialect/dialect.ts";
import { compareUint, isZero, stripZeros } from "../units/uint.ts";
import type { Level, Orderbook } from "../wire/frames.ts";
import { type Fold, NO_FINDINGS } from "./fold.ts";

export interface Book {
  sequence: string | null;
  bids: Level[];
  asks: Level[];
  bidPrices: number[];
  askPrices: number[];
  /** Levels of the first frame. */
  first: number;
  /** Later frames: in a row that repeated most of the book; in a row under a quarter of the first; and how many of either size. */
  wholes: number;
  tinies: number;
  large: number;
  small: number;
}

/** So many frames in a row that look like the other value are no coincidence. */
const FRAMES = 3;
/** Below this many held levels, changes may well name most of them. */
const FEW_LEVELS = 8;
const TINY = 4;

export const bookFold: Fold<Book, "orderbook"> = {
  empty: () => ({
    sequence: null,
    ...{ bids: [], asks: [], bidPrices: [], askPrices: [] },
    ...{ first: 0, wholes: 0, tinies: 0, large: 0, small: 0 },
  }),
  apply(book, { body: { orderbook }, sequence }, { dialect, place }) {
    book.sequence = sequence;
    const levels = orderbook.bids.length + orderbook.asks.length;
    if (place === "first") {
      replace(book, orderbook);
      Object.assign(book, { first: levels, wholes: 0, tinies: 0, large: 0, small: 0 });
      return NO_FINDINGS;
    }
    noteSize(book, levels);
    const isChanges = dialect.book.value === "changes";
    const findings = isChanges ? lookForWholes(book, orderbook) : lookForTinies(book);
    const isLearned = findings.length > 0 && dialect.book.source !== "configured";
    // What is learned holds for this frame, too.
    if (isChanges === isLearned) replace(book, orderbook);
    else change(book, orderbook);
    return findings;
  },
};

function noteSize(book: Book, levels: number): void {
  const isTiny = levels * TINY < book.first;
  book.tinies = isTiny ? book.tinies + 1 : 0;
  if (isTiny) book.small++;
  else book.large++;
}

/** What the sizes of the frames fit: whole books are about as large as the first one. */
export function fitsShape({ large, small }: Book, value: "changes" | "snapshots"): boolean {
  return value === "snapshots" ? small === 0 && large > 0 : small > 0 || large === 0;
}

/** A change names what changed: frames that repeat most of the held book are books. */
function lookForWholes(book: Book, { bids, asks }: Orderbook): readonly Finding[] {
  const held = book.bids.length + book.asks.length;
  const named = bids.length + asks.length;
  const isMost = held >= FEW_LEVELS && named * 2 >= held;
  const repeated = () =>
    countHeld(bids, book.bids, book.bidPrices, -1) + countHeld(asks, book.asks, book.askPrices, 1);
  book.wholes = isMost && repeated() * 2 >= named ? book.wholes + 1 : 0;
  if (book.wholes < FRAMES) return NO_FINDINGS;
  const because = `${FRAMES} frames in a row repeated most of the book`;
  return [{ kind: "learned", point: "book", value: "snapshots", because }];
}

/** Whole books do not shrink to a quarter and stay so. */
function lookForTinies(book: Book): readonly Finding[] {
  if (book.tinies < FRAMES) return NO_FINDINGS;
  const because = `${FRAMES} frames in a row were far smaller than the first`;
  // What the frames before left out is lost.
  const doubt: Finding = { kind: "doubt", because };
  return [{ kind: "learned", point: "book", value: "changes", because }, doubt];
}

function countHeld(
  levels: readonly Level[],
  held: readonly Level[],
  prices: readonly number[],
  direction: Direction,
): number {
  return levels.filter(({ price_ticks, size_base_lots }) => {
    const found = held[indexOf(held, prices, price_ticks, direction)];
    return found?.price_ticks === price_ticks && found.size_base_lots === size_base_lots;
  }).length;
}

function replace(book: Book, orderbook: Orderbook): void {
  Object.assign(book, { bids: [], asks: [], bidPrices: [], askPrices: [] });
  change(book, orderbook);
}

function change(book: Book, { bids, asks }: Orderbook): void {
  for (const level of bids) setLevel(book.bids, book.bidPrices, level, -1);
  for (const level of asks) setLevel(book.asks, book.askPrices, level, 1);
}

/** Of prices from the best one on: bids fall, asks rise. */
type Direction = 1 | -1;

function setLevel(list: Level[], prices: number[], level: Level, direction: Direction): void {
  const at = indexOf(list, prices, level.price_ticks, direction);
  const held = list[at];
  const isHeld = held !== undefined && comparePrices(held.price_ticks, level.price_ticks) === 0;
  if (isZero(level.size_base_lots)) {
    if (!isHeld) return;
    list.splice(at, 1);
    prices.splice(at, 1);
  } else if (isHeld) list[at] = level;
  else {
    list.splice(at, 0, level);
    prices.splice(at, 0, Number(level.price_ticks));
  }
}

function comparePrices(a: string, b: string): number {
  return a === b ? 0 : compareUint(stripZeros(a), stripZeros(b));
}

/** Where a price is, or would be. */
function indexOf(
  list: readonly Level[],
  prices: readonly number[],
  text: string,
  direction: Direction,
): number {
  const price = Number(text) * direction;
  const isExact = Math.abs(price) <= Number.MAX_SAFE_INTEGER;
  let low = 0;
  let high = list.length;
  // A list that is sent in order grows at its end.
  if (high > 0 && (prices[high - 1] ?? 0) * direction < price) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = (prices[middle] ?? 0) * direction;
    const isBefore =
      isExact || other !== price
        ? other < price
        : comparePrices(list[middle]?.price_ticks ?? "0", text) * direction < 0;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

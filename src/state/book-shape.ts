// What an order book frame looks like by itself: the whole book, or changes of it?

import { isZero } from "../units/uint.ts";
import type { Orderbook } from "../wire/channels/orderbook.ts";
import type { Book } from "./book.ts";

/** Logarithms of odds for "whole". A level of size 0 makes no sense in a whole book. */
const IF_REMOVES = -1.5;
/** Most levels are repeated unchanged: changes would leave them out. */
const IF_REPEATS = 3;
/** Few levels beside the last that was whole for sure, none of them as held: a whole book rarely shrinks to that. */
const IF_TOUCHES_FEW = -1.5;
/** Smaller frames and books show no shape. */
const MIN_REPEATED = 3;
export const MIN_BOOK = 8;

/**
 * Evidence that a frame, seen beside the book held so far, is whole (positive) or changes (negative): the logarithm
 * of its odds.
 * @param held what changes have made of the last whole book: were they none, it holds levels that are long gone
 * @param wholeSize levels of the last whole book
 */
export function shapeEvidence(frame: Orderbook, held: Book, wholeSize: number): number {
  const levels = frame.bids.length + frame.asks.length;
  const removes = (level: { size_base_lots: string }) => isZero(level.size_base_lots);
  if (frame.bids.some(removes) || frame.asks.some(removes)) return IF_REMOVES;
  const isFew = levels * 2 < wholeSize && wholeSize >= MIN_BOOK;
  // When more than half are not held, how many are is of no interest, but for a frame of few: whether any is.
  const repeated = held.countHeld(frame, isFew ? levels : levels / 2);
  if (repeated >= MIN_REPEATED && repeated * 2 >= levels) return IF_REPEATS;
  return isFew && repeated === 0 ? IF_TOUCHES_FEW : 0;
}

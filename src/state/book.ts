// A whole order book: two sides, changed by the frames of one channel under one interpretation of them.

import { compareUint } from "../units/uint.ts";
import type { Orderbook, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditDifference } from "./audits.ts";
import { BookSide } from "./book-side.ts";

/** Best prices of both sides, digit text without leading zeros; undefined where a side is empty. */
export interface Top {
  readonly bid: string | undefined;
  readonly ask: string | undefined;
}

/** Counts of levels. */
export interface Depth {
  readonly bids: number;
  readonly asks: number;
}

/** A side of the book, by the name of its best price. */
export type SideName = keyof Top;

/** Both sides. Changed in place by its fold only; what leaves it is a copy. */
export class Book {
  private bids = new BookSide(true);
  private asks = new BookSide(false);

  /** The book that a frame describes as a whole. */
  static of({ bids, asks }: Orderbook): Book {
    const book = new Book();
    book.bids.replace(bids);
    book.asks.replace(asks);
    return book;
  }

  /** Takes a frame as changes: each level carries its new absolute size, 0 removes it. */
  apply({ bids, asks }: Orderbook): void {
    for (const level of bids) this.bids.apply(level);
    for (const level of asks) this.asks.apply(level);
  }

  get top(): Top {
    return { bid: this.bids.bestPrice, ask: this.asks.bestPrice };
  }

  /** Count of levels of both sides. */
  get size(): number {
    return this.bids.size + this.asks.size;
  }

  /** True when a level of this price is held. */
  has(side: SideName, price: string | undefined): boolean {
    return price !== undefined && (side === "bid" ? this.bids : this.asks).has(price);
  }

  /** How many levels of a frame are held with exactly the same size, counted until more than so many are not. */
  countHeld({ bids, asks }: Orderbook, maxMissing: number): number {
    const held = this.bids.countHeld(bids, maxMissing);
    return held + this.asks.countHeld(asks, maxMissing - (bids.length - held));
  }

  /**
   * True where a look at a frame shows, without sorting anything, that it sets levels alone, more than half as many as the book has,
   * and repeats half of the book at least.
   */
  isRepeatedAtSight({ bids, asks }: Orderbook): boolean {
    const most = this.bids.mostLevels + this.asks.mostLevels;
    if ((bids.length + asks.length) * 2 <= most) return false;
    const half = most / 2;
    const repeated = this.bids.countInStep(bids, half);
    if (repeated + this.asks.countInStep(asks, half - repeated) < half) return false;
    return !(mayRemove(bids) || mayRemove(asks));
  }

  /**
   * Where the book and a snapshot of it differ, down to the depth that both hold.
   * @param deepest levels of each side of the deepest snapshot so far: one with fewer is not cut
   */
  compare(snapshot: Book, deepest: Depth): AuditDifference[] {
    const sides = [
      ["bids", this.bids, snapshot.bids],
      ["asks", this.asks, snapshot.asks],
    ] as const;
    return sides.flatMap(([part, ours, theirs]) =>
      ours
        .compare(theirs, theirs.size >= deepest[part])
        .map(({ price, how }) => ({ part, row: price, how })),
    );
  }

  /** True when no side of the book holds fewer levels than that of another. */
  isAsDeepAs(other: Book): boolean {
    return this.bids.size >= other.bids.size && this.asks.size >= other.asks.size;
  }

  /** True where the levels came best first, each price once, as far as that can be said at no cost. */
  get isOrdered(): boolean {
    return this.bids.isOrdered && this.asks.isOrdered;
  }

  get levels(): Depth {
    return { bids: this.bids.size, asks: this.asks.size };
  }

  /** The best `count` levels of each side, best first. A fresh copy that later frames do not change. */
  depth(count: number): { bids: PriceLevel[]; asks: PriceLevel[] } {
    return { bids: this.bids.top(count), asks: this.asks.top(count) };
  }
}

/** True when a size is 0, or has a zero before it. */
function mayRemove(levels: readonly PriceLevel[]): boolean {
  for (const { size_base_lots } of levels) if (size_base_lots.charCodeAt(0) === 48) return true;
  return false;
}

/** True when the best bid is not below the best ask: no real book stands like that. */
export function isCrossed({ bid, ask }: Top): boolean {
  return bid !== undefined && ask !== undefined && compareUint(bid, ask) >= 0;
}

/** True when somebody bids just what somebody asks. */
export function isLocked({ bid, ask }: Top): boolean {
  return bid !== undefined && bid === ask;
}

/** True when the best prices of both sides are the same. */
export function isSameTop(a: Top, b: Top): boolean {
  return a.bid === b.bid && a.ask === b.ask;
}

// A whole order book: two sides, changed by the frames of one channel under one reading of them.
import type { Orderbook } from "../protocol/channels/orderbook.ts";
import type { PriceLevel } from "../protocol/channels/price-level.ts";
import { compareUint } from "../units/uint.ts";
import { BookSide } from "./book-side.ts";

/** Best prices of both sides, digit text without leading zeros; undefined where a side is empty. */
export interface Top {
  readonly bid: string | undefined;
  readonly ask: string | undefined;
}

/** A side of the book, by the name of its best price. */
export type SideName = keyof Top;

/** Both sides. Changed in place by its fold only; what leaves it is a copy. */
export class Book {
  #bids = new BookSide(true);
  #asks = new BookSide(false);

  /** The book that a frame describes as a whole. */
  static of({ bids, asks }: Orderbook): Book {
    const book = new Book();
    book.#bids.replace(bids);
    book.#asks.replace(asks);
    return book;
  }

  /** The same book, of which later changes do not reach this one. */
  copy(): Book {
    const copy = new Book();
    copy.#bids = this.#bids.copy();
    copy.#asks = this.#asks.copy();
    return copy;
  }

  /** Takes a frame as changes: each level carries its new absolute size, 0 removes it. */
  apply({ bids, asks }: Orderbook): void {
    for (const level of bids) this.#bids.apply(level);
    for (const level of asks) this.#asks.apply(level);
  }

  get top(): Top {
    return { bid: this.#bids.bestPrice, ask: this.#asks.bestPrice };
  }

  /** Count of levels of both sides. */
  get size(): number {
    return this.#bids.size + this.#asks.size;
  }

  /** True when a level of this price is held. */
  has(side: SideName, price: string | undefined): boolean {
    return price !== undefined && (side === "bid" ? this.#bids : this.#asks).has(price);
  }

  /** How many levels of a frame are held with exactly the same size. */
  countHeld({ bids, asks }: Orderbook): number {
    let held = 0;
    for (const level of bids) if (this.#bids.holds(level)) held++;
    for (const level of asks) if (this.#asks.holds(level)) held++;
    return held;
  }

  /** The best `count` levels of each side, best first. A fresh copy that later frames do not change. */
  depth(count: number): { bids: PriceLevel[]; asks: PriceLevel[] } {
    return { bids: this.#bids.top(count), asks: this.#asks.top(count) };
  }
}

/** True when the best bid is not below the best ask: no real book stands like that. Never throws. */
export function isCrossed({ bid, ask }: Top): boolean {
  return bid !== undefined && ask !== undefined && compareUint(bid, ask) >= 0;
}

/** True when the best prices of both sides are the same. Never throws. */
export function isSameTop(a: Top, b: Top): boolean {
  return a.bid === b.bid && a.ask === b.ask;
}

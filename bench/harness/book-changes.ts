// Order books and their deltas from a seed, as on the wire: most changes near the top, a few that add or remove levels.

import { createRandom, type Random } from "../../src/units/random.ts";
import type { Orderbook, PriceLevel } from "../../src/wire/channels/orderbook.ts";

export interface BookChanges {
  readonly first: Orderbook;
  /** Each has a few levels; size 0 removes one. */
  readonly changes: readonly Orderbook[];
}

const LEVELS_A_FRAME = 4;
const LARGEST_SIZE = 1e8;

/**
 * @param levels levels of each side, roughly maintained by the changes
 * @param middle the price between the sides, in ticks
 */
export function createBookChanges(
  levels: number,
  middle: bigint,
  frames: number,
  seed: number,
): BookChanges {
  const random = createRandom(seed);
  const bids = new Side(random, levels, (offset) => (middle - BigInt(offset)).toString());
  const asks = new Side(random, levels, (offset) => (middle + BigInt(offset)).toString());
  const first = { bids: bids.whole(), asks: asks.whole() };
  const changes = Array.from({ length: frames }, () => {
    const orderbook = { bids: [] as PriceLevel[], asks: [] as PriceLevel[] };
    for (let i = 0; i < LEVELS_A_FRAME; i++) {
      if (random() < 0.5) orderbook.bids.push(bids.change());
      else orderbook.asks.push(asks.change());
    }
    return orderbook;
  });
  return { first, changes };
}

/** One side as distances from the middle, nearest first. */
class Side {
  readonly #random: Random;
  readonly #levels: number;
  readonly #price: (offset: number) => string;
  readonly #offsets: number[] = [];

  constructor(random: Random, levels: number, price: (offset: number) => string) {
    this.#random = random;
    this.#levels = levels;
    this.#price = price;
    let offset = 0;
    while (this.#offsets.length < levels) {
      offset += 1 + this.#below(3);
      this.#offsets.push(offset);
    }
  }

  whole(): PriceLevel[] {
    return this.#offsets.map((offset) => this.#level(offset));
  }

  change(): PriceLevel {
    const at = this.#nearTop();
    const offset = this.#offsets[at] ?? 1;
    const turn = this.#random();
    const isShort = this.#offsets.length < this.#levels * 0.9;
    const isLong = this.#offsets.length > this.#levels * 1.1;
    if (turn < 0.7 || (turn < 0.85 ? isShort : isLong)) return this.#level(offset);
    if (turn >= 0.85) return this.#level(this.#insertNear(offset));
    this.#offsets.splice(at, 1);
    return { price_ticks: this.#price(offset), size_base_lots: "0" };
  }

  #insertNear(offset: number): number {
    let free = offset + 1;
    let at = this.#offsets.indexOf(offset) + 1;
    for (; this.#offsets[at] === free; at++) free++;
    this.#offsets.splice(at, 0, free);
    return free;
  }

  /** Most changes are near the top. */
  #nearTop(): number {
    const depth = -Math.log(1 - this.#random()) * Math.max(4, this.#levels / 8);
    return Math.min(this.#offsets.length - 1, Math.floor(depth));
  }

  #level(offset: number): PriceLevel {
    return {
      price_ticks: this.#price(offset),
      size_base_lots: String(1 + this.#below(LARGEST_SIZE)),
    };
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

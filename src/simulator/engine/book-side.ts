// One side of a book: price levels in order, and the queue of orders at each price.
import type { Order } from "./order.ts";

/** All orders at one price, oldest first. Never empty while it is in a book. */
export interface Level {
  readonly priceTicks: number;
  sizeLots: number;
  first: Order | undefined;
  last: Order | undefined;
}

/** The bids or the asks. Never throws. */
export class BookSide {
  /** Best price last, so that the busy end is the cheap end. Only this class changes it. */
  readonly levels: Level[] = [];
  /** 1 where a higher price is better (bids), -1 where a lower one is (asks). */
  readonly #direction: 1 | -1;

  constructor(isBid: boolean) {
    this.#direction = isBid ? 1 : -1;
  }

  /** The level that trades first; undefined when the side is empty. */
  get best(): Level | undefined {
    return this.levels[this.levels.length - 1];
  }

  /** The level at a price; undefined when nothing rests there. */
  levelAt(priceTicks: number): Level | undefined {
    const level = this.levels[this.#indexOf(priceTicks)];
    return level?.priceTicks === priceTicks ? level : undefined;
  }

  /** Puts an order at the end of the queue of its price. */
  add(order: Order): void {
    const level = this.#levelFor(order.priceTicks);
    order.level = level;
    order.ahead = level.last;
    if (level.last === undefined) level.first = order;
    else level.last.behind = order;
    level.last = order;
    level.sizeLots += order.remainingLots;
  }

  /** Takes a resting order out, and its level when it was the last one there. */
  remove(order: Order, level: Level): void {
    if (order.ahead === undefined) level.first = order.behind;
    else order.ahead.behind = order.behind;
    if (order.behind === undefined) level.last = order.ahead;
    else order.behind.ahead = order.ahead;
    order.level = undefined;
    order.ahead = undefined;
    order.behind = undefined;
    level.sizeLots -= order.remainingLots;
    if (level.first === undefined) this.#drop(level);
  }

  #levelFor(priceTicks: number): Level {
    const index = this.#indexOf(priceTicks);
    const found = this.levels[index];
    if (found?.priceTicks === priceTicks) return found;
    const level: Level = { priceTicks, sizeLots: 0, first: undefined, last: undefined };
    if (index === this.levels.length) this.levels.push(level);
    else this.levels.splice(index, 0, level);
    return level;
  }

  #drop(level: Level): void {
    if (this.best === level) this.levels.pop();
    else this.levels.splice(this.#indexOf(level.priceTicks), 1);
  }

  /** Index of the first level that is not worse than a price: where that price is, or would go. */
  #indexOf(priceTicks: number): number {
    const { levels } = this;
    const wanted = priceTicks * this.#direction;
    let low = 0;
    let high = levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = levels[middle];
      if (level !== undefined && level.priceTicks * this.#direction < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

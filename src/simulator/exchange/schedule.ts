// Runs the exchange in simulated time: each act that is due is one transaction.
import type { Exchange } from "./exchange.ts";

/** An act of a trader or of the exchange itself, inside a transaction. @returns microseconds until the next one */
export type Act = (nowUs: number) => number;

interface WakeUp {
  readonly act: Act;
  atUs: number;
}

export class Schedule {
  readonly #exchange: Exchange;
  /** The next one last. Equal times keep the order in which they were added. */
  readonly #wakeUps: WakeUp[] = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Simulated time of the next act; Infinity if there is none. */
  get nextUs(): number {
    return this.#wakeUps[this.#wakeUps.length - 1]?.atUs ?? Number.POSITIVE_INFINITY;
  }

  add(act: Act, atUs: number): void {
    this.#insert({ act, atUs });
  }

  /**
   * Advances time up to and including a moment.
   * @param maxSteps stop after this many acts, so that a long span can be run in turns
   * @returns true if the moment was reached
   */
  runUntil(timeUs: number, maxSteps = Number.POSITIVE_INFINITY): boolean {
    for (let steps = 0; this.nextUs <= timeUs; steps++) {
      if (steps >= maxSteps) return false;
      this.#step();
    }
    return true;
  }

  #step(): void {
    const next = this.#wakeUps.pop();
    if (next === undefined) return;
    this.#exchange.begin(next.atUs);
    next.atUs += Math.max(1, Math.round(next.act(next.atUs)));
    this.#insert(next);
    this.#exchange.commit();
  }

  /** Inserted before those due at the same time, since the list is in reverse: it runs after them. */
  #insert(wakeUp: WakeUp): void {
    let low = 0;
    let high = this.#wakeUps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#wakeUps[middle]?.atUs ?? 0) > wakeUp.atUs) low = middle + 1;
      else high = middle;
    }
    this.#wakeUps.splice(low, 0, wakeUp);
  }
}

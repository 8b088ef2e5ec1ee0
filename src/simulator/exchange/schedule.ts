// The exchange in simulated time: whoever is due acts, one transaction each, as far as time is asked to go.
import type { Exchange } from "./exchange.ts";

/** What a trader, or the exchange itself, does inside a transaction. @returns microseconds until it acts again */
export type Act = (nowUs: number) => number;

interface WakeUp {
  readonly act: Act;
  atUs: number;
}

export class Simulation {
  readonly exchange: Exchange;
  /** The next one last. Equal times keep the order in which they were set. */
  readonly #wakeUps: WakeUp[] = [];
  nowUs = 0;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** Simulated time at which something happens next; Infinity when nothing does. */
  get nextUs(): number {
    return this.#wakeUps[this.#wakeUps.length - 1]?.atUs ?? Number.POSITIVE_INFINITY;
  }

  add(act: Act, atUs: number): void {
    this.#insert({ act, atUs });
  }

  /**
   * Lets time pass up to a moment, that moment included.
   * @param maxSteps stop after this many acts, so that a long way can be gone in turns
   * @returns true when the moment was reached
   */
  runUntil(timeUs: number, maxSteps = Number.POSITIVE_INFINITY): boolean {
    for (let steps = 0; this.nextUs <= timeUs; steps++) {
      if (steps >= maxSteps) return false;
      this.step();
    }
    this.nowUs = Math.max(this.nowUs, timeUs);
    return true;
  }

  /** Goes to the next moment at which somebody acts. */
  step(): void {
    const next = this.#wakeUps.pop();
    if (next === undefined) return;
    this.nowUs = next.atUs;
    this.exchange.begin(this.nowUs);
    next.atUs += Math.max(1, Math.round(next.act(next.atUs)));
    this.#insert(next);
    this.exchange.commit();
  }

  /** Behind all that are due at the same time, which stand after it in the list. */
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

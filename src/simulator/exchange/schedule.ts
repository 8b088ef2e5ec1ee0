// Runs the exchange in simulated time: each act that is due is one transaction.
import type { Exchange } from "./exchange.ts";

/** An act of a trader or of the exchange itself, inside a transaction. @returns microseconds until the next one */
export type Act = (nowUs: number) => number;

export class Schedule {
  readonly #exchange: Exchange;
  /** The next one last. Equal times keep the order in which they were added. */
  readonly #wakeUps: { readonly act: Act; atUs: number }[] = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Simulated time of the next act; Infinity if there is none. */
  get nextUs(): number {
    return this.#wakeUps[this.#wakeUps.length - 1]?.atUs ?? Number.POSITIVE_INFINITY;
  }

  add(act: Act, atUs: number): void {
    let place = this.#wakeUps.length;
    while ((this.#wakeUps[place - 1]?.atUs ?? Number.POSITIVE_INFINITY) <= atUs) place--;
    this.#wakeUps.splice(place, 0, { act, atUs });
  }

  /**
   * Advances time up to and including a moment.
   * @param maxSteps stop after this many acts, so that a long span can be run in turns
   * @returns true if the moment was reached
   */
  runUntil(timeUs: number, maxSteps = Number.POSITIVE_INFINITY): boolean {
    for (let steps = 0; this.nextUs <= timeUs; steps++) {
      if (steps >= maxSteps) return false;
      const next = this.#wakeUps.pop();
      if (next === undefined) return true;
      const { act, atUs } = next;
      this.#exchange.transact(atUs, () => {
        this.add(act, atUs + Math.max(1, Math.round(act(atUs))));
      });
    }
    return true;
  }
}

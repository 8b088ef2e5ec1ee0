// Who acts when, in simulated time: a heap of wake-up times. Equal times keep the order in which they were set.
import type { Exchange } from "./exchange.ts";

/** Somebody who does things on the exchange: a trader, the oracle, the liquidator. */
export interface Actor {
  /** Acts inside a transaction. @returns microseconds until it acts again, 1 or more. */
  act(nowUs: number): number;
}

interface WakeUp {
  readonly actor: Actor;
  atUs: number;
  order: number;
}

/** The actors, and when each acts next. */
export class Schedule {
  readonly #heap: WakeUp[] = [];
  #count = 0;

  /** Time of the next wake-up; Infinity when there is none. */
  get nextUs(): number {
    return this.#heap[0]?.atUs ?? Number.POSITIVE_INFINITY;
  }

  add(actor: Actor, atUs: number): void {
    this.#heap.push({ actor, atUs, order: this.#count++ });
    this.#rise(this.#heap.length - 1);
  }

  /** Lets the next one act and notes when it wants to act again. */
  step(): void {
    const top = this.#heap[0];
    if (top === undefined) return;
    const delayUs = top.actor.act(top.atUs);
    top.atUs += Math.max(1, Math.round(delayUs));
    top.order = this.#count++;
    this.#sink(0);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let first = this.#isBefore(left, at) ? left : at;
      if (this.#isBefore(right, first)) first = right;
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const one = this.#heap[a];
    const two = this.#heap[b];
    if (one === undefined || two === undefined) return false;
    return one.atUs < two.atUs || (one.atUs === two.atUs && one.order < two.order);
  }

  #swap(a: number, b: number): void {
    const one = this.#heap[a];
    const two = this.#heap[b];
    if (one === undefined || two === undefined) return;
    this.#heap[a] = two;
    this.#heap[b] = one;
  }
}

/** An exchange with its schedule, and how far time has come. */
export class Simulation {
  readonly exchange: Exchange;
  readonly #schedule: Schedule;
  #nowUs = 0;

  constructor(exchange: Exchange, schedule: Schedule) {
    this.exchange = exchange;
    this.#schedule = schedule;
  }

  /** How far simulated time has come, in microseconds. */
  get nowUs(): number {
    return this.#nowUs;
  }

  /** Simulated time at which something happens next. */
  get nextUs(): number {
    return this.#schedule.nextUs;
  }

  /**
   * Lets time pass up to a moment, that moment included.
   * @param maxSteps stop after this many wake-ups, so that a long way can be gone in turns
   * @returns true when the moment was reached
   */
  runUntil(timeUs: number, maxSteps = Number.POSITIVE_INFINITY): boolean {
    for (let steps = 0; this.#schedule.nextUs <= timeUs; steps++) {
      if (steps >= maxSteps) return false;
      this.step();
    }
    this.#nowUs = Math.max(this.#nowUs, timeUs);
    return true;
  }

  /** Goes to the next moment at which somebody acts. */
  step(): void {
    this.#nowUs = this.#schedule.nextUs;
    this.exchange.begin(this.#nowUs);
    this.#schedule.step();
    this.exchange.commit();
  }
}

// The exchange in simulated time: whoever is due acts, one transaction each, as far as time is asked to go.
import type { Exchange } from "./exchange.ts";
import type { Schedule } from "./schedule.ts";

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

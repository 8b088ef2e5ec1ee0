// A limit on how long something may take, on the clock that everything else goes by.
import type { Clock } from "../../units/clock.ts";

/** Aborts its signal when the time is over; each `begin` gives it anew. */
export class Deadline {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on there are so many milliseconds. @param reason what the signal is aborted with */
  begin(ms: number, reason: Error): void {
    this.#cancel();
    this.#cancel = this.#clock.after(ms, () => this.#controller.abort(reason));
  }

  /** There is no limit any more. */
  end(): void {
    this.#cancel();
  }
}

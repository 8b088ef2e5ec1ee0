// Waiting for a condition, for a time, or for an interruption, whichever comes first.
import type { Clock } from "../units/clock.ts";

export type WaitEnd = "met" | "timeout" | "interrupted";

/** Waits for one condition at a time. */
export class Waiter {
  readonly #clock: Clock;
  readonly #interrupt: AbortSignal;
  /** Something has changed: the condition that is waited for is looked at again. */
  check: () => void = () => {};

  constructor(clock: Clock, interrupt: AbortSignal) {
    this.#clock = clock;
    this.#interrupt = interrupt;
  }

  /** @param isMet what it throws is what the wait rejects with */
  until(isMet: () => boolean, timeoutMs: number): Promise<WaitEnd> {
    const interrupt = this.#interrupt;
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.check = () => {};
        cancel();
        interrupt.removeEventListener("abort", onInterrupt);
      };
      const end = (how: WaitEnd) => {
        settle();
        resolve(how);
      };
      const onInterrupt = () => end("interrupted");
      const cancel = this.#clock.after(timeoutMs, () => end("timeout"));
      this.check = () => {
        try {
          if (isMet()) end("met");
        } catch (error) {
          settle();
          reject(error);
        }
      };
      interrupt.addEventListener("abort", onInterrupt, { once: true });
      if (interrupt.aborted) onInterrupt();
      this.check();
    });
  }
}

// Waiting for a condition, for a time, or for an interruption, whichever comes first.
import type { Clock } from "../units/clock.ts";

/** Why a wait is over; it has met its condition, run out of time, or was interrupted. */
export type WaitEnd = "met" | "timeout" | "interrupted";

/** A condition that somebody checks again whenever it may have changed. */
export class Wait {
  readonly #isMet: () => boolean;
  readonly #resolve: (end: WaitEnd) => void;
  readonly ended: Promise<WaitEnd>;
  #isOver = false;

  /** @param isMet may throw: then `ended` rejects with what it threw */
  constructor(isMet: () => boolean, timeoutMs: number, clock: Clock, interrupt: AbortSignal) {
    const { promise, resolve, reject } = promiseParts<WaitEnd>();
    const cancel = clock.after(timeoutMs, () => this.#resolve("timeout"));
    const onInterrupt = () => this.#resolve("interrupted");
    const settle = () => {
      this.#isOver = true;
      cancel();
      interrupt.removeEventListener("abort", onInterrupt);
    };
    this.#resolve = (end) => {
      settle();
      resolve(end);
    };
    this.#isMet = () => {
      try {
        return isMet();
      } catch (error) {
        settle();
        reject(error);
        return false;
      }
    };
    this.ended = promise;
    interrupt.addEventListener("abort", onInterrupt, { once: true });
    if (interrupt.aborted) onInterrupt();
  }

  /** Something has changed: look again, unless it has ended. */
  check(): void {
    if (!this.#isOver && this.#isMet()) this.#resolve("met");
  }
}

function promiseParts<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

// A token bucket for requests, first come, first served.
import type { Clock } from "../../units/clock.ts";

export interface RequestBudgetOptions {
  readonly clock: Clock;
  /** Greater than zero. */
  readonly perSecond: number;
  readonly burst: number;
}

/** Shared by all background requests. At most `burst + perSecond × t` requests are made in `t` seconds. */
export class RequestBudget {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #queue: (() => void)[] = [];
  #left: number;
  #atMs: number;
  #cancel: (() => void) | undefined;

  constructor({ clock, perSecond, burst }: RequestBudgetOptions) {
    this.#clock = clock;
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#left = burst;
    this.#atMs = clock.now();
  }

  /** Resolves when one request may be made. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(grant), 1);
        if (this.#queue.length === 0) this.#rest();
        reject(signal.reason);
      };
      const grant = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(grant);
      this.#serve();
    });
  }

  #serve(): void {
    const nowMs = this.#clock.now();
    this.#left = Math.min(this.#burst, this.#left + (nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    while (this.#left >= 1 && this.#queue.length > 0) {
      this.#left--;
      this.#queue.shift()?.();
    }
    this.#rest();
    if (this.#queue.length === 0) return;
    const waitMs = Math.ceil((1 - this.#left) / this.#perMs);
    this.#cancel = this.#clock.after(waitMs, () => this.#serve());
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Requests allowed while a market opens: within its first second, and within three. */
const FIRST_SECOND = 9;
const FIRST_THREE_SECONDS = 15;

/** A burst that still allows for the following seconds. */
export function openingBurst(perSecond: number): number {
  return Math.max(1, Math.min(FIRST_SECOND - perSecond, FIRST_THREE_SECONDS - 3 * perSecond));
}

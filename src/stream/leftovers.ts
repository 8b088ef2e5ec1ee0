// Channels of one connection that nobody wants any more: a service that goes on sending one of them has not
// heard, or not heeded, that it should stop, and is told again.
import type { Clock } from "../units/clock.ts";

/** A service that goes on sending what nobody wants is told to stop this often at the most. */
const TELL_PERIOD_MS = 10_000;
/** Channels of one connection that are remembered after nobody wants them. */
const MAX_LEFT = 10_000;

interface Left {
  /** When the service was last told to stop. */
  toldAtMs: number;
  owed: number;
}

/** Channels of one connection that were given up, at most `MAX_LEFT`. Never throws. */
export class Leftovers {
  readonly #clock: Clock;
  readonly #left = new Map<string, Left>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param owed unsubscribe commands that no answer has come to */
  add(channel: string, owed: number): void {
    if (this.#left.size < MAX_LEFT) this.#left.set(channel, { toldAtMs: this.#clock.now(), owed });
  }

  /** Somebody wants it again. Answers how many unsubscribe commands are unanswered; undefined when the service cannot hold it. */
  take(channel: string): number | undefined {
    const left = this.#left.get(channel);
    this.#left.delete(channel);
    return left?.owed;
  }

  /** An unsubscribe was answered. */
  onUnsubscribed(channel: string): void {
    const left = this.#left.get(channel);
    if (left !== undefined && left.owed > 0) left.owed--;
  }

  /** True when an update of this channel means that the service must be told again. */
  mustTell(channel: string): boolean {
    const left = this.#left.get(channel);
    const now = this.#clock.now();
    if (left === undefined || now - left.toldAtMs < TELL_PERIOD_MS) return false;
    left.toldAtMs = now;
    left.owed++;
    return true;
  }

  clear(): void {
    this.#left.clear();
  }
}

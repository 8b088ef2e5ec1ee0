// Channels of one connection that nobody wants any more: a service that goes on sending one of them has not
// heard, or not heeded, that it should stop, and is told again.
import type { Clock } from "../units/clock.ts";

/** A service that goes on sending what nobody wants is told to stop this often at the most. */
const TELL_PERIOD_MS = 10_000;
/** Channels of one connection that are remembered after nobody wants them. */
const MAX_LEFT = 10_000;

/** Channels of one connection that were given up, at most `MAX_LEFT`. Never throws. */
export class Leftovers {
  readonly #clock: Clock;
  /** When the service was last told to stop. */
  readonly #toldAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(channel: string): void {
    if (this.#toldAtMs.size < MAX_LEFT) this.#toldAtMs.set(channel, this.#clock.now());
  }

  /** Somebody wants it again. True when the service may still hold it. */
  take(channel: string): boolean {
    return this.#toldAtMs.delete(channel);
  }

  /** True when an update of this channel means that the service must be told again. */
  mustTell(channel: string): boolean {
    const toldAtMs = this.#toldAtMs.get(channel);
    const now = this.#clock.now();
    if (toldAtMs === undefined || now - toldAtMs < TELL_PERIOD_MS) return false;
    this.#toldAtMs.set(channel, now);
    return true;
  }

  clear(): void {
    this.#toldAtMs.clear();
  }
}

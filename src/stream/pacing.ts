// Decides when a socket is read: not for too long in one turn of the event loop, and not too often under constant traffic.
// Nothing is dropped; messages wait in the socket for some milliseconds.
import type { Clock } from "../units/clock.ts";

/** Reading yields to drawing and input after this long in one turn. */
const TURN_BUDGET_MS = 6;
/** Turns starting closer together than this are constant traffic; so are turns with several messages after a rest. */
const FREQUENT_MS = 12;
/** Rest between two turns: less than a frame, so that each frame has new data. Each turn costs as much as ten short messages. */
const REST_MS = 14;
/** A turn that took this long has more to read: a rest would only delay it. */
const LONG_TURN_MS = 3;

export interface Pausable {
  pause(): void;
  resume(): void;
}

/** The pacing of one socket, from its first message to `end`. */
export class Pacing {
  readonly #clock: Pick<Clock, "now" | "after" | "soon">;
  readonly #socket: Pausable;
  #startedAt: number | undefined;
  #lastStartedAt = Number.NEGATIVE_INFINITY;
  #messages = 0;
  #isBehindRest = false;
  #isPaused = false;
  #isWaiting = false;
  #cancel = () => {};

  constructor(clock: Pick<Clock, "now" | "after" | "soon">, socket: Pausable) {
    this.#clock = clock;
    this.#socket = socket;
  }

  note(): void {
    const now = this.#clock.now();
    this.#messages++;
    if (this.#startedAt === undefined) {
      this.#startedAt = now;
      // Messages read before a rest began may arrive during it.
      this.#cancel();
      this.#cancel = this.#clock.soon(() => this.#endTurn(now));
    } else if (now - this.#startedAt > TURN_BUDGET_MS) this.#pause();
  }

  /** While a time-critical response such as a pong is awaited, there are no rests. */
  await(isWaiting: boolean): void {
    this.#isWaiting = isWaiting;
    if (isWaiting && this.#startedAt === undefined) this.#resume();
  }

  end(): void {
    this.#cancel();
  }

  #endTurn(startedAt: number): void {
    const now = this.#clock.now();
    const isFrequent =
      startedAt - this.#lastStartedAt < FREQUENT_MS || (this.#isBehindRest && this.#messages > 1);
    this.#messages = 0;
    this.#isBehindRest = false;
    this.#startedAt = undefined;
    this.#lastStartedAt = startedAt;
    if (!isFrequent || this.#isWaiting || now - startedAt > LONG_TURN_MS) this.#resume();
    else {
      this.#pause();
      this.#isBehindRest = true;
      this.#cancel = this.#clock.after(REST_MS, () => this.#resume());
    }
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  #resume(): void {
    this.#cancel();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }
}

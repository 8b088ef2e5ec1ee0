// When to draw: for data at most so many times a second, for the user at once, and never while nothing changes.
import type { Clock } from "../units/clock.ts";

/** Timers are late by a millisecond or two; without taking that back, 60 frames a second would be 55. */
const LATE_MS = 8;

export class FrameClock {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #draw: (isAnswer: boolean) => void;
  #cancelFrame: (() => void) | undefined;
  #cancelAnswer: (() => void) | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Of the frame that is asked for. */
  #dueMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  /** @param draw is told whether it answers the user */
  constructor(clock: Clock, framesPerSecond: number, draw: (isAnswer: boolean) => void) {
    this.#clock = clock;
    this.#periodMs = 1000 / framesPerSecond;
    this.#draw = draw;
  }

  /** Something has changed. @param isAnswer to the user: waits for the rest of this turn's input only */
  request(isAnswer = false): void {
    if (isAnswer && !this.#isStopped) this.#cancelAnswer ??= this.#clock.next(() => this.#answer());
    else if (this.#dueMs > this.#lastMs + this.#periodMs) this.requestAfter(0);
  }

  /** Draws after this long, if nothing has been drawn before. */
  requestAfter(ms: number): void {
    const nowMs = this.#clock.now();
    const dueMs = Math.max(nowMs + ms, this.#lastMs + this.#periodMs);
    if (this.#isStopped || dueMs >= this.#dueMs) return;
    this.#cancelFrame?.();
    this.#dueMs = dueMs;
    this.#cancelFrame = this.#clock.after(dueMs - nowMs, () => this.#frame());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelFrame?.();
    this.#cancelAnswer?.();
  }

  /** An answer is drawn besides the paced frames, which keep their rhythm. */
  #answer(): void {
    this.#cancelAnswer = undefined;
    this.#draw(true);
  }

  #frame(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    const dueMs = this.#lastMs + this.#periodMs;
    this.#lastMs = now - dueMs < LATE_MS ? dueMs : now;
    this.#draw(false);
  }
}

// Decides when to draw a frame: at a limited rate, immediately after input, and without a timer while nothing is dirty.

import type { Clock } from "../../units/clock.ts";

export type FrameTimer = Omit<Clock, "wall">;

/** The first tree change within this time after input counts as its result and is not delayed. */
const ANSWER_WITHIN_MS = 100;

/** Millisecond timers fire slightly early or late: a frame this close to its due time counts as on time. */
const TIMER_SLACK_MS = 1.5;

/**
 * Calls `draw` for requests, coalescing them. Requests made during a call lead to another call. Changes made by input in its own
 * turn are drawn in addition to the paced frames, which stay on schedule.
 */
export class FrameClock {
  readonly #timer: FrameTimer;
  readonly #draw: (isAnswer: boolean) => void;
  readonly #periodMs: number;
  #lastFrameAt = Number.NEGATIVE_INFINITY;
  #inputAt = Number.NEGATIVE_INFINITY;
  #isNow = false;
  #cancel: (() => void) | undefined;
  #cancelAnswer: (() => void) | undefined;
  #cancelInputTurn: (() => void) | undefined;

  constructor(timer: FrameTimer, framesPerSecond: number, draw: (isAnswer: boolean) => void) {
    this.#timer = timer;
    this.#periodMs = 1000 / framesPerSecond;
    this.#draw = draw;
  }

  /** True in the turn of the event loop that handles input: changes made now are its result. */
  get isInputTurn(): boolean {
    return this.#cancelInputTurn !== undefined;
  }

  /** Something is dirty: draws as soon as the last frame is one period old, or at once in a turn that handles input. */
  request(): void {
    if (this.isInputTurn) this.#requestAnswer();
    else if (this.#cancel === undefined) {
      const delayMs = this.#lastFrameAt + this.#periodMs - this.#timer.now();
      if (delayMs <= 0) this.requestNow();
      else this.#cancel = this.#timer.after(delayMs, this.#fire);
    }
  }

  /** The tree has changed: like `request`, but the first change after input does not wait for the period. */
  requestForTree(): void {
    const isAnswer = this.#timer.now() - this.#inputAt <= ANSWER_WITHIN_MS;
    this.#inputAt = Number.NEGATIVE_INFINITY;
    if (isAnswer) this.requestNow();
    else this.request();
  }

  /** Draws regardless of the last frame: in the next turn of the event loop or, in an input turn, before that. */
  requestNow(): void {
    if (this.isInputTurn) this.#requestAnswer();
    else if (!this.#isNow) {
      this.#cancel?.();
      this.#isNow = true;
      this.#cancel = this.#timer.soon(this.#fire);
    }
  }

  /** Input was received: its changes are drawn once they are all made, before more data is read. */
  noteInput(): void {
    this.#inputAt = this.#timer.now();
    this.#cancelInputTurn ??= this.#timer.next(() => {
      this.#cancelInputTurn = undefined;
    });
  }

  /** Cancels everything pending. Later requests are not blocked here; the caller must not make any. */
  stop(): void {
    this.#cancel?.();
    this.#cancelAnswer?.();
    this.#cancelInputTurn?.();
    this.#cancel = undefined;
    this.#cancelAnswer = undefined;
    this.#cancelInputTurn = undefined;
    this.#isNow = false;
  }

  #requestAnswer(): void {
    this.#cancelAnswer ??= this.#timer.next(() => {
      this.#cancelAnswer = undefined;
      this.#draw(true);
    });
  }

  readonly #fire = () => {
    this.#cancel = undefined;
    this.#isNow = false;
    const now = this.#timer.now();
    const due = this.#lastFrameAt + this.#periodMs;
    this.#lastFrameAt = Math.abs(now - due) < TIMER_SLACK_MS ? due : now;
    this.#draw(false);
  };
}

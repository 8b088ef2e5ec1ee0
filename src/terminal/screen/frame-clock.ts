// Decides when a frame is drawn: at most so many a second, at once after input, and no timer while nothing is dirty.

import type { Clock } from "../../units/clock.ts";

export type FrameTimer = Omit<Clock, "wall">;

/** So long after input, the first change of the tree is taken to be its answer and is not made to wait. */
const ANSWER_WITHIN_MS = 100;

/** Timers of whole milliseconds fire a little early or late: a frame so near to its time counts as drawn in time. */
const TIMER_SLACK_MS = 1.5;

/**
 * Calls `draw` for requests, however many came before it. Requests during a call lead to another one. What input changes in its
 * turn is drawn apart from the frames that are paced: these come when they are due.
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

  /** True while input is being answered: what changes now is its answer. */
  get isInputTurn(): boolean {
    return this.#cancelInputTurn !== undefined;
  }

  /** Something is dirty: a frame as soon as the last one is a period old, or at once in a turn that brought input. */
  request(): void {
    if (this.isInputTurn) this.#requestAnswer();
    else if (this.#cancel === undefined) {
      const delayMs = this.#lastFrameAt + this.#periodMs - this.#timer.now();
      if (delayMs <= 0) this.requestNow();
      else this.#cancel = this.#timer.after(delayMs, this.#fire);
    }
  }

  /** The tree has changed: as `request`, but the first change after input does not wait for the period. */
  requestForTree(): void {
    const isAnswer = this.#timer.now() - this.#inputAt <= ANSWER_WITHIN_MS;
    this.#inputAt = Number.NEGATIVE_INFINITY;
    if (isAnswer) this.requestNow();
    else this.request();
  }

  /** A frame whenever the last one was: in the next turn of the event loop, or, in answer to input, before it. */
  requestNow(): void {
    if (this.isInputTurn) this.#requestAnswer();
    else if (!this.#isNow) {
      this.#cancel?.();
      this.#isNow = true;
      this.#cancel = this.#timer.soon(this.#fire);
    }
  }

  /** Input has come: what it changes is drawn as soon as it is all changed, before more data is read. */
  noteInput(): void {
    this.#inputAt = this.#timer.now();
    this.#cancelInputTurn ??= this.#timer.next(() => {
      this.#cancelInputTurn = undefined;
    });
  }

  /** Ends it: nothing is pending afterwards, and later requests are ignored by the caller's choice. */
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

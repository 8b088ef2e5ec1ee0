// Decides when a frame is drawn: at most so many a second, at once after input, and no timer while nothing is dirty.

import type { Clock } from "../../units/clock.ts";

export type FrameTimer = Omit<Clock, "wall">;

/** So long after input, the first change of the tree is taken to be its answer and is not made to wait. */
const ANSWER_WITHIN_MS = 100;

/** Timers of whole milliseconds fire a little early or late: a frame so near to its time counts as drawn in time. */
const TIMER_SLACK_MS = 1.5;

/** Calls `draw` for requests, however many came before it. Requests during a call lead to another one. */
export class FrameClock {
  readonly #timer: FrameTimer;
  readonly #draw: () => void;
  readonly #periodMs: number;
  #lastFrameAt = Number.NEGATIVE_INFINITY;
  #inputAt = Number.NEGATIVE_INFINITY;
  #isInputTurn = false;
  #wait: "soon" | "next" | undefined;
  #cancel: (() => void) | undefined;
  #cancelInputTurn: (() => void) | undefined;

  constructor(timer: FrameTimer, framesPerSecond: number, draw: () => void) {
    this.#timer = timer;
    this.#periodMs = 1000 / framesPerSecond;
    this.#draw = draw;
  }

  /** Something is dirty: a frame as soon as the last one is a period old, or at once in a turn that brought input. */
  request(): void {
    if (this.#isInputTurn) this.requestNow();
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
    const wait = this.#isInputTurn ? "next" : "soon";
    if (this.#wait === "next" || this.#wait === wait) return;
    this.#cancel?.();
    this.#wait = wait;
    this.#cancel = this.#timer[wait](this.#fire);
  }

  /** Input has come: what it changes is drawn as soon as it is all changed, before more data is read. */
  noteInput(): void {
    this.#inputAt = this.#timer.now();
    if (this.#isInputTurn) return;
    this.#isInputTurn = true;
    this.#cancelInputTurn = this.#timer.next(() => {
      this.#isInputTurn = false;
    });
  }

  /** Ends it: nothing is pending afterwards, and later requests are ignored by the caller's choice. */
  stop(): void {
    this.#cancel?.();
    this.#cancelInputTurn?.();
    this.#cancel = undefined;
    this.#isInputTurn = false;
    this.#wait = undefined;
  }

  readonly #fire = () => {
    this.#cancel = undefined;
    this.#wait = undefined;
    const now = this.#timer.now();
    const due = this.#lastFrameAt + this.#periodMs;
    this.#lastFrameAt = Math.abs(now - due) < TIMER_SLACK_MS ? due : now;
    this.#draw();
  };
}

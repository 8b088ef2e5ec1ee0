// A reel as it is gone through: a state of its own at some moment of it, moved forward by telling it more lines and
// back by telling them anew from the state before them.
import type { Entry, Stamp } from "./entry.ts";
import type { Foldable, Reel, Stretch } from "./reel.ts";
import { Replay } from "./replay.ts";

/** One place of a reel. */
export class Rewound<S extends Foldable<S>> {
  readonly #reel: Reel<S>;
  #state: S;
  #replay: Replay;
  /** Number of the next line to be told. */
  #next: number;
  #atMs: number;
  /** The last line that was told, or the start of the reel. */
  #last: Stamp;

  /** Opens at a moment, or as near to it as the reel reaches. */
  constructor(reel: Reel<S>, atMs: number) {
    this.#reel = reel;
    this.#atMs = atMs;
    const number = reel.endAt(atMs);
    const stretch = reel.stretchOf(number) as Stretch<S>;
    this.#next = stretch.first;
    this.#last = stretch.start;
    this.#state = stretch.state.copy();
    this.#replay = replayTo(this.#state);
    this.goTo(atMs);
  }

  /** What is held at the moment. Another object after going back. */
  get state(): S {
    return this.#state;
  }

  /** The moment that is shown, monotonic milliseconds. */
  get atMs(): number {
    return this.#atMs;
  }

  /** The same on the wall clock as it was then, Unix milliseconds. */
  get wallMs(): number {
    return this.#last.w + (this.#atMs - this.#last.t);
  }

  /** The oldest moment that is kept now. */
  get startMs(): number {
    return this.#reel.startMs;
  }

  /** Shows a moment, or the nearest that is kept. */
  goTo(ms: number): void {
    const { startMs, endMs } = this.#reel;
    const target = Math.max(startMs, Math.min(endMs, ms));
    this.#tellUntil(this.#reel.endAt(target));
    this.#atMs = target;
  }

  /**
   * Goes to where the next line told, or the one before, that is wanted: right behind it.
   * @returns false when there is none: nothing has changed
   */
  step(by: 1 | -1, isWanted: (channel: string | undefined, entry: Entry) => boolean): boolean {
    const isWantedAt = (number: number) => {
      const line = this.#reel.line(number);
      return line !== undefined && isWanted(line.channel, line.entry);
    };
    let number = by > 0 ? this.#next : this.#lastBefore(this.#next, isWantedAt) - 1;
    while (this.#isKept(number) && !isWantedAt(number)) number += by;
    const line = this.#isKept(number) ? this.#reel.line(number) : undefined;
    if (line === undefined) return false;
    this.#tellUntil(number + 1);
    this.#atMs = line.entry.t;
    return true;
  }

  /** Number of the last wanted line before this one. */
  #lastBefore(end: number, isWantedAt: (number: number) => boolean): number {
    let number = end - 1;
    while (this.#isKept(number) && !isWantedAt(number)) number--;
    return number;
  }

  #isKept(number: number): boolean {
    return number >= this.#reel.first && number < this.#reel.end;
  }

  /** Tells what is missing, or all from the nearest state on, when that is less or there is no other way. */
  #tellUntil(end: number): void {
    const stretch = this.#reel.stretchOf(Math.max(end, this.#reel.first)) as Stretch<S>;
    if (end < this.#next || stretch.first > this.#next) {
      this.#next = stretch.first;
      this.#state = stretch.state.copy();
      this.#replay = replayTo(this.#state);
    }
    for (; this.#next < end; this.#next++) {
      const entry = this.#reel.line(this.#next)?.entry;
      if (entry === undefined) return;
      this.#replay.apply(entry);
    }
    this.#last = this.#reel.line(end - 1)?.entry ?? stretch.start;
  }
}

/** Scales are those of the live session: what was learned of them does not change in time. */
function replayTo(state: Foldable<unknown>): Replay {
  return new Replay({
    dispatch: (event) => state.dispatch(event),
    pass: (nowMs) => state.pass(nowMs),
    addTrades: () => {},
    markUnavailable: () => {},
  });
}

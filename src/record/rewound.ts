// A tape as it is gone through: a state of its own at some moment of it, moved forward by telling it more lines and
// back by telling them anew from the state before them.
import type { Entry, Stamp } from "./entry.ts";
import { Replay } from "./replay.ts";
import type { Foldable, Stretch, Tape } from "./tape.ts";

/** One place of a tape. No method throws. */
export class Rewound<S extends Foldable<S>> {
  readonly #tape: Tape<S>;
  #state: S;
  #replay: Replay;
  /** Number of the next line to be told. */
  #next: number;
  #atMs: number;
  /** The last line that was told, or the start of the tape. */
  #last: Stamp;

  /** Opens at a moment, or as near to it as the tape reaches. */
  constructor(tape: Tape<S>, atMs: number) {
    this.#tape = tape;
    this.#atMs = atMs;
    const number = tape.endAt(atMs);
    const stretch = tape.stretchOf(number) as Stretch<S>;
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
    return this.#tape.startMs;
  }

  /** Shows a moment, or the nearest that is kept. */
  goTo(ms: number): void {
    const { startMs, endMs } = this.#tape;
    const target = Math.max(startMs, Math.min(endMs, ms));
    this.#tellUntil(this.#tape.endAt(target));
    this.#atMs = target;
  }

  /**
   * Goes to where the next line told, or the one before, that is wanted: right behind it.
   * @returns false when there is none: nothing has changed
   */
  step(by: 1 | -1, isWanted: (channel: string | undefined, entry: Entry) => boolean): boolean {
    const isWantedAt = (number: number) => {
      const line = this.#tape.line(number);
      return line !== undefined && isWanted(line.channel, line.entry);
    };
    let number = by > 0 ? this.#next : this.#lastBefore(this.#next, isWantedAt) - 1;
    while (this.#isKept(number) && !isWantedAt(number)) number += by;
    const line = this.#isKept(number) ? this.#tape.line(number) : undefined;
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
    return number >= this.#tape.first && number < this.#tape.end;
  }

  /** Tells what is missing, or all from the nearest state on, when that is less or there is no other way. */
  #tellUntil(end: number): void {
    const stretch = this.#tape.stretchOf(Math.max(end, this.#tape.first)) as Stretch<S>;
    if (end < this.#next || stretch.first > this.#next) {
      this.#next = stretch.first;
      this.#state = stretch.state.copy();
      this.#replay = replayTo(this.#state);
    }
    for (; this.#next < end; this.#next++) {
      const entry = this.#tape.line(this.#next)?.entry;
      if (entry === undefined) return;
      this.#replay.tell(entry);
    }
    this.#last = this.#tape.line(end - 1)?.entry ?? stretch.start;
  }
}

/** Scales are those of the live session: what was learned of them does not change in time. */
function replayTo(state: Foldable<unknown>): Replay {
  return new Replay({
    dispatch: (event) => state.dispatch(event),
    pass: (nowMs) => state.pass(nowMs),
    hear: () => {},
    obstruct: () => {},
  });
}

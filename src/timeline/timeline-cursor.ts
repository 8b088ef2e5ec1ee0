// A cursor in the history buffer: its own state at one moment, moved forward by applying lines, and back by applying them again
// from an earlier state.
import type { Store } from "../state/store.ts";
import { isChangeIn, type Stamp } from "./entry.ts";
import type { HistoryBuffer } from "./history-buffer.ts";
import { Replay } from "./replay.ts";

export function pastOf(historyBuffer: HistoryBuffer) {
  return {
    get startMs() {
      return historyBuffer.startMs;
    },
    open: (atMs: number) => new TimelineCursor(historyBuffer, atMs),
    walk: (fromMs: number, channels: readonly string[]) =>
      new TimelineWalk(historyBuffer, fromMs, channels),
  };
}

/** One position in a history buffer. */
export class TimelineCursor {
  readonly #historyBuffer: HistoryBuffer;
  /** The state at that moment. Replaced by another object when going back. */
  store: Store;
  #replay: Replay;
  #next: number;
  /** Monotonic milliseconds. */
  atMs: number;
  /** The last line replayed, or the start of its segment. */
  #last: Stamp;

  /** Opens at a moment, or at the nearest one buffered. */
  constructor(historyBuffer: HistoryBuffer, atMs: number) {
    this.#historyBuffer = historyBuffer;
    this.atMs = atMs;
    const number = historyBuffer.endAt(atMs);
    const segment = historyBuffer.segmentOf(number);
    this.#next = segment.first;
    this.#last = segment.start;
    this.store = segment.state.copy();
    this.#replay = new Replay(this.store);
    this.goTo(atMs);
  }

  /** Unix milliseconds. */
  get wallMs(): number {
    return this.#last.w + (this.atMs - this.#last.t);
  }

  get startMs(): number {
    return this.#historyBuffer.startMs;
  }

  get endMs(): number {
    return this.#historyBuffer.endMs;
  }

  /** Goes to a moment, or to the nearest one buffered. */
  goTo(ms: number): void {
    const { startMs, endMs } = this.#historyBuffer;
    const target = Math.max(startMs, Math.min(endMs, ms));
    this.#replayUntil(this.#historyBuffer.endAt(target));
    this.atMs = target;
  }

  /**
   * Goes to the next change of one of the channels or of the session, or to the one before the last.
   * @returns false if there is none
   */
  step(by: 1 | -1, channels: readonly string[]): boolean {
    const isChangedAt = (number: number) => {
      const line = this.#historyBuffer.line(number);
      if (line === undefined) return false;
      return isChangeIn(channels, line.channel ?? ("event" in line.entry ? "" : undefined));
    };
    let number = by > 0 ? this.#next : this.#lastBefore(this.#next, isChangedAt) - 1;
    while (this.#isHeld(number) && !isChangedAt(number)) number += by;
    const line = this.#isHeld(number) ? this.#historyBuffer.line(number) : undefined;
    if (line === undefined) return false;
    this.#replayUntil(number + 1);
    this.atMs = line.entry.t;
    return true;
  }

  #lastBefore(end: number, isChangedAt: (number: number) => boolean): number {
    let number = end - 1;
    while (this.#isHeld(number) && !isChangedAt(number)) number--;
    return number;
  }

  #isHeld(number: number): boolean {
    return number >= this.#historyBuffer.first && number < this.#historyBuffer.end;
  }

  /** Replays the missing lines, or starts from the nearest earlier state. */
  #replayUntil(end: number): void {
    const segment = this.#historyBuffer.segmentOf(end);
    if (end < this.#next || segment.first > this.#next) {
      this.#next = segment.first;
      this.store = segment.state.copy();
      this.#replay = new Replay(this.store);
    }
    for (; this.#next < end; this.#next++) {
      const entry = this.#historyBuffer.line(this.#next)?.entry;
      if (entry === undefined) return;
      this.#replay.apply(entry);
    }
    this.#last = this.#historyBuffer.line(end - 1)?.entry ?? segment.start;
  }
}

/** Its own state of some channels, moved from a moment to the newest line, a few lines at a time. */
class TimelineWalk {
  readonly store: Store;
  /** From here on, every line of these channels is applied. */
  readonly startMs: number;
  readonly #historyBuffer: HistoryBuffer;
  readonly #channels: ReadonlySet<string | undefined>;
  readonly #replay: Replay;
  readonly #begin: number;
  #next: number;
  /** Number of lines as of the last call. */
  #end: number;

  constructor(historyBuffer: HistoryBuffer, fromMs: number, channels: readonly string[]) {
    const number = Math.max(historyBuffer.first, historyBuffer.endAt(fromMs));
    const segment = historyBuffer.segmentOf(number);
    this.#historyBuffer = historyBuffer;
    this.#channels = new Set([undefined, ...channels]);
    this.#begin = this.#next = segment.first;
    this.#end = historyBuffer.end;
    this.startMs = segment.start.t;
    this.store = segment.state.copy();
    this.#replay = new Replay(this.store);
  }

  /** Progress, 0 to 1. */
  get share(): number {
    const all = this.#historyBuffer.end - this.#begin;
    return all === 0 ? 1 : (this.#next - this.#begin) / all;
  }

  /** @returns `end`: nothing is left for now; `lost`: the next line was dropped */
  go(lines: number): "more" | "end" | "lost" {
    const { first, end } = this.#historyBuffer;
    if (this.#next < first) return "lost";
    // Catches up even while the end moves away.
    const grown = 2 * (end - this.#end);
    this.#end = end;
    for (let left = lines + grown; left > 0 && this.#next < end; this.#next++) {
      if (!this.#channels.has(this.#historyBuffer.channelOf(this.#next))) continue;
      const entry = this.#historyBuffer.line(this.#next)?.entry;
      if (entry !== undefined) this.#replay.apply(entry);
      left--;
    }
    return this.#next < end ? "more" : "end";
  }
}

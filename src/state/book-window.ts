// Keeps the order book of the last few seconds, so that changes since then can be shown.
import type { OrderbookView } from "./orderbook.ts";

/** How far back the window reaches. */
export const WINDOW_MS = 5000;
/** One copy stands for all changes within this time. */
const PERIOD_MS = 250;
/** Levels kept per side. */
const MAX_LEVELS = 200;

export interface PastBook extends OrderbookView {
  /** True when worse levels may have been left out. */
  readonly isCut: boolean;
  /** Server time of its last frame, nanoseconds as digit text. */
  readonly timestampNs: string;
}

interface Kept extends PastBook {
  /** Monotonic; the book was in force until then. */
  readonly untilMs: number;
}

/** The window is no longer kept when nothing has read it for this long. */
const IDLE_MS = 600_000;

/** The last seconds of one book, kept while a view shows changes. Only its fold adds to it. */
export class BookWindow {
  /** Oldest first. */
  private books: Kept[] = [];
  private watchedSinceMs = Number.POSITIVE_INFINITY;
  private watchedAtMs = Number.NEGATIVE_INFINITY;

  clear(): void {
    if (this.books.length > 0) this.books = [];
  }

  /** Keeps the window alive. @returns milliseconds until it spans `WINDOW_MS` */
  watch(nowMs: number): number {
    if (!this.isWatched(nowMs)) {
      this.watchedSinceMs = nowMs;
      this.clear();
    }
    this.watchedAtMs = nowMs;
    return this.missingMs(nowMs);
  }

  isWatched(atMs: number): boolean {
    return atMs - this.watchedAtMs <= IDLE_MS;
  }

  /** Milliseconds until it spans `WINDOW_MS`. */
  missingMs(nowMs: number): number {
    return Math.max(0, this.watchedSinceMs + WINDOW_MS - nowMs);
  }

  /** True when the book should be copied before a frame changes it. */
  isDue(atMs: number): boolean {
    return atMs - (this.books.at(-1)?.untilMs ?? Number.NEGATIVE_INFINITY) >= PERIOD_MS;
  }

  add(depth: (count: number) => OrderbookView, timestampNs: string, atMs: number): void {
    const { bids, asks } = depth(MAX_LEVELS);
    const isCut = bids.length === MAX_LEVELS || asks.length === MAX_LEVELS;
    const first = this.books.findIndex(({ untilMs }) => untilMs > atMs - WINDOW_MS - PERIOD_MS);
    if (first > 0) this.books.splice(0, first);
    else if (first < 0) this.books = [];
    this.books.push({ bids, asks, isCut, timestampNs, untilMs: atMs });
  }

  /** The book of `WINDOW_MS` ago, or the oldest kept; undefined if it has not changed since. */
  before(nowMs: number): PastBook | undefined {
    return this.books.find(({ untilMs }) => untilMs > nowMs - WINDOW_MS);
  }
}

// Keeps the order book as it was a few seconds ago, so that changes since then can be shown.
import type { OrderbookView } from "./orderbook.ts";

/** How far back one can look. */
export const WINDOW_MS = 5000;
/** A book stands for all that it was within this time. */
const PERIOD_MS = 250;
/** Levels of each side that are kept. */
const MAX_LEVELS = 200;

export interface PastBook extends OrderbookView {
  /** True when worse levels may have been left out. */
  readonly isCut: boolean;
  /** Server time of its last frame, nanoseconds in digit text. */
  readonly timestampNs: string;
}

interface Kept extends PastBook {
  /** Monotonic: it stood until then. */
  readonly untilMs: number;
}

/** What nobody has looked at for so long is not kept any more. */
const IDLE_MS = 600_000;

/** The last seconds of one book, kept while somebody looks at what has changed. Only its fold adds to it. */
export class BookWindow {
  /** Oldest first. */
  private books: Kept[] = [];
  private watchedSinceMs = Number.POSITIVE_INFINITY;
  private watchedAtMs = Number.NEGATIVE_INFINITY;

  clear(): void {
    if (this.books.length > 0) this.books = [];
  }

  /** Somebody looks. @returns milliseconds until it is known what there was */
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

  /** Milliseconds until it has been kept for `WINDOW_MS`. */
  missingMs(nowMs: number): number {
    return Math.max(0, this.watchedSinceMs + WINDOW_MS - nowMs);
  }

  /** True when another book should be kept before a frame changes it. */
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

  /** The book of `WINDOW_MS` ago, or the oldest since it was begun; undefined where it has not changed since. */
  before(nowMs: number): PastBook | undefined {
    return this.books.find(({ untilMs }) => untilMs > nowMs - WINDOW_MS);
  }
}

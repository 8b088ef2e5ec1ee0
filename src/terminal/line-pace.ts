// How fast the line to the terminal is, once it refuses bytes most of the time. What waits in its buffers delays the answer to a
// key, so frames of data wait on a slow line until what was sent before has probably arrived.

/** Bytes a millisecond below which a line is slow: a busy market writes more. */
const SLOW_BELOW = 50;
/** What a terminal's buffer holds when it refuses more. */
const BUFFER_BYTES = 8192;
const PERIOD_MS = 1000;
/** A line that refuses for more than this share of a period is full: what it took is what it can. */
const FULL_SHARE = 0.5;
/** As long again as a frame takes, the line stays free, so that most keys find it so. */
const FREE_SHARE = 2;
const CAUTION = 0.8;
const SLOWEST = 1;
const MAX_WAIT_MS = 2000;
/** It may have become faster. */
const FASTER = 1.1;
const FASTER_AFTER_MS = 10_000;

export class LinePace {
  /** Bytes a millisecond; undefined unless the line is known to be slow. */
  #rate: number | undefined;
  #ratedAtMs = 0;
  #queued = 0;
  #queuedAtMs = 0;
  #sinceMs = 0;
  #bytes = 0;
  #refusedMs = 0;

  /** The terminal has taken a frame. @param isRefused it refused part of it in between */
  note(bytes: number, startMs: number, endMs: number, isRefused: boolean): void {
    if (this.#bytes === 0) this.#sinceMs = startMs;
    this.#bytes += bytes;
    if (isRefused) this.#refusedMs += endMs - startMs;
    this.#queued = isRefused ? BUFFER_BYTES : this.#queuedAt(endMs) + bytes;
    this.#queuedAtMs = endMs;
    const periodMs = endMs - this.#sinceMs;
    if (periodMs < PERIOD_MS) return;
    if (this.#refusedMs > FULL_SHARE * periodMs)
      this.#set((CAUTION * this.#bytes) / periodMs, endMs);
    this.#bytes = 0;
    this.#refusedMs = 0;
  }

  /** How long the next frame of data should wait. */
  waitMs(nowMs: number): number {
    if (this.#rate === undefined) return 0;
    if (nowMs - this.#ratedAtMs > FASTER_AFTER_MS) this.#set(this.#rate * FASTER, nowMs);
    if (this.#rate === undefined) return 0;
    return Math.min(MAX_WAIT_MS, (FREE_SHARE * this.#queuedAt(nowMs)) / this.#rate);
  }

  #set(rate: number, nowMs: number): void {
    this.#ratedAtMs = nowMs;
    this.#rate = rate < SLOW_BELOW ? Math.max(SLOWEST, rate) : undefined;
  }

  #queuedAt(nowMs: number): number {
    return Math.max(0, this.#queued - (nowMs - this.#queuedAtMs) * (this.#rate ?? 0));
  }
}

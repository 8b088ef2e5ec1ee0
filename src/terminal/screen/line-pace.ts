// Estimates the throughput of the line to the terminal once it refuses bytes most of the time. On a slow line, queued data frames
// would delay the response to a key: so data frames wait until what was sent before has probably arrived.

/** A line below this rate counts as slow, since a busy market writes more. In bytes per millisecond, that is KB/s. */
const SLOW_BELOW = 50;
/** Amount buffered by the terminal when it refuses more, as in Linux pseudo terminals. */
const BUFFER_BYTES = 8192;
/** A buffer is drained in large chunks, so a shorter period does not measure its speed. */
const PERIOD_MS = 1000;
/** A line that refuses for more than this share of a period is saturated: what it accepts is its capacity. */
const FULL_SHARE = 0.5;
/** After a frame, the line stays idle for as long as the frame took, so that most keys find it free. */
const CAUTION = 0.8;
const IDLE_SHARE = 1;
const MAX_WAIT_MS = 2000;
/**
 * The rate is reduced if the line refuses despite the pacing; after this long without a refusal, it is increased, since the line
 * may have become faster.
 */
const LESS = 0.6;
const MORE = 1.1;
const MORE_AFTER_MS = 10_000;
const SLOWEST = 1;

export class LinePace {
  /** Bytes per millisecond; undefined unless the line is known to be slow. */
  #rate: number | undefined;
  #ratedAtMs = 0;
  /** Bytes sent that have probably not arrived yet, as of a moment. */
  #queued = 0;
  #queuedAtMs = 0;
  #sinceMs = 0;
  #bytes = 0;
  #refusedMs = 0;

  get isSlow(): boolean {
    return this.#rate !== undefined;
  }

  /** Call when the terminal has accepted a frame. @param isRefused it refused part of it in between */
  noteTaken(bytes: number, startMs: number, endMs: number, isRefused: boolean): void {
    if (this.#bytes === 0) this.#sinceMs = startMs;
    this.#bytes += bytes;
    if (isRefused) this.#refusedMs += endMs - startMs;
    this.#queued = isRefused ? BUFFER_BYTES : this.#queuedIn(endMs) + bytes;
    this.#queuedAtMs = endMs;
    if (endMs - this.#sinceMs >= PERIOD_MS) this.#endPeriod(endMs);
  }

  waitMs(nowMs: number): number {
    if (this.#rate === undefined) return 0;
    if (nowMs - this.#ratedAtMs > MORE_AFTER_MS) this.#setRate(this.#rate * MORE, nowMs);
    if (this.#rate === undefined) return 0;
    return Math.min(MAX_WAIT_MS, ((1 + IDLE_SHARE) * this.#queuedIn(nowMs)) / this.#rate);
  }

  #endPeriod(nowMs: number): void {
    const periodMs = nowMs - this.#sinceMs;
    if (this.#refusedMs / periodMs > FULL_SHARE)
      this.#setRate((CAUTION * this.#bytes) / periodMs, nowMs);
    else if (this.#refusedMs > 0 && this.#rate !== undefined)
      this.#setRate(this.#rate * LESS, nowMs);
    this.#bytes = 0;
    this.#refusedMs = 0;
  }

  #setRate(rate: number, nowMs: number): void {
    this.#ratedAtMs = nowMs;
    this.#rate = rate < SLOW_BELOW ? Math.max(SLOWEST, rate) : undefined;
  }

  #queuedIn(nowMs: number): number {
    return Math.max(0, this.#queued - (nowMs - this.#queuedAtMs) * (this.#rate ?? 0));
  }
}

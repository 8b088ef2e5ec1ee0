// How fast the line to the terminal takes bytes, once it refuses some most of the time. A slow one is filled by what nobody waits
// for, and a key would be answered behind all of that: so frames of data wait until what was sent before has probably arrived.

/** Lines below this are slow: a busy market writes more. In bytes a millisecond, which is KB a second. */
const SLOW_BELOW = 50;
/** What a terminal's buffer holds when it refuses to take more: pseudo terminals of Linux do. */
const BUFFER_BYTES = 8192;
/** A buffer is emptied in large pieces: less than this is no measure of its speed. */
const PERIOD_MS = 1000;
/** A line that refuses for more than this share of a period is full: what it takes is what it can. */
const FULL_SHARE = 0.5;
/** After a frame the line is left idle for as long as the frame took, so that most keys find it free. */
const CAUTION = 0.8;
const IDLE_SHARE = 1;
const MAX_WAIT_MS = 2000;
/** Refused although it waited, less is tried; what has refused nothing for so long may have become faster. */
const LESS = 0.6;
const MORE = 1.1;
const MORE_AFTER_MS = 10_000;
const SLOWEST = 1;

export class LinePace {
  /** Bytes a millisecond; undefined while the line is not known to be slow. */
  #rate: number | undefined;
  #ratedAtMs = 0;
  /** Sent and probably not arrived, at a moment. */
  #queued = 0;
  #queuedAtMs = 0;
  #sinceMs = 0;
  #bytes = 0;
  #refusedMs = 0;

  get isSlow(): boolean {
    return this.#rate !== undefined;
  }

  /** The terminal has taken a frame from one moment to another, and has refused a part of it meanwhile or not. */
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

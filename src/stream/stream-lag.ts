// Detects a late stream: when new server timestamps arrive ever later, frames are queued somewhere on the way, and the data
// shown is old although it keeps changing. Each channel is measured by its own timestamps, since channels may be stamped for
// different moments, and against channels that seem to share its clock.
import type { Clock } from "../units/clock.ts";

/** A lag above this counts as late, if it has been increasing. */
const LATE_MS = 5000;
/** A late stream with a lag up to this has caught up. */
const CAUGHT_UP_MS = 2000;
const WINDOW_MS = 10_000;
/** Consecutive windows in which even the freshest stamp arrived later than in the window before. */
const RISING_WINDOWS = 3;

/** No path shortens by this much at once, and no stamp goes back by it: the server's clock was set, or is faulty. */
const STEP_MS = 2000;
/** Consecutive stamps that show a step before the old ones are discarded. */
const STEPS_ACCEPTED = 3;

/** Lag of one channel, from stamp to stamp; all times in milliseconds. */
export class ChannelLag {
  /** Smallest difference between arrival (monotonic) and stamp: clock offset plus shortest delay. */
  #offsetMs = Number.POSITIVE_INFINITY;
  /** The same since the window began. */
  #newOffsetMs = Number.POSITIVE_INFINITY;
  #newestMs = Number.NEGATIVE_INFINITY;
  /** Delay of the last new stamp beyond that of the fastest. */
  lagMs = 0;
  /** Smallest lag of each window, oldest first; the last one is still open. */
  #minima: number[] = [];
  #windowEndsAtMs = Number.NEGATIVE_INFINITY;
  isLate = false;
  #steps = 0;

  /**
   * Delay, beyond that of the fastest, of a stamp that arrives now. Undefined if it is older than earlier ones: then it repeats
   * something, or the server's clock was set back.
   * @param quickestMs smallest offset of other channels with the same clock
   */
  lagOf(stampMs: number, nowMs: number, quickestMs: number): number | undefined {
    if (!Number.isFinite(this.#offsetMs) || stampMs < this.#newestMs) return undefined;
    return nowMs - stampMs - Math.min(this.#offsetMs, quickestMs);
  }

  /** Our monotonic clock less the server's stamps, by the fastest frame so far; undefined before the first one. */
  get offsetMs(): number | undefined {
    return Number.isFinite(this.#offsetMs) ? this.#offsetMs : undefined;
  }

  /**
   * Records a stamp that arrived. Stamps that are not the newest are ignored: a quiet market repeats old ones.
   * @returns true when the stream has just become late
   */
  note(stampMs: number, nowMs: number): boolean {
    if (this.#isStep(stampMs, nowMs)) {
      if (++this.#steps < STEPS_ACCEPTED) return false;
      this.#forget();
    }
    this.#steps = 0;
    if (stampMs <= this.#newestMs) return false;
    this.#newestMs = stampMs;
    this.#newOffsetMs = Math.min(this.#newOffsetMs, nowMs - stampMs);
    this.#offsetMs = Math.min(this.#offsetMs, this.#newOffsetMs);
    this.lagMs = nowMs - stampMs - this.#offsetMs;
    this.#addToWindow(nowMs);
    if (this.isLate) {
      this.isLate = this.lagMs > CAUGHT_UP_MS;
      return false;
    }
    this.isLate = this.lagMs > LATE_MS && this.#isRising;
    return this.isLate;
  }

  /** Keeps the offset since the last call. */
  discardOldOffset(): void {
    this.#offsetMs = this.#newOffsetMs;
    this.#newOffsetMs = Number.POSITIVE_INFINITY;
  }

  #isStep(stampMs: number, nowMs: number): boolean {
    if (this.offsetMs === undefined) return false;
    return stampMs < this.#newestMs - STEP_MS || nowMs - stampMs < this.#offsetMs - STEP_MS;
  }

  #forget(): void {
    this.#offsetMs = Number.POSITIVE_INFINITY;
    this.#newOffsetMs = Number.POSITIVE_INFINITY;
    this.#newestMs = Number.NEGATIVE_INFINITY;
    this.lagMs = 0;
    this.#minima = [];
    this.#windowEndsAtMs = Number.NEGATIVE_INFINITY;
    this.isLate = false;
  }

  #addToWindow(nowMs: number): void {
    if (nowMs < this.#windowEndsAtMs) {
      const last = this.#minima.length - 1;
      this.#minima[last] = Math.min(this.#minima[last] ?? this.lagMs, this.lagMs);
      return;
    }
    // A window without a new stamp breaks the series: nothing is known about that time.
    if (nowMs >= this.#windowEndsAtMs + WINDOW_MS) this.#minima = [];
    this.#windowEndsAtMs = nowMs + WINDOW_MS;
    this.#minima = [...this.#minima.slice(-RISING_WINDOWS), this.lagMs];
  }

  get #isRising(): boolean {
    if (this.#minima.length <= RISING_WINDOWS) return false;
    return this.#minima.every((minimum, i) => i === 0 || minimum > (this.#minima[i - 1] ?? 0));
  }
}

/** Minimum time between reconnects because of lag: if the service itself lags, they do not help. */
const RESTART_PERIOD_MS = 300_000;

/** Channels whose stamps run further ahead of most others than this are stamped for something else. */
const OTHER_CLOCK_MS = 60_000;

/**
 * The smallest offset counts for one to two of these: clocks differ in rate, by a second in a few hours, and may be set by less
 * than a step.
 */
const OFFSET_WINDOW_MS = 3_600_000;

/** Lag of the whole stream; all times in milliseconds. */
export class StreamLag {
  readonly #channels = new Map<string, ChannelLag>();
  /** Channels with a known offset, smallest first. */
  #byOffset: ChannelLag[] = [];
  #windowEndsAtMs = Number.NEGATIVE_INFINITY;
  #restartAtMs = Number.NEGATIVE_INFINITY;
  /** Smallest offset of the channels that seem to share a clock, and the median offset. */
  #quickestMs = Number.POSITIVE_INFINITY;
  #middleMs: number | undefined;

  get isLate(): boolean {
    for (const { isLate } of this.#channels.values()) if (isLate) return true;
    return false;
  }

  /** The largest lag of a late channel. */
  get lagMs(): number {
    const late = [...this.#channels.values()].filter(({ isLate }) => isLate);
    return Math.max(0, ...late.map(({ lagMs }) => lagMs));
  }

  lagOf(channel: string, stampMs: number, nowMs: number): number | undefined {
    return this.#channels.get(channel)?.lagOf(stampMs, nowMs, this.#quickestMs);
  }

  /** Records a stamp that arrived. @returns true when the channel has just become late */
  note(channel: string, stampMs: number, nowMs: number): boolean {
    if (nowMs >= this.#windowEndsAtMs) this.#beginWindow(nowMs);
    const lag = this.#channels.get(channel) ?? this.#add(channel);
    const before = lag.offsetMs;
    const hasBecomeLate = lag.note(stampMs, nowMs);
    if (lag.offsetMs !== before) this.#compare(lag);
    return hasBecomeLate;
  }

  /** Our wall clock less the server's stamps, by the median channel; undefined before the first stamp. */
  skewMs(clock: Pick<Clock, "now" | "wall">): number | undefined {
    return this.#middleMs === undefined ? undefined : this.#middleMs + clock.wall() - clock.now();
  }

  /** True when the connection may be reopened because of lag; if so, starts the waiting period. */
  takeRestart(nowMs: number): boolean {
    if (nowMs - this.#restartAtMs < RESTART_PERIOD_MS) return false;
    this.#restartAtMs = nowMs;
    return true;
  }

  /** A new connection: another path, other delays. */
  reset(): void {
    this.#channels.clear();
    this.#sort();
  }

  /** The channel is unsubscribed: no stamp would show that it has caught up. */
  forget(channel: string): void {
    if (this.#channels.delete(channel)) this.#sort();
  }

  #add(channel: string): ChannelLag {
    const lag = new ChannelLag();
    this.#channels.set(channel, lag);
    return lag;
  }

  #beginWindow(nowMs: number): void {
    this.#windowEndsAtMs = nowMs + OFFSET_WINDOW_MS;
    for (const lag of this.#channels.values()) lag.discardOldOffset();
    this.#sort();
  }

  #sort(): void {
    this.#byOffset = [...this.#channels.values()]
      .filter(({ offsetMs }) => offsetMs !== undefined)
      .sort((a, b) => getOffset(a) - getOffset(b));
    this.#noteOffsets();
  }

  /** Re-sorts a channel whose offset has changed, which happens at each message while a backlog is read. */
  #compare(changed: ChannelLag): void {
    const lags = this.#byOffset;
    const offsetMs = getOffset(changed);
    let at = lags.indexOf(changed);
    if (at < 0) at = lags.push(changed) - 1;
    for (; at > 0 && getOffset(lags[at - 1]) > offsetMs; at--)
      lags[at] = lags[at - 1] as ChannelLag;
    for (; getOffset(lags[at + 1]) < offsetMs; at++) lags[at] = lags[at + 1] as ChannelLag;
    lags[at] = changed;
    this.#noteOffsets();
  }

  #noteOffsets(): void {
    const lags = this.#byOffset;
    this.#middleMs = lags[Math.floor(lags.length / 2)]?.offsetMs;
    const leastMs = (this.#middleMs ?? 0) - OTHER_CLOCK_MS;
    this.#quickestMs = getOffset(lags.find((lag) => getOffset(lag) >= leastMs));
  }
}

function getOffset(lag: ChannelLag | undefined): number {
  return lag?.offsetMs ?? Number.POSITIVE_INFINITY;
}

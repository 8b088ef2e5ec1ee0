// How much later than the quickest frame the newest ones come, by the times in them: one measure for the connection. When it stays
// large, frames are queued somewhere on the way, and what is shown is old although it moves.

/** All times in milliseconds. */
export interface Lag {
  /** Smallest difference of arrival and stamp of this window and of the one before: clock offset plus shortest way. */
  offsetMs: number;
  newOffsetMs: number;
  offsetUntilMs: number;
  newestStampMs: number;
  lagMs: number;
  /** What comes is old. */
  isLate: boolean;
  /** It has been so for so long that another connection may be quicker. */
  isStuck: boolean;
  /** Since when the lag has been large; undefined while it is not. */
  largeSinceMs: number | undefined;
  /** Stamps in a row far behind the newest: the service's clock was set back. */
  behind: number;
}

const LATE_MS = 2000;
const LATE_FOR_MS = 3000;
const STUCK_MS = 5000;
const STUCK_FOR_MS = 30_000;
/** Clocks differ in rate, by a second in some hours: an offset counts for one to two of these. */
const OFFSET_WINDOW_MS = 3_600_000;
const STEP_MS = 2000;
const STEPS = 20;

export function createLag(): Lag {
  return {
    offsetMs: Number.POSITIVE_INFINITY,
    newOffsetMs: Number.POSITIVE_INFINITY,
    offsetUntilMs: Number.NEGATIVE_INFINITY,
    newestStampMs: Number.NEGATIVE_INFINITY,
    lagMs: 0,
    isLate: false,
    isStuck: false,
    largeSinceMs: undefined,
    behind: 0,
  };
}

/** Only stamps that are newer than all before count: a quiet channel repeats old ones. */
export function noteStamp(lag: Lag, stampMs: number, nowMs: number): void {
  if (stampMs < lag.newestStampMs - STEP_MS && ++lag.behind >= STEPS)
    Object.assign(lag, createLag());
  if (stampMs <= lag.newestStampMs) return;
  lag.behind = 0;
  lag.newestStampMs = stampMs;
  if (nowMs >= lag.offsetUntilMs) {
    lag.offsetUntilMs = nowMs + OFFSET_WINDOW_MS;
    lag.offsetMs = lag.newOffsetMs;
    lag.newOffsetMs = Number.POSITIVE_INFINITY;
  }
  lag.newOffsetMs = Math.min(lag.newOffsetMs, nowMs - stampMs);
  lag.offsetMs = Math.min(lag.offsetMs, lag.newOffsetMs);
  lag.lagMs = nowMs - stampMs - lag.offsetMs;
  lag.largeSinceMs = lag.lagMs > LATE_MS ? (lag.largeSinceMs ?? nowMs) : undefined;
  const largeMs = nowMs - (lag.largeSinceMs ?? nowMs);
  lag.isLate = largeMs >= LATE_FOR_MS;
  lag.isStuck = lag.lagMs > STUCK_MS && largeMs >= STUCK_FOR_MS;
}

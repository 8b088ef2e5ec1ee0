// A clock that a test moves by hand. Timers fire in order of their time, then of their making.
import type { Clock } from "../../src/units/clock.ts";

export interface VirtualClock extends Clock {
  /** Moves both clocks forward and fires every timer that falls due on the way, at its own time. */
  advance(ms: number): void;
  /** The machine sleeps so long: clocks go on, and timers fire so much later. */
  sleep(ms: number): void;
  /** Somebody sets the wall clock. */
  jumpWall(ms: number): void;
  /** Timers that are still waiting. */
  readonly pending: number;
}

interface Timer {
  at: number;
  readonly callback: () => void;
}

/** @param wallMs Unix milliseconds of the wall clock at the start */
export function createVirtualClock(wallMs = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = 0;
  let offset = wallMs;
  const timers = new Set<Timer>();

  const nextDue = (limit: number): Timer | undefined => {
    let due: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= limit && (due === undefined || timer.at < due.at)) due = timer;
    }
    return due;
  };

  const after = (delayMs: number, callback: () => void) => {
    const timer: Timer = { at: now + Math.max(0, delayMs), callback };
    timers.add(timer);
    return () => timers.delete(timer);
  };

  return {
    now: () => now,
    wall: () => now + offset,
    after,
    soon: (callback) => after(0, callback),
    next: (callback) => after(0, callback),
    advance(ms) {
      const end = now + ms;
      for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
      }
      now = end;
    },
    sleep(ms) {
      now += ms;
      for (const timer of timers) timer.at += ms;
    },
    jumpWall(ms) {
      offset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

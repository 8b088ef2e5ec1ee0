// The machine's clocks and timers, passed to everything else as an argument.
import os from "node:os";
import type { Clock } from "../units/clock.ts";

/** Node's longest timer delay; longer ones fire at once. */
const MAX_DELAY_MS = 2_147_483_647;

const LOOK_EVERY_MS = 500;
/** Uptime may be counted in whole seconds. */
const LEAST_SLEEP_MS = 2500;
let lookedAtMs = Number.NEGATIVE_INFINITY;
let asleepMs = 0;

/** Linux's monotonic clock stands still while the machine sleeps; its uptime goes on. */
function monotonicMs(): number {
  let awakeMs = performance.now();
  if (awakeMs - lookedAtMs >= LOOK_EVERY_MS) {
    const upMs = uptimeMs();
    // Read behind it, and before it at the start: who only had to wait for the processor in between has not slept.
    awakeMs = performance.now();
    lookedAtMs = awakeMs;
    const sleptMs = upMs - bootedMs - awakeMs - asleepMs;
    if (sleptMs > LEAST_SLEEP_MS) asleepMs += sleptMs;
  }
  return awakeMs + asleepMs;
}

/** NaN where nobody may know it. */
function uptimeMs(): number {
  try {
    return os.uptime() * 1000;
  } catch {
    return Number.NaN;
  }
}
const bootedMs = -performance.now() + uptimeMs();

/** The only real clock. Delays may be of any length, including infinity. */
export const systemClock: Clock = {
  now: monotonicMs,
  wall: () => Date.now(),
  after(delayMs, callback) {
    const dueAt = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = () => {
      // Node would warn about a negative delay on stderr, over the screen.
      const left = Math.max(0, dueAt - performance.now());
      const isFar = left > MAX_DELAY_MS;
      timer = setTimeout(isFar ? arm : callback, isFar ? MAX_DELAY_MS : left);
    };
    arm();
    return () => clearTimeout(timer);
  },
  soon(callback) {
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
  next(callback) {
    let isCancelled = false;
    // After all microtasks queued by then: in one of them, React commits what a key has changed.
    queueMicrotask(() => {
      process.nextTick(() => {
        if (!isCancelled) callback();
      });
    });
    return () => {
      isCancelled = true;
    };
  },
};

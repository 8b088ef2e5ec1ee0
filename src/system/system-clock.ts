// The machine's clocks and timers, passed to everything else as an argument.
import type { Clock } from "../units/clock.ts";

/** Node's longest timer delay; longer ones fire at once. */
const MAX_DELAY_MS = 2_147_483_647;

/** The only real clock. Delays may be of any length, including infinity. */
export const systemClock: Clock = {
  now: () => performance.now(),
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

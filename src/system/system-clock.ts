// The machine's own clocks and timers, as the argument that everything else takes.
import type { Clock } from "../units/clock.ts";

/** The longest delay that a timer of Node takes; it fires at once for a longer one. */
const MAX_DELAY_MS = 2_147_483_647;

/** The only real clock. Delays may be of any length, infinity too. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(delayMs, callback) {
    const dueAt = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = () => {
      // Node warns of a negative time on standard error, which is the screen.
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
    // Behind every microtask that is queued by then: React puts what a key has changed into the tree in one.
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

// The machine's own clock, for the few tests that need real sockets or real processes.
import type { Clock } from "../../src/units/clock.ts";

export const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  soon(callback) {
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
};

// The machine's own clock, on which nobody waits: pauses between tries are over at once, limits on what never comes stay.

import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";

/** Below the limits on what never comes, above the waits before something is tried again. */
const MAX_PAUSE_MS = 9000;
/** Pauses that are over count as waited: who waits for a time would ask for it again and again. */
let skippedMs = 0;

export const hurriedClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + skippedMs,
  after: (delayMs, callback) => {
    if (delayMs > MAX_PAUSE_MS) return systemClock.after(delayMs, callback);
    return systemClock.soon(() => {
      skippedMs += Math.max(0, delayMs);
      callback();
    });
  },
};

// The machine's own clock, on which nobody waits: pauses between tries are over at once, limits on what never comes stay.

import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";

/** Below the limits on what never comes, above the waits before something is tried again. */
const MAX_PAUSE_MS = 9000;

export const hurriedClock: Clock = {
  ...systemClock,
  after: (delayMs, callback) =>
    delayMs <= MAX_PAUSE_MS ? systemClock.soon(callback) : systemClock.after(delayMs, callback),
};

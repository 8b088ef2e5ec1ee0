// The machine's own clock, on which nobody waits: pauses between tries are over at once, limits on what never comes stay.
import type { Clock } from "../../src/units/clock.ts";
import { realClock } from "./real-clock.ts";

/** Below the shortest limit of a request, above the usual waits before the next. */
const LONGEST_PAUSE_MS = 2000;

export const hurriedClock: Clock = {
  ...realClock,
  after: (delayMs, callback) =>
    delayMs <= LONGEST_PAUSE_MS ? realClock.soon(callback) : realClock.after(delayMs, callback),
};

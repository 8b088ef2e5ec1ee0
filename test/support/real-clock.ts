// The machine's own clock, for the few tests that need real sockets or real processes.
import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";

export const realClock: Clock = systemClock;

// The past of a simulated exchange: the same engine, run as fast as it goes, before live time begins.
import type { Clock } from "../units/clock.ts";
import type { Simulation } from "./exchange/simulation.ts";

const US_PER_MS = 1000;
const MINUTE_MS = 60_000;
/** Books, positions and mark prices need a moment to come to life. */
const LEAST_PAST_MS = MINUTE_MS;

/** Where simulated time meets the clock. */
export interface Present {
  /** Unix milliseconds of simulated time 0, a whole minute. */
  readonly epochMs: number;
  /** The simulated time that belongs to a monotonic time of the clock, in microseconds and milliseconds. */
  readonly simulatedUs: number;
  readonly monotonicMs: number;
}

/**
 * Runs a fresh simulation until it has made so many trades, then on to a moment that has the same second of its
 * minute as the wall clock. So simulated minutes are minutes of the wall clock, and what happens does not depend on
 * when it is started. Never throws.
 * @param trades count over all markets
 */
export function makePast(simulation: Simulation, trades: number, clock: Clock): Present {
  simulation.runUntil(LEAST_PAST_MS * US_PER_MS);
  while (simulation.exchange.trades.end < trades) simulation.step();
  // What is left takes time as well: live time catches up with it from here.
  const monotonicMs = clock.now();
  const wallMs = Math.floor(clock.wall());
  const pastMs = Math.ceil(simulation.nowUs / US_PER_MS);
  const restMs = (((wallMs - pastMs) % MINUTE_MS) + MINUTE_MS) % MINUTE_MS;
  const simulatedUs = (pastMs + restMs) * US_PER_MS;
  simulation.runUntil(simulatedUs);
  return { epochMs: wallMs - pastMs - restMs, simulatedUs, monotonicMs };
}

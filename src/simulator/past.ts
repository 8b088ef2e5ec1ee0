// The past of a simulated exchange: the same engine, run as fast as it goes, before live time begins.
import type { Simulation } from "./exchange/simulation.ts";

const US_PER_MS = 1000;
const MINUTE_MS = 60_000;
/** Books, positions and mark prices need a moment to come to life. */
const LEAST_PAST_MS = MINUTE_MS;

/**
 * Runs a fresh simulation until it has made so many trades, then on to a moment that has the same second
 * of its minute as the wall clock. So simulated minutes are minutes of the wall clock, and what happens
 * does not depend on when it is started.
 *
 * @param trades count over all markets
 * @param wallMs reads the wall clock; asked once, when all but the last minute is made
 * @returns Unix milliseconds of simulated time 0, a whole minute
 */
export function makePast(simulation: Simulation, trades: number, wallMs: () => number): number {
  simulation.runUntil(LEAST_PAST_MS * US_PER_MS);
  while (simulation.exchange.trades.end < trades) simulation.step();
  const nowMs = Math.floor(wallMs());
  const pastMs = Math.ceil(simulation.nowUs / US_PER_MS);
  const restMs = (((nowMs - pastMs) % MINUTE_MS) + MINUTE_MS) % MINUTE_MS;
  simulation.runUntil((pastMs + restMs) * US_PER_MS);
  return nowMs - pastMs - restMs;
}

// Keeps simulated time in step with the clock, in turns: what is due happens, then the next turn is set
// for when the next thing is due. Only how far time goes depends on the clock, never what happens on the way.
import type { Clock } from "../units/clock.ts";
import type { Simulation } from "./exchange/schedule.ts";
import type { Present } from "./past.ts";

const US_PER_MS = 1000;
/** Acts in a turn at most: after a pause time is caught up in several turns, so that sockets are served between. */
const MAX_STEPS = 20_000;
/** With nothing due for long, a turn comes at least this often. */
const MAX_WAIT_MS = 1000;

/**
 * Keeps time until its answer is called.
 * @param turnMs shortest time between two turns
 * @param during runs a turn, and does what has to be done around it
 */
export function keepPace(
  clock: Clock,
  simulation: Simulation,
  { monotonicMs, simulatedUs }: Present,
  turnMs: number,
  during: (turn: () => void) => void,
): () => void {
  const turn = () => {
    const elapsedUs = Math.floor((clock.now() - monotonicMs) * US_PER_MS);
    const dueUs = simulatedUs + elapsedUs;
    let isDone = false;
    during(() => {
      isDone = simulation.runUntil(dueUs, MAX_STEPS);
    });
    if (!isDone) {
      stop = clock.soon(turn);
      return;
    }
    const waitMs = Math.ceil((simulation.nextUs - dueUs) / US_PER_MS);
    stop = clock.after(Math.min(MAX_WAIT_MS, Math.max(turnMs, waitMs)), turn);
  };
  let stop = clock.after(turnMs, turn);
  return () => stop();
}

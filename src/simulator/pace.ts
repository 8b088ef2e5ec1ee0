// The past of a simulated exchange: the same engine, run as fast as it goes, before live time begins.
import type { Clock } from "../units/clock.ts";
import type { Simulation } from "./exchange/schedule.ts";

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
 * when it is started.
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

/**
 * Wake-ups in a turn at most: after a pause time is caught up in several turns, so that sockets are served between.
 */
const MAX_STEPS = 20_000;
/** With nothing due for long, a turn comes at least this often. */
const MAX_WAIT_MS = 1000;

/** Whose time is kept, and by which clock. */
export interface PacemakerSetup {
  readonly clock: Clock;
  readonly simulation: Simulation;
  readonly present: Present;
  /** Shortest time between two turns. */
  readonly turnMs: number;
  /** Called around each turn. */
  readonly onBegin: () => void;
  readonly onEnd: () => void;
}

/** Keeps time from when it is made until `stop`. */
export class Pacemaker {
  readonly #setup: PacemakerSetup;
  #stop: () => void;

  constructor(setup: PacemakerSetup) {
    this.#setup = setup;
    this.#stop = setup.clock.after(setup.turnMs, () => this.#turn());
  }

  /** Milliseconds since the past ended. */
  get elapsedMs(): number {
    return this.#setup.clock.now() - this.#setup.present.monotonicMs;
  }

  stop(): void {
    this.#stop();
  }

  #turn(): void {
    const { clock, simulation, present, turnMs, onBegin, onEnd } = this.#setup;
    const dueUs = present.simulatedUs + Math.floor(this.elapsedMs * US_PER_MS);
    onBegin();
    const isDone = simulation.runUntil(dueUs, MAX_STEPS);
    onEnd();
    if (!isDone) {
      this.#stop = clock.soon(() => this.#turn());
      return;
    }
    const waitMs = Math.ceil((simulation.nextUs - dueUs) / US_PER_MS);
    const delayMs = Math.min(MAX_WAIT_MS, Math.max(turnMs, waitMs));
    this.#stop = clock.after(delayMs, () => this.#turn());
  }
}

// Keeps simulated time in step with the clock, in turns: what is due happens, then the next turn is set
// for when the next thing is due. Only how far time goes depends on the clock, never what happens on the way.
import type { Clock } from "../../units/clock.ts";
import type { Simulation } from "../exchange/simulation.ts";
import type { Present } from "../past.ts";

const US_PER_MS = 1000;
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

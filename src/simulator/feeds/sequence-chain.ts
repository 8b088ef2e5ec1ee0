// The sequence chain of one channel: previous_sequence and sequence of each frame, as the scenario reads them.
import type { Readings } from "../scenarios/readings.ts";

/** The two sequences of a frame: digit text, or null. */
export interface Links {
  readonly previous_sequence: string | null;
  readonly sequence: string | null;
}

const NONE: Links = { previous_sequence: null, sequence: null };

/** The chain as it stands; each call is one frame. Never throws. */
export class SequenceChain {
  readonly #readings: Readings;
  /** Transaction of the last frame, or of the state that the first one showed. 0: none yet. */
  #held: number;

  /** @param held index of the last transaction that the channel's state has folded in */
  constructor(readings: Readings, held: number) {
    this.#readings = readings;
    this.#held = held;
  }

  /** The links of a first frame: the state as it is held. */
  first(): Links {
    const { sequences, first_previous } = this.#readings;
    if (sequences !== "chained" || this.#held === 0) return NONE;
    const sequence = String(this.#held);
    return { previous_sequence: first_previous === "same" ? sequence : null, sequence };
  }

  /** The links of a frame that folds in a transaction. */
  next(index: number): Links {
    const previous = this.#held === 0 ? null : String(this.#held);
    this.#held = index;
    if (this.#readings.sequences === "null") return NONE;
    return { previous_sequence: previous, sequence: String(index) };
  }

  /** The links of a whole frame in mid-stream: it replaces what was before, so it follows nothing. */
  reset(index: number): Links {
    return { ...this.next(index), previous_sequence: null };
  }
}

// How are the lists of later account frames to be read? The document does not say whether a list holds the rows that
// changed or all rows that there are. What frames look like only hints at it; what proves it is a row that was left
// out and comes back, or is not there when everything comes anew. Reading: docs/adr/0011.

/** `rows`: a list holds the rows that changed. `whole`: a list holds all rows that there are. */
export type ListReading = "rows" | "whole";

/** What one later list shows, compared with the rows held before it. Counts of rows. */
export interface ListSigns {
  /** Came again with nothing changed: a list of changes would leave it out. */
  readonly repeated: number;
  /** Came for the last time, as finished: a list of what there is would leave it out. */
  readonly finished: number;
  /** Came again after an earlier list had left it out: that list did not hold everything. */
  readonly returned: number;
}

/** What a first frame shows of the rows held before it. Counts of rows. */
export interface AuditSigns {
  /** Left out by the newest list, and there all the same; or really not there. */
  readonly stillThere: number;
  readonly gone: number;
  /** Named by the newest list; and how many of those are not there any more: so fast do rows end anyway. */
  readonly named: number;
  readonly ended: number;
}

/** Logarithms of odds for `whole`. */
const IF_REPEATED = 1.5;
const IF_FINISHED = -1.5;
const IF_RETURNED = -3;
const IF_STILL_THERE = -3;
/** How much one frame may count, and all hints together: they must not decide for `whole` alone. */
const MAX_OF_FRAME = 4;
const MAX_HINTS = 5;
const MIN_HINTS = -3;
/** Decided at 1,000 : 1. Proof is counted up to twice that, so that it can be undone. */
const DECISION = Math.log(1000);
const MAX_PROOF = DECISION * 2;

/** What the updates of a list have shown so far: changed rows, or all rows. */
export class ListReadings {
  #hints = 0;
  #proof = 0;
  #observations = 0;

  copy(): ListReadings {
    const copy = new ListReadings();
    copy.#hints = this.#hints;
    copy.#proof = this.#proof;
    copy.#observations = this.#observations;
    return copy;
  }

  /** The reading in force: `rows`, under which nothing is lost, until `whole` is decided. */
  get reading(): ListReading {
    return this.#score >= DECISION ? "whole" : "rows";
  }

  get isDecided(): boolean {
    return Math.abs(this.#score) >= DECISION;
  }

  /** Frames that spoke for one reading and against the other. */
  get observations(): number {
    return this.#observations;
  }

  /** Weighs a later list. */
  weigh({ repeated, finished, returned }: ListSigns): void {
    const hints = bounded(repeated * IF_REPEATED + finished * IF_FINISHED, MAX_OF_FRAME);
    this.#hints = Math.max(MIN_HINTS, Math.min(MAX_HINTS, this.#hints + hints));
    this.#prove(returned * IF_RETURNED);
    if (hints !== 0 || returned > 0) this.#observations++;
  }

  /** Weighs a first frame of a channel that was held before. */
  weighAnew(signs: AuditSigns): void {
    const { stillThere, gone } = signs;
    if (stillThere === 0 && gone === 0) return;
    this.#prove(stillThere > 0 ? stillThere * IF_STILL_THERE : -logChanceOfEnding(signs));
    this.#observations++;
  }

  get #score(): number {
    return this.#hints + this.#proof;
  }

  #prove(evidence: number): void {
    this.#proof = bounded(this.#proof + bounded(evidence, MAX_OF_FRAME), MAX_PROOF);
  }
}

/**
 * Logarithm of the chance that so many rows have ended meanwhile although the newest list did not mean that, given how
 * many of those that it named have ended. Their common chance is not known: every one is taken for equally likely.
 */
function logChanceOfEnding({ gone, named, ended }: AuditSigns): number {
  let log = 0;
  for (let i = 0; i < gone; i++) log += Math.log((ended + 1 + i) / (named + 2 + i));
  return log;
}

function bounded(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

// How are the lists of later account frames to be interpreted? The document does not say whether a list holds the rows
// that changed, all rows that there are, or all rows of the markets that it names. What frames look like only hints at it;
// what proves it is a row that was left out and comes back, or is not there in a snapshot. Interpretation: docs/adr/0011.

/**
 * `rows`: a list holds the rows that changed. `markets`: it holds all rows of each market that it names. `whole`: it holds
 * all rows that there are.
 */
export type ListInterpretation = "rows" | "markets" | "whole";

/** Under all of these a row that is left out may be over, under the first it never is. */
const READINGS: readonly ListInterpretation[] = ["rows", "whole", "markets"];

/** What one later list shows, compared with the rows held before it. Counts of rows. */
export interface ListSigns {
  /** Came again with nothing changed: a list of changes would leave it out. */
  readonly repeated: number;
  /** Came for the last time, as finished: a list of what there is would leave it out. */
  readonly finished: number;
  /** Came again after a list that named its market had left it out. */
  readonly returned: number;
  /** Came again after a list that did not name its market had left it out. */
  readonly returnedElsewhere: number;
  /** The same of rows that can be no new ones under an old key: a closed position may be opened again. */
  readonly surelyReturned: number;
  readonly surelyReturnedElsewhere: number;
}

/** What a first frame shows of the rows held before it. Counts of rows. */
export interface AuditSigns {
  /** Left out by a list that named their market, and there all the same; or really not there. */
  readonly stillThere: number;
  readonly gone: number;
  /** Left out by lists that did not name their market. */
  readonly stillElsewhere: number;
  readonly goneElsewhere: number;
  /** Named by the newest list; and how many of those are not there any more: so fast do rows end anyway. */
  readonly named: number;
  readonly ended: number;
}

/** Logarithms of odds. */
const IF_REPEATED = 1.5;
const IF_FINISHED = -1.5;
const IF_RETURNED = -1.5;
const IF_SURELY_RETURNED = -3;
const IF_STILL_THERE = -3;
/** How much one frame may count, and all hints together: they must not decide alone. */
const MAX_OF_FRAME = 4;
const MAX_HINTS = 5;
const MIN_HINTS = -3;
/** Decided at 1,000 : 1. Proof is counted up to twice that, so that it can be undone. */
const DECISION = Math.log(1000);
const MAX_PROOF = DECISION * 2;

const ALL = { rows: true, markets: true, whole: true } as const;

type Scores = Record<ListInterpretation, number>;

/** What the updates of a list have shown so far. */
export class ListInterpretations {
  /** For both readings under which a list is more than changes. */
  #hints = 0;
  /** 0 for the likeliest, less for the others. */
  #proof: Scores = { rows: 0, markets: 0, whole: 0 };
  #observations = 0;
  #possible: Readonly<Record<ListInterpretation, boolean>> = ALL;

  copy(): ListInterpretations {
    const copy = new ListInterpretations();
    copy.#hints = this.#hints;
    copy.#proof = { ...this.#proof };
    copy.#observations = this.#observations;
    copy.#possible = this.#possible;
    return copy;
  }

  /** The likeliest: `rows`, under which nothing is lost, until that is refuted. */
  get reading(): ListInterpretation {
    if (this.isPossible("rows")) return "rows";
    return this.#score("markets") > this.#score("whole") ? "markets" : "whole";
  }

  /** True when it is known whether a list may leave out what there is. */
  get isDecided(): boolean {
    const isMore = this.isPossible("markets") || this.isPossible("whole");
    return !(this.isPossible("rows") && isMore);
  }

  /** True unless the reading has been refuted. */
  isPossible(reading: ListInterpretation): boolean {
    return this.#possible[reading];
  }

  /** Frames that spoke for one reading and against the other. */
  get observations(): number {
    return this.#observations;
  }

  /** Weighs a later list. */
  weigh(signs: ListSigns): void {
    const { repeated, finished, returned, returnedElsewhere } = signs;
    const { surelyReturned, surelyReturnedElsewhere } = signs;
    const hints = bounded(
      repeated * IF_REPEATED +
        finished * IF_FINISHED +
        (returned + returnedElsewhere) * IF_RETURNED,
      MAX_OF_FRAME,
    );
    this.#hints = Math.max(MIN_HINTS, Math.min(MAX_HINTS, this.#hints + hints));
    this.#settle();
    const surely = surelyReturned + surelyReturnedElsewhere;
    if (surely > 0) {
      const against = (rows: number) => bounded(rows * IF_SURELY_RETURNED, MAX_OF_FRAME);
      this.#prove({ rows: 0, markets: against(surelyReturned), whole: against(surely) });
    }
    if (hints !== 0 || surely > 0) this.#observations++;
  }

  /** Weighs a first frame of a channel that was held before: rows may have ended meanwhile. */
  weighAnew(signs: AuditSigns): void {
    const { stillThere, gone, stillElsewhere, goneElsewhere } = signs;
    if (stillThere + gone + stillElsewhere + goneElsewhere === 0) return;
    const still = stillThere + stillElsewhere;
    this.#prove({
      rows: logChanceOfEnding(gone + goneElsewhere, signs),
      markets: stillThere * IF_STILL_THERE + logChanceOfEnding(goneElsewhere, signs),
      whole: still * IF_STILL_THERE,
    });
    this.#observations++;
  }

  /** A snapshot of the same sequence has shown that it cannot be so. */
  refute(reading: ListInterpretation): void {
    this.#prove({ rows: 0, markets: 0, whole: 0, [reading]: -MAX_PROOF }, MAX_PROOF);
    this.#observations++;
  }

  #score(reading: ListInterpretation): number {
    return this.#proof[reading] + (reading === "rows" ? 0 : this.#hints);
  }

  #prove(evidence: Scores, most = MAX_PROOF): void {
    const sums = READINGS.map((each) => this.#proof[each] + Math.max(-most, evidence[each]));
    const best = Math.max(...sums);
    for (const [i, each] of READINGS.entries()) {
      this.#proof[each] = Math.max(-MAX_PROOF, (sums[i] ?? 0) - best);
    }
    this.#settle();
  }

  #settle(): void {
    const best = Math.max(this.#score("rows"), this.#score("markets"), this.#score("whole"));
    const isPossible = (reading: ListInterpretation) => this.#score(reading) > best - DECISION;
    this.#possible = {
      rows: isPossible("rows"),
      markets: isPossible("markets"),
      whole: isPossible("whole"),
    };
  }
}

/**
 * Logarithm of the chance that so many rows have ended meanwhile although the newest list did not mean that, given how
 * many of those that it named have ended. Their common chance is not known: every one is taken for equally likely.
 */
function logChanceOfEnding(gone: number, { named, ended }: AuditSigns): number {
  let log = 0;
  for (let i = 0; i < gone; i++) log += Math.log((ended + 1 + i) / (named + 2 + i));
  return Math.max(-MAX_OF_FRAME, log);
}

function bounded(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

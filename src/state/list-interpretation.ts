// Decides how the lists of later account frames are to be interpreted. The document does not say whether a list holds the
// changed rows, all rows, or all rows of the markets that it names. The look of a frame is only a hint; proof is a row that
// was left out and returns, or is missing from a snapshot. Interpretation: docs/adr/0011.

import type { ListFacts } from "./facts-schema.ts";

/**
 * `rows`: a list holds the rows that changed. `markets`: it holds all rows of each market that it names. `whole`: it holds
 * all rows that there are. Under the last two a row that is left out may be over.
 */
export type ListInterpretation = "rows" | "markets" | "whole";

/** What one later list shows, compared with the rows held before it: sums of logarithms of odds. */
export interface ListEvidence {
  /** For both interpretations under which a list is more than changes. */
  hints: number;
  /** Against each of these. */
  markets: number;
  whole: number;
  /**
   * Rows that came again as large and at the same price, after any list and after one that named their market had left them
   * out. One may have been opened again; a second one hardly in the same transaction.
   */
  alike: number;
  alikeTouched: number;
}

/** Of one row: it came again with nothing changed, as a list of changes would not have it. */
export const IF_REPEATED = 1.5;
/** It came for the last time, as finished: a list of what there is would leave it out. */
export const IF_FINISHED = -1.5;
/** It came again after a list had left it out; it may be a new one under an old key, or surely is not. */
export const IF_RETURNED = -1.5;
export const IF_SURELY_RETURNED = -3;
const IF_STILL_THERE = -3;

/** What a snapshot shows of the rows held before it. Counts of rows. */
export interface SnapshotEvidence {
  /** Named by the newest list; and how many of those are not there any more: so fast do rows end anyway. */
  readonly named: number;
  readonly ended: number;
  /** Left out by lists, and there all the same; and how many of those by a list that named their market. */
  readonly there: number;
  readonly thereTouched: number;
  /** Left out by lists, and really not there; and how many of those by lists that did not name their market. */
  readonly gone: number;
  readonly goneElsewhere: number;
}

/** How much one frame may count, and all hints together: they must not decide alone. */
const MAX_OF_FRAME = 4;
const MAX_HINTS = 5;
const MIN_HINTS = -3;
/** Decided at 1,000 : 1. Proof is counted up to twice that, so that it can be undone. */
export const DECISION = Math.log(1000);
const MAX_PROOF = DECISION * 2;

type Scores = Readonly<Record<ListInterpretation, number>>;

export class ListInterpretations {
  private hints = 0;
  /** 0 for the likeliest, less for the others. */
  private proof: Scores = ofEach(() => 0);
  /** Some frames hold all there is and some hold changes, and nothing says which: that is never decided. */
  private isMixed = false;
  /** Frames that favoured one interpretation over the other. */
  observations = 0;
  possible = ofEach(() => true);

  /** The likeliest: `rows`, under which nothing is lost, until that is refuted. */
  get likeliest(): ListInterpretation {
    if (this.possible.rows) return "rows";
    return this.proof.markets > this.proof.whole ? "markets" : "whole";
  }

  /** True when it is known whether a list may leave out what there is. */
  get isDecided(): boolean {
    return !(this.possible.rows && this.mayLeaveOut);
  }

  /** True while a row that a list leaves out may be over. */
  get mayLeaveOut(): boolean {
    return this.possible.markets || this.possible.whole;
  }

  facts(): ListFacts["interpretations"] {
    const { hints, proof, isMixed, observations, possible } = this;
    return { hints, proof, isMixed, observations, possible };
  }

  restore(facts: ListFacts["interpretations"]): void {
    Object.assign(this, facts);
  }

  weigh(evidence: ListEvidence): void {
    const hints = bounded(evidence.hints);
    this.hints = Math.max(MIN_HINTS, Math.min(MAX_HINTS, this.hints + hints));
    const against = (sum: number, alike: number) =>
      bounded(sum + Math.max(0, alike - 1) * IF_SURELY_RETURNED);
    const markets = against(evidence.markets, evidence.alikeTouched);
    const whole = against(evidence.whole, evidence.alike);
    this.prove({ rows: 0, markets, whole });
    if (hints !== 0 || whole !== 0) this.observations++;
  }

  mix(): void {
    if (this.isMixed) return;
    this.isMixed = true;
    this.possible = ofEach(() => true);
    this.observations++;
  }

  /** Weighs a snapshot of what was held before: rows may have ended meanwhile. */
  weighSnapshot(evidence: SnapshotEvidence): void {
    const { there, thereTouched, gone, goneElsewhere } = evidence;
    if (there + gone === 0) return;
    this.prove({
      rows: logChanceOfEnding(gone, evidence),
      markets: thereTouched * IF_STILL_THERE + logChanceOfEnding(goneElsewhere, evidence),
      whole: there * IF_STILL_THERE,
    });
    this.observations++;
  }

  /** A snapshot of the same sequence has shown that it cannot be so. */
  refute(interpretation: ListInterpretation): void {
    this.prove({ rows: 0, markets: 0, whole: 0, [interpretation]: -MAX_PROOF });
    this.observations++;
  }

  private prove(evidence: Scores): void {
    if (this.isMixed) return;
    const sums = ofEach((each) => this.proof[each] + Math.max(-MAX_PROOF, evidence[each]));
    const best = Math.max(...Object.values(sums));
    this.proof = ofEach((each) => Math.max(-MAX_PROOF, sums[each] - best));
    const scores = ofEach((each) => this.proof[each] + (each === "rows" ? 0 : this.hints));
    const least = Math.max(...Object.values(scores)) - DECISION;
    this.possible = ofEach((each) => scores[each] > least);
  }
}

function ofEach<T>(of: (each: ListInterpretation) => T): Readonly<Record<ListInterpretation, T>> {
  return { rows: of("rows"), markets: of("markets"), whole: of("whole") };
}

/**
 * Logarithm of the chance that so many rows have ended meanwhile although the newest list did not mean that, given how
 * many of those that it named have ended. Their common chance is not known: every one is taken for equally likely.
 */
export function logChanceOfEnding(
  gone: number,
  { named, ended }: Pick<SnapshotEvidence, "named" | "ended">,
): number {
  // So much time may have passed that nothing is left of what was there: the next time it may be the same.
  if (ended === named) return 0;
  let log = 0;
  for (let i = 0; i < gone; i++) log += Math.log((ended + 1 + i) / (named + 2 + i));
  return Math.max(-MAX_OF_FRAME, log);
}

function bounded(value: number): number {
  return Math.max(-MAX_OF_FRAME, Math.min(MAX_OF_FRAME, value));
}

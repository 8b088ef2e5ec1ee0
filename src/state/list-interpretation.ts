// Decides how the lists of later account frames are to be interpreted. The document does not say whether a list holds the
// changed rows, all rows, or all rows of the markets in it. The look of a frame is only a hint; proof is a row that was left
// out and returns, or is missing from a snapshot.

import type { ListFacts } from "./facts-schema.ts";

/**
 * `rows`: a list holds the rows that changed. `markets`: it holds all rows of each market in it. `whole`: it holds all rows.
 * Under the last two a row that is left out may have ended.
 */
export type ListInterpretation = "rows" | "markets" | "whole";

/** Evidence from one later list, compared with the rows held before it: sums of log odds. */
export interface ListEvidence {
  /** For both interpretations under which a list is more than a delta. */
  hints: number;
  /** Against each of these. */
  markets: number;
  whole: number;
  /**
   * Rows that returned with the same size and price after any list, or one that named their market, had left them out. One may
   * have been reopened; a second one in the same transaction hardly.
   */
  alike: number;
  alikeTouched: number;
}

/** A row was repeated unchanged, which a delta would not do. */
export const IF_REPEATED = 1.5;
/** A row was sent for the last time, as finished: a list of current rows would omit it. */
export const IF_FINISHED = -1.5;
/** A row returned after a list had left it out: possibly a new one under an old key, or surely the same. */
export const IF_RETURNED = -1.5;
export const IF_SURELY_RETURNED = -3;
const IF_STILL_THERE = -3;

/** What a snapshot shows about the rows held before it. Counts of rows. */
export interface SnapshotEvidence {
  /** In the newest list; and how many of those are gone: the rate at which rows end anyway. */
  readonly named: number;
  readonly ended: number;
  /** Left out by lists but still there; and how many of those by a list that named their market. */
  readonly there: number;
  readonly thereTouched: number;
  /** Left out by lists and gone; and how many of those by lists that did not name their market. */
  readonly gone: number;
  readonly goneElsewhere: number;
}

/** Limits for one frame, and for all hints together, which must not decide alone. */
const MAX_OF_FRAME = 4;
const MAX_HINTS = 5;
const MIN_HINTS = -3;
/** Decided at odds of 1,000 : 1. Proof is counted up to twice that, so that it can be undone. */
export const DECISION = Math.log(1000);
const MAX_PROOF = DECISION * 2;

type Scores = Readonly<Record<ListInterpretation, number>>;

export class ListInterpretations {
  private hints = 0;
  /** 0 for the likeliest, negative for the others. */
  private proof: Scores = ofEach(() => 0);
  /** Some frames are complete, others are deltas, and nothing marks which: this is never decided. */
  private isMixed = false;
  /** Frames that favoured one interpretation. */
  observations = 0;
  possible = ofEach(() => true);

  /** The likeliest: `rows`, under which nothing is lost, until it is refuted. */
  get likeliest(): ListInterpretation {
    if (this.possible.rows) return "rows";
    return this.proof.markets > this.proof.whole ? "markets" : "whole";
  }

  /** True when it is known whether a list may leave out existing rows. */
  get isDecided(): boolean {
    return !(this.possible.rows && this.mayLeaveOut);
  }

  /** True while a row that a list leaves out may have ended. */
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

  /** Weighs a snapshot against the rows held before it, some of which may have ended meanwhile. */
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

  /** A snapshot of the same sequence has ruled the interpretation out. */
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
 * Log probability that this many rows have ended meanwhile although being left out does not mean so, given how many of the
 * rows in the newest list have ended. Their common probability is unknown: a uniform prior is assumed.
 */
export function logChanceOfEnding(
  gone: number,
  { named, ended }: Pick<SnapshotEvidence, "named" | "ended">,
): number {
  // So much time may have passed that everything has ended, the left-out rows included.
  if (ended === named) return 0;
  let log = 0;
  for (let i = 0; i < gone; i++) log += Math.log((ended + 1 + i) / (named + 2 + i));
  return Math.max(-MAX_OF_FRAME, log);
}

function bounded(value: number): number {
  return Math.max(-MAX_OF_FRAME, Math.min(MAX_OF_FRAME, value));
}

// How a service numbers the frames of one channel kind, as observed so far. Shared by all channels of the kind, and kept across
// resyncs and connections.

import type { NumberingEvidence, PreviousNames } from "../wire/stream-event.ts";

/** Previous sequences never seen on the channel, after which previous is taken to count the service's transactions. */
const UNSEEN_TO_DECIDE = 3;
/** They must occur within this many frames: a frame lost once a day decides nothing. */
const WINDOW_FRAMES = 1000;

/** After this many frames with a null previous, and none without, null carries no information. */
const NULLS_TO_DECIDE = 3;
/** Consecutive subscriptions that begin with an unnumbered frame followed by one that names a previous: then it follows. */
const NAMES_TO_DECIDE = 2;

/** Consecutive subscriptions that begin with an unnumbered frame followed by one with an older server time. */
const OLDER_TO_ACCEPT = 4;

/**
 * Unseen frames after a first frame that are skipped as stale, by whether their server time is older than its own. None, until
 * skipping has proved right because the sequence continued: server time alone gives no order.
 */
const FIRST_ALLOWANCE = { older: 0, newer: 0 };
const ALLOWANCE_GROWTH = 8;
const MAX_ALLOWANCE = 10_000;

const NONE: readonly number[] = [];

export class Numbering {
  readonly #onChange: (evidence: NumberingEvidence) => void;
  #previous: PreviousNames = "frame";
  #frames = 0;
  #unseen = 0;
  /** Indexes, among the frames counted, of the newest previous sequences that were never seen. */
  #unseenAt = NONE;
  /** A frame after a first one has had a non-null previous. */
  #hasNamed = false;
  /** A frame has named the one before it in a way that counting transactions cannot explain. */
  #isProven = false;
  /** Frames after first ones with a null previous, while none has had another. */
  #nulls = 0;
  /** Frames with a null previous directly after an unnumbered first one, since a subscription began with a number. */
  #begun = 0;
  /** Those with a non-null previous. */
  #unanchored = 0;
  /** Those that continue with a frame of an older server time, since one continued otherwise. */
  #older = 0;
  #allowance = FIRST_ALLOWANCE;

  constructor(onChange: (evidence: NumberingEvidence) => void = () => {}) {
    this.#onChange = onChange;
  }

  get evidence(): NumberingEvidence {
    return { previous: this.#previous, frames: this.#frames, unseen: this.#unseen };
  }

  /** True while `previous_sequence` reveals gaps. */
  get isChained(): boolean {
    return this.#previous === "frame";
  }

  /**
   * True when a frame follows the held one, or it cannot be known that it does not. Digit texts without leading zeros;
   * `sequence` is newer than `held`.
   */
  follows(previous: string, sequence: string, held: string): boolean {
    const isMatch = previous === held;
    this.#hasNamed = true;
    const isCount = isPredecessor(previous, sequence);
    if (isMatch && !isCount) this.#isProven = true;
    if (this.#previous === "nothing" || !isCount) {
      this.#contradict();
      return isMatch;
    }
    this.#frames++;
    if (isMatch || this.#isProven) return isMatch;
    // Between the held sequence and the frame's own: this number was never received on this channel.
    this.#unseen++;
    if (this.#previous === "transaction") return true;
    const since = this.#frames - WINDOW_FRAMES;
    this.#unseenAt = [...this.#unseenAt.filter((at) => at > since), this.#frames];
    if (this.#unseenAt.length < UNSEEN_TO_DECIDE) return false;
    this.#previous = "transaction";
    this.#onChange(this.evidence);
    return true;
  }

  /** An ignored frame after a first one has a non-null previous, so null carries information. */
  noteName(): void {
    this.#hasNamed = true;
    if (this.#previous === "nothing") this.#contradict();
  }

  /**
   * Meaning of a null previous after a first frame: the frame is a snapshot, or, if no frame ever has a non-null previous,
   * nothing. `unsure` while undecided.
   */
  classifyNull(): "snapshot" | "nothing" | "unsure" {
    if (this.#hasNamed) return "snapshot";
    this.#nulls++;
    if (this.#nulls < NULLS_TO_DECIDE) return "unsure";
    if (this.#previous !== "nothing") {
      this.#previous = "nothing";
      this.#frames = this.#nulls;
      this.#onChange(this.evidence);
    }
    return "nothing";
  }

  /**
   * The same directly after an unnumbered first frame, to which null may refer: then the frame is a delta, else a snapshot. After
   * `NULLS_TO_DECIDE` such frames, null is taken to refer to it: it seems that no subscription begins with a number.
   */
  classifyFirstNull(): "nothing" | "unsure" {
    return ++this.#begun < NULLS_TO_DECIDE ? "unsure" : "nothing";
  }

  /** A subscription began with a number: one that begins without has not received its number yet. */
  takeFirstNumber(): void {
    this.#begun = 0;
    this.#unanchored = 0;
  }

  /**
   * Whether a frame with a non-null previous directly after an unnumbered first frame follows it, or frames in between were
   * missed. If no subscription begins with a number, it is taken to follow.
   */
  classifyFirstPrevious(): "next" | "unsure" {
    return this.isChained && ++this.#unanchored < NAMES_TO_DECIDE ? "unsure" : "next";
  }

  /**
   * Whether an unseen frame after an unnumbered first one follows it: with an older server time it may be an earlier delta, which
   * the first frame includes. If all subscriptions begin this way, it is taken to follow: deltas applied again, up to the last,
   * give the same state.
   */
  classifyByTime(isOlder: boolean): "next" | "unsure" {
    this.#older = isOlder ? this.#older + 1 : 0;
    return isOlder && this.#older < OLDER_TO_ACCEPT ? "unsure" : "next";
  }

  /**
   * How many consecutive unseen frames may be skipped as older than the first frame of their subscription.
   * @param isOlder also by their server time
   */
  staleAllowance(isOlder: boolean): number {
    return isOlder ? this.#allowance.older : this.#allowance.newer;
  }

  /** Frames that seemed to restart the numbering were only stale: the sequence continued in the next subscription. */
  learnStale(isOlder: boolean): void {
    const count = Math.max(1, this.staleAllowance(isOlder)) * ALLOWANCE_GROWTH;
    const which = isOlder ? "older" : "newer";
    this.#allowance = { ...this.#allowance, [which]: Math.min(MAX_ALLOWANCE, count) };
  }

  #contradict(): void {
    const wasChained = this.isChained;
    this.#previous = "frame";
    this.#frames = 0;
    this.#unseen = 0;
    this.#unseenAt = NONE;
    if (!wasChained) this.#onChange(this.evidence);
  }
}

const ZERO = 48;

/** True when the first integer is the second less one. Both without leading zeros. */
function isPredecessor(previous: string, sequence: string): boolean {
  // For most numbers the last digit decides.
  const last = sequence.charCodeAt(sequence.length - 1);
  if ((last - previous.charCodeAt(previous.length - 1) + 10) % 10 !== 1) return false;
  if (last === ZERO) return BigInt(sequence) - 1n === BigInt(previous);
  return sequence.length === previous.length && sequence.startsWith(previous.slice(0, -1));
}

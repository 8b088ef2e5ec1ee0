// How a service numbers the frames of one channel kind, as far as they have shown it. Shared by all channels of the kind,
// and kept over resyncs and connections. Interpretation: docs/adr/0002.

import type { NumberingEvidence, PreviousNames } from "../wire/stream-event.ts";

/** Names never seen on the channel after which previous counts the transactions of the service. */
const UNSEEN_TO_DECIDE = 3;
/** They count together within so many frames: a frame lost once a day decides nothing. */
const WINDOW_FRAMES = 1000;

/** Null previous in so many frames, and no other in any, and it says nothing. */
const NULLS_TO_DECIDE = 3;
/** Subscriptions in a row that begin without a number, and a name right behind that, and it follows. */
const NAMES_TO_DECIDE = 2;

/** Subscriptions in a row that begin without a number, and with what is older by its server time right behind that. */
const OLDER_TO_ACCEPT = 4;

/**
 * Unseen frames that are passed over behind a first frame, by their server time older than it and not. None, until the count
 * has been found to go on behind such: the time alone orders nothing.
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
  /** Places, among the frames counted, of the newest names that were never seen. */
  #unseenAt = NONE;
  /** A frame behind a first one has named another. */
  #hasNamed = false;
  /** One has named the frame before it, which no count of transactions leads to. */
  #isProven = false;
  /** Frames behind first ones whose previous is null, as long as none has named another. */
  #nulls = 0;
  /** Frames with a null previous right behind a first one without a number. */
  #begun = 0;
  /** Those that name another, since a subscription began with a number. */
  #unanchored = 0;
  /** Those that go on with a frame of an older server time, since one went on with another. */
  #older = 0;
  #allowance = FIRST_ALLOWANCE;

  constructor(onChange: (evidence: NumberingEvidence) => void = () => {}) {
    this.#onChange = onChange;
  }

  get evidence(): NumberingEvidence {
    return { previous: this.#previous, frames: this.#frames, unseen: this.#unseen };
  }

  /** True while gaps are seen by `previous_sequence`. */
  get isChained(): boolean {
    return this.#previous === "frame";
  }

  /**
   * True when a frame follows the one that is held, or nothing says that it does not. Digit texts in stripped form;
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
    // Between what is held and the frame itself: nothing of this number has ever come on this channel.
    this.#unseen++;
    if (this.#previous === "transaction") return true;
    const since = this.#frames - WINDOW_FRAMES;
    this.#unseenAt = [...this.#unseenAt.filter((at) => at > since), this.#frames];
    if (this.#unseenAt.length < UNSEEN_TO_DECIDE) return false;
    this.#previous = "transaction";
    this.#onChange(this.evidence);
    return true;
  }

  /** A frame behind a first one that is not folded in names another: null says something. */
  noteName(): void {
    this.#hasNamed = true;
    if (this.#previous === "nothing") this.#contradict();
  }

  /**
   * What a null previous behind a first frame says: that the frame is a snapshot, or, where no frame ever names another,
   * nothing. `unsure` while that is open.
   */
  takeNull(): "snapshot" | "nothing" | "unsure" {
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
   * The same right behind a first frame without a number, which null may name: then what is received is a change, else a snapshot. In
   * a subscription that begins with a number it is not open; where none does, null names the frame without one.
   */
  takeFirstNull(): "nothing" | "unsure" {
    return ++this.#begun < NULLS_TO_DECIDE ? "unsure" : "nothing";
  }

  /** A subscription began with a number: one that begins without has none yet. */
  takeFirstNumber(): void {
    this.#unanchored = 0;
  }

  /**
   * What a frame that names another is right behind a first frame without a number: it may follow that, or frames between
   * were missed. Where no subscription begins with a number, it is taken to follow.
   */
  takeFirstName(): "next" | "unsure" {
    return this.isChained && ++this.#unanchored < NAMES_TO_DECIDE ? "unsure" : "next";
  }

  /**
   * What a frame that has not been seen is behind a first one without a number: by an older server time it may be a change of
   * before, which that one holds, or it follows it. Where all subscriptions begin so, it is taken to follow: changes that are
   * made once more, up to the last, come to what there was.
   */
  takeTime(isOlder: boolean): "next" | "unsure" {
    this.#older = isOlder ? this.#older + 1 : 0;
    return isOlder && this.#older < OLDER_TO_ACCEPT ? "unsure" : "next";
  }

  /**
   * How many unseen frames in a row may be passed over as older than the first frame of their subscription.
   * @param isOlder by their server time, too
   */
  staleAllowance(isOlder: boolean): number {
    return isOlder ? this.#allowance.older : this.#allowance.newer;
  }

  /** Frames that seemed to count anew were only old: the count went on in the subscription that was begun for them. */
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

/** True when the first integer is the second less one. Both in stripped form. */
function isPredecessor(previous: string, sequence: string): boolean {
  // Of most numbers the last digit is enough.
  const last = sequence.charCodeAt(sequence.length - 1);
  if ((last - previous.charCodeAt(previous.length - 1) + 10) % 10 !== 1) return false;
  if (last === ZERO) return BigInt(sequence) - 1n === BigInt(previous);
  return sequence.length === previous.length && sequence.startsWith(previous.slice(0, -1));
}

// Decides which update may be the first of a subscription. One that follows another is only a delta: either late, from before
// the subscribe, or the real first update was lost. Learned per channel kind.

import type { Clock } from "../units/clock.ts";
import { compareUint, stripZeros } from "../units/uint.ts";
import { isSequenced, type ReceivedUpdate } from "../wire/decode.ts";
import type { SequencedUpdate } from "../wire/update.ts";

/** Consecutive subscriptions whose first update follows another, after which this is accepted as the service's behaviour. */
const FOLLOWING_TO_ACCEPT = 4;
/** The same for a kind of which no subscription has started with a snapshot. */
const FOLLOWING_TO_ACCEPT_UNSEEN = 2;
/** A first update that is not lost arrives within this time. */
const TARDY_MS = 2000;

type Links = Pick<SequencedUpdate, "previous_sequence" | "sequence">;

export class SnapshotPolicy {
  /** Consecutive subscriptions that began with an update that follows another. */
  readonly #following = new Map<ReceivedUpdate["kind"], number>();
  /** Kinds of which at least one subscription started with a snapshot. */
  readonly #beginning = new Set<ReceivedUpdate["kind"]>();

  /**
   * True when this may be the first update of a subscription, judging by other subscriptions; counts it.
   * @param arrival `tardy`: long after the subscribe; `behind`: after an update that cannot be the first
   */
  mayBegin(update: ReceivedUpdate, arrival: "soon" | "tardy" | "behind"): boolean {
    if (!isSequenced(update)) return true;
    const { kind, frame } = update;
    const following = this.#following.get(kind) ?? 0;
    const most = this.#beginning.has(kind) ? FOLLOWING_TO_ACCEPT : FOLLOWING_TO_ACCEPT_UNSEEN;
    // Updates after one that was counted are deltas to it.
    if (arrival === "behind" && !hasNoPredecessor(frame)) return false;
    // Permanent: a service that does both would otherwise be suspected again and again.
    if (following >= most) return true;
    if (hasNoPredecessor(frame)) {
      this.#beginning.add(kind);
      this.#following.set(kind, 0);
      return true;
    }
    if (this.#beginning.size === 0 && arrival === "soon") return true;
    this.#following.set(kind, following + 1);
    return following + 1 >= most;
  }
}

/** How long to wait for the first update after one that cannot be it. */
export const FIRST_WAIT_MS = 1000;
export const FIRST_LOST = "the first update of the subscription was lost";

export class FirstUpdate {
  /** Why the update that looks like the first cannot be trusted. */
  #taint: string | undefined;
  /** An update arrived that cannot be the first, which may follow right after it, or be lost. */
  #isOvertaken = false;
  /** Newest sequence of the updates that arrived instead: an older first update does not include them. */
  #overtaking: string | undefined;
  #askedAtMs = 0;
  readonly #clock: Clock;
  readonly #policy: SnapshotPolicy;

  constructor(clock: Clock, policy: SnapshotPolicy) {
    this.#clock = clock;
    this.#policy = policy;
  }

  begin(): void {
    this.#taint = undefined;
    this.#isOvertaken = false;
    this.#overtaking = undefined;
    this.#askedAtMs = this.#clock.now();
  }

  taint(reason: string): void {
    this.#taint = reason;
  }

  get #arrival(): "soon" | "tardy" | "behind" {
    if (this.#isOvertaken) return "behind";
    return this.#clock.now() - this.#askedAtMs > TARDY_MS ? "tardy" : "soon";
  }

  /** True unless updates that were dropped before it may be missing from it. */
  #isJoined(update: ReceivedUpdate): boolean {
    if (!this.#isOvertaken || !isSequenced(update)) return true;
    const { sequence } = update.frame;
    // Without a number it is unknown whether it includes what was received before it.
    if (sequence === null) return false;
    return (
      this.#overtaking === undefined || compareUint(stripZeros(sequence), this.#overtaking) >= 0
    );
  }

  #isOfOvertaking(update: ReceivedUpdate): boolean {
    if (!isSequenced(update) || this.#overtaking === undefined) return false;
    const { previous_sequence, sequence } = update.frame;
    if (previous_sequence === null || sequence === null) return false;
    const own = stripZeros(sequence);
    return own === this.#overtaking && stripZeros(previous_sequence) === own;
  }

  /**
   * Why an update is not accepted as the first: `wait` for another, or a reason; undefined when it is.
   * @param isAlwaysSnapshot each update of the channel is known to be one
   */
  check(update: ReceivedUpdate, isAlwaysSnapshot: boolean): string | undefined {
    // The updates received instead may have been its beginning: then the rest of it names its own transaction.
    if (this.#isOfOvertaking(update)) return FIRST_LOST;
    const mayBegin = this.#policy.mayBegin(update, this.#arrival) || isAlwaysSnapshot;
    if (!mayBegin && !this.#isOvertaken) {
      this.#isOvertaken = true;
      if (isSequenced(update) && update.frame.sequence !== null) {
        this.#overtaking = stripZeros(update.frame.sequence);
      }
      return "wait";
    }
    if (!mayBegin || !this.#isJoined(update)) return FIRST_LOST;
    return this.#taint;
  }
}

/** The frame names no previous frame, or only itself, or has no number. */
export function hasNoPredecessor({ previous_sequence, sequence }: Links): boolean {
  return previous_sequence === null || sequence === null || previous_sequence === sequence;
}

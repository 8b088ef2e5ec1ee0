// Folds the feed of one channel: its phase, the age of its last frame, and its fault counts.

import type { ChannelKind } from "../wire/channels.ts";
import type { Drift, Rejection } from "../wire/rejection.ts";
import type { NumberingEvidence, StreamEvent } from "../wire/stream-event.ts";

/**
 * `waiting`: subscribed, nothing received yet. `receiving`: updates arrive. `resync`: the held data is being replaced.
 * `suspect`: updates arrived, but nothing confirms that they still would. `unavailable`: the service responded 503; retried
 * later. `refused`: the service rejected the subscription. `left`: unsubscribed, because nothing shows it any more; its data ages.
 */
export type FeedPhase =
  | "waiting"
  | "receiving"
  | "suspect"
  | "resync"
  | "unavailable"
  | "refused"
  | "left";

/** Counts are since program start. Times are monotonic milliseconds. */
export interface Feed {
  readonly phase: FeedPhase;
  readonly askedAtMs: number | undefined;
  readonly frames: number;
  readonly lastFrameAtMs: number | undefined;
  /** When the service last confirmed that the subscription stands. */
  readonly confirmedAtMs: number | undefined;
  /** Sequence of the last frame, digit text; null if it had none, undefined if its kind has none. */
  readonly sequence: string | null | undefined;
  /** Lag of the last frame, by its server timestamp; undefined if unknown. */
  readonly lagMs: number | undefined;
  readonly gaps: number;
  readonly resyncs: number;
  readonly rejected: number;
  readonly late: number;
  readonly drifts: number;
  /** Why the service refused it, or why it is being resynchronised: the service's text or ours. */
  readonly reason: string | undefined;
  readonly retryAtMs: number | undefined;
  readonly rejection: Rejection | undefined;
  readonly drift: Drift | undefined;
}

/** Fault counts since program start; they never decrease. */
export type FaultCounts = Readonly<Pick<Feed, "gaps" | "resyncs" | "rejected" | "drifts">>;

export function addFaults(a: FaultCounts, b: FaultCounts): FaultCounts {
  return {
    gaps: a.gaps + b.gaps,
    resyncs: a.resyncs + b.resyncs,
    rejected: a.rejected + b.rejected,
    drifts: a.drifts + b.drifts,
  };
}

export const newFeed: Feed = {
  phase: "waiting",
  askedAtMs: undefined,
  frames: 0,
  lastFrameAtMs: undefined,
  confirmedAtMs: undefined,
  sequence: undefined,
  lagMs: undefined,
  gaps: 0,
  resyncs: 0,
  rejected: 0,
  late: 0,
  drifts: 0,
  reason: undefined,
  retryAtMs: undefined,
  rejection: undefined,
  drift: undefined,
};

/** True when data was received, or the service refused it. */
export function isAnswered({ frames, phase }: Pick<Feed, "frames" | "phase">): boolean {
  return frames > 0 || phase === "refused";
}

/** Written out because it runs for every frame: a spread of this many fields takes forty times as long. */
function received(feed: Feed, event: Extract<StreamEvent, { type: "update" }>): Feed {
  const { atMs, lagMs, update } = event;
  return {
    phase: "receiving",
    askedAtMs: feed.askedAtMs,
    frames: feed.frames + 1,
    lastFrameAtMs: atMs,
    confirmedAtMs: feed.confirmedAtMs,
    sequence: "sequence" in update.frame ? update.frame.sequence : undefined,
    lagMs,
    gaps: feed.gaps,
    resyncs: feed.resyncs,
    rejected: feed.rejected,
    late: feed.late,
    drifts: feed.drifts,
    reason: undefined,
    retryAtMs: feed.retryAtMs,
    rejection: feed.rejection,
    drift: feed.drift,
  };
}

function confirmed(feed: Feed, confirmedAtMs: number): Feed {
  if (feed.phase !== "suspect") return { ...feed, confirmedAtMs };
  return { ...feed, confirmedAtMs, phase: "receiving", reason: undefined };
}

/** The connection is lost: held data is old until the first frame of the next subscription. */
export function interruptFeed(feed: Feed): Feed {
  const isHeld = feed.phase === "receiving" || feed.phase === "suspect";
  return isHeld ? { ...feed, phase: "resync", reason: undefined } : feed;
}

export function reduceFeed(feed: Feed, event: StreamEvent): Feed {
  switch (event.type) {
    case "subscribing": {
      // Data of an earlier subscription stays until the first frame of the new one replaces it.
      const phase = feed.frames > 0 ? "resync" : "waiting";
      return { ...feed, phase, askedAtMs: event.atMs, reason: undefined, retryAtMs: undefined };
    }
    case "update":
      return received(feed, event);
    case "confirmed":
      return confirmed(feed, event.atMs);
    case "doubted":
      if (feed.phase !== "receiving") return feed;
      return { ...feed, phase: "suspect", reason: event.reason };
    // Whatever was missed while the subscription was lost counts as a gap, too.
    case "lost":
    case "gap":
      return { ...feed, gaps: feed.gaps + 1 };
    case "late":
      return { ...feed, late: feed.late + 1 };
    case "resync":
      return { ...feed, phase: "resync", resyncs: feed.resyncs + 1, reason: event.reason };
    case "unavailable":
      return {
        ...feed,
        phase: "unavailable",
        reason: event.message,
        retryAtMs: event.retryAtMs,
      };
    case "refused":
      return { ...feed, phase: "refused", reason: `${event.code}: ${event.message}` };
    case "unsubscribed":
      return { ...feed, phase: "left", reason: undefined, retryAtMs: undefined };
    case "rejected":
      return {
        ...feed,
        rejected: feed.rejected + 1,
        rejection: feed.rejection ?? event.rejection,
      };
    case "drift":
      return { ...feed, drifts: feed.drifts + 1, drift: feed.drift ?? event.drifts[0] };
    default:
      return feed;
  }
}

// What a store counts about the stream apart from its channels.

/** Counts of events that belong to no channel in the store. */
export interface StreamCounts {
  /** Rejected messages that named no channel in the store. */
  readonly rejected: number;
  /** The service's last error that named no channel. */
  readonly serviceError: string | undefined;
  /** Why silent channels are no longer probed; undefined while they are. */
  readonly probingOff: string | undefined;
  /** Kinds for which it was found that `previous_sequence` does not name the frame before, or that it does after all. */
  readonly numbering: { readonly [K in ChannelKind]?: NumberingEvidence };
  /** Faults of channels removed from the store: kept, because a decreasing count would suggest fewer faults. */
  readonly forgotten: FaultCounts;
}

/** Before the first event. */
export const NO_COUNTS: StreamCounts = {
  rejected: 0,
  serviceError: undefined,
  probingOff: undefined,
  numbering: {},
  forgotten: newFeed,
};

/** Applies an event that belongs to no channel in the store. */
export function reduceCounts(counts: StreamCounts, event: StreamEvent): StreamCounts {
  switch (event.type) {
    case "service-error":
      return { ...counts, serviceError: `${event.code}: ${event.message}` };
    case "probing-off":
      return { ...counts, probingOff: event.reason };
    case "numbering": {
      const { kind, previous, frames, unseen } = event;
      return {
        ...counts,
        numbering: { ...counts.numbering, [kind]: { previous, frames, unseen } },
      };
    }
    case "rejected":
      return { ...counts, rejected: counts.rejected + 1 };
    default:
      return counts;
  }
}

// What a store counts and keeps of the stream besides its channels.
import type { ChannelKind } from "../wire/channels.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import { type FaultCounts, newFeed } from "./feed.ts";

export type FoundNumbering = Pick<
  Extract<StreamEvent, { type: "numbering" }>,
  "previous" | "frames" | "unseen"
>;

/** Counts of what concerns no channel that is held. */
export interface StreamCounts {
  /** Messages that were not accepted and named no channel that is held. */
  readonly rejected: number;
  /** The last error of the service that named no channel. */
  readonly serviceError: string | undefined;
  /** Why silent channels are not asked any more; undefined while they are. */
  readonly probingOff: string | undefined;
  /** Kinds of which it was ever found that previous does not name the frame before, or that it does all the same. */
  readonly numbering: { readonly [K in ChannelKind]?: FoundNumbering };
  /** Faults of channels that were forgotten: a count that falls would say that less has gone wrong. */
  readonly forgotten: FaultCounts;
}

/** Before anything was received. */
export const NO_COUNTS: StreamCounts = {
  rejected: 0,
  serviceError: undefined,
  probingOff: undefined,
  numbering: {},
  forgotten: newFeed,
};

/** Folds an event that concerns no channel that is held. */
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

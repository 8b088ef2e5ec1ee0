// The events of a stream about itself and its channels: emitted by the stream, and folded, recorded and printed by store,
// recorder and command line.

import type { Trade } from "./channels/trades.ts";
import type { ChannelKind } from "./channels.ts";
import type { ReceivedUpdate } from "./decode.ts";
import type { Drift, Rejection } from "./rejection.ts";

/**
 * State of the connection. `connecting`: handshake in progress; `open`: frames can flow; `waiting`: closed, the next attempt is
 * scheduled; `closed`: closed by us, for good.
 */
export type LinkState = "connecting" | "open" | "waiting" | "closed";

/** The latest state of the connection. Times are monotonic milliseconds of the stream's clock. */
export interface Link {
  readonly state: LinkState;
  /** Connections opened after the first one. */
  readonly reconnects: number;
  /** When anything was last received from the service; undefined before that. */
  readonly aliveAtMs: number | undefined;
  /** Time from the last answered ping to its pong. */
  readonly roundTripMs: number | undefined;
  readonly retryAtMs: number | undefined;
  /** From hello; undefined until it is received on this connection. */
  readonly protocolVersion: number | undefined;
  /** Received frames are getting ever older: they are queued somewhere on the way. */
  readonly isLate?: boolean | undefined;
  /** Our wall clock less the server's timestamps, by the fastest frame of this connection. */
  readonly skewMs?: number | undefined;
  readonly fault: LinkFault | undefined;
}

/** Why a connection ended. `code` is stable, `detail` is readable text. */
export interface LinkFault {
  readonly code:
    | "refused"
    | "not-websocket"
    | "unauthorized"
    | "timeout"
    | "silent"
    | "slept"
    | "closed"
    | "failed";
  readonly detail: string;
  /** HTTP status of a refused handshake. */
  readonly status?: number | undefined;
  /** Retry-After, if the service sent one. */
  readonly retryAfterMs?: number | undefined;
}

/** The position of an accepted update in the sequence of its channel. */
export interface ChainPosition {
  /** The first since its subscribe. */
  readonly isFirst: boolean;
  /**
   * Its transaction is a snapshot: the first frame, or a later one with a null previous sequence. Anything that no frame of the
   * transaction contains no longer exists.
   */
  readonly isSnapshot: boolean;
  /** Another frame of the same transaction as the one before: it adds to it, be it a snapshot or a delta. */
  readonly continues: boolean;
}

/**
 * What `previous_sequence` refers to: the previous frame of the channel, the previous transaction of the whole service, or
 * nothing, if it is null in every frame.
 */
export type PreviousNames = "frame" | "transaction" | "nothing";

/**
 * `frames`: consecutive frames whose previous is their sequence less one. `unseen`: those whose previous was never seen on the
 * channel.
 */
export interface NumberingEvidence {
  readonly previous: PreviousNames;
  readonly frames: number;
  readonly unseen: number;
}

/** One event of the stream. `atMs` is monotonic. */
export type StreamEvent = { readonly atMs: number } & (
  | { readonly type: "link"; readonly link: Link }
  /** A subscribe command was sent: the next update of the channel is its first. */
  | { readonly type: "subscribing"; readonly channel: string }
  /** A silent channel is subscribed a second time, to learn from the response whether the subscription stands. */
  | { readonly type: "probing"; readonly channel: string }
  /** The service confirmed by 409 that the subscription stands. */
  | { readonly type: "confirmed"; readonly channel: string }
  /** An error that names no channel may have ended the subscription: unconfirmed until the next update. */
  | { readonly type: "doubted"; readonly channel: string; readonly reason: string }
  /** The service no longer held the subscription: updates may have been missed. */
  | { readonly type: "lost"; readonly channel: string; readonly reason?: string | undefined }
  /** Silent channels are no longer probed, because it disturbs this service. */
  | { readonly type: "probing-off"; readonly reason: string }
  | ({
      readonly type: "update";
      readonly channel: string;
      readonly update: ReceivedUpdate;
      /** Delay beyond that of the fastest frame, by its server timestamp; undefined for a first update and its further parts. */
      readonly lagMs?: number | undefined;
    } & ChainPosition)
  /** A dropped update: identical to one seen before (`isRepeat`), or its content is already held. */
  | {
      readonly type: "late";
      readonly channel: string;
      /** Digit text; null if it had none. */
      readonly sequence?: string | null | undefined;
      readonly isRepeat?: boolean | undefined;
    }
  /** The interpretation of `previous_sequence` has changed for a channel kind, because of this evidence. */
  | ({ readonly type: "numbering"; readonly kind: ChannelKind } & NumberingEvidence)
  /** The sequence chain is broken: frames were missed, or an unseen frame arrived that is not newer. */
  | {
      readonly type: "gap";
      readonly channel: string;
      readonly held: string;
      readonly previous: string;
      /** Of the frame that revealed it. */
      readonly sequence?: string | undefined;
    }
  /** The channel is unsubscribed and subscribed again to get a snapshot. */
  | { readonly type: "resync"; readonly channel: string; readonly reason: string }
  /** 503: the stream is unavailable; the next attempt is scheduled. */
  | {
      readonly type: "unavailable";
      readonly channel: string;
      readonly message: string;
      readonly retryAtMs: number;
    }
  /** 400, 404 or another final error: not retried until requested. */
  | {
      readonly type: "refused";
      readonly channel: string;
      readonly code: number;
      readonly message: string;
    }
  | { readonly type: "unsubscribed"; readonly channel: string }
  | {
      readonly type: "rejected";
      readonly channel: string | undefined;
      readonly rejection: Rejection;
    }
  /** An accepted message contains something undocumented; `drifts` is filled for first examples only. */
  | {
      readonly type: "drift";
      readonly channel: string | undefined;
      readonly drifts: readonly Drift[];
    }
  /**
   * Not from the stream: between two server times, the listing has been proven to hold exactly these trades, oldest first, with
   * times in whole milliseconds.
   */
  | {
      readonly type: "filled";
      readonly channel: string;
      readonly afterNs: string;
      readonly untilNs: string;
      readonly trades: readonly Trade[];
    }
  /** Not from the stream: the past of a tape is requested from this time on. @property sinceMs Unix milliseconds, inclusive */
  | { readonly type: "since"; readonly channel: string; readonly sinceMs: number }
  /** Not of the stream: the store removes a channel that nothing shows any more. */
  | { readonly type: "forgotten"; readonly channel: string }
  /** An error frame that concerns the connection, because it names no channel that we use. */
  | { readonly type: "service-error"; readonly code: number; readonly message: string }
);

export type StreamListener = (event: StreamEvent) => void;

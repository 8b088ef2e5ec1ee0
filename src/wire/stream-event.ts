// What a stream says of itself and of its channels, one event at a time: the words between the stream,
// which makes them, and the store, the recorder and the command line, which fold, write and print them.

import type { Trade } from "./channels/trades.ts";
import type { ChannelKind } from "./channels.ts";
import type { ReceivedUpdate } from "./decode.ts";
import type { Drift, Rejection } from "./rejection.ts";

/**
 * State of the one connection. `connecting`: the handshake is under way; `open`: frames can flow;
 * `waiting`: closed, the next attempt is scheduled; `closed`: ended by us, for good.
 */
export type LinkState = "connecting" | "open" | "waiting" | "closed";

/** The connection as last known. Times are monotonic milliseconds of the stream's clock. */
export interface Link {
  readonly state: LinkState;
  /** Connections that were opened after the first one. */
  readonly reconnects: number;
  /** Last time at which anything at all came from the service; undefined before that. */
  readonly aliveAtMs: number | undefined;
  /** Time from the last answered ping to its pong. */
  readonly roundTripMs: number | undefined;
  readonly retryAtMs: number | undefined;
  /** From hello; undefined while none was seen on this connection. */
  readonly protocolVersion: number | undefined;
  /** What is received is getting older and older: it waits somewhere on its way. */
  readonly isLate?: boolean | undefined;
  /** Our wall clock less the server's stamps, by the quickest frame of this connection. */
  readonly skewMs?: number | undefined;
  readonly fault: LinkFault | undefined;
}

/** Why a connection ended. `code` is a stable word, `detail` the fact. */
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
  /** How long the service asked us to stay away. */
  readonly retryAfterMs?: number | undefined;
}

/** The position of an accepted update among those of its channel. */
export interface ChainPosition {
  /** The first since its subscribe. */
  readonly isFirst: boolean;
  /**
   * Its transaction is a snapshot: the first frame, or one with a null previous in mid-stream. What no frame of that
   * transaction holds is not there any more. Interpretation: docs/adr/0002.
   */
  readonly isSnapshot: boolean;
  /** Another frame of the same transaction as the one before: it adds to that, be it a snapshot or a delta. */
  readonly continues: boolean;
}

/**
 * What `previous_sequence` names: the frame before on the channel, the transaction before on the whole service, or nothing,
 * where it is null in every frame.
 */
export type PreviousNames = "frame" | "transaction" | "nothing";

/** Frames whose previous is their sequence less one, since one was not: how many of them named a sequence never seen on their channel. */
export interface NumberingEvidence {
  readonly previous: PreviousNames;
  readonly frames: number;
  readonly unseen: number;
}

/** One thing that happened on the stream. `atMs` is monotonic. */
export type StreamEvent = { readonly atMs: number } & (
  | { readonly type: "link"; readonly link: Link }
  /** A subscribe command went out: the next update of the channel is its first. */
  | { readonly type: "subscribing"; readonly channel: string }
  /** A silent channel is subscribed a second time, to learn from the answer whether the subscription stands. */
  | { readonly type: "probing"; readonly channel: string }
  /** The service confirmed by 409 that the subscription stands. */
  | { readonly type: "confirmed"; readonly channel: string }
  /** An error that names no channel may have ended the subscription: nothing says that it stands, until it speaks. */
  | { readonly type: "doubted"; readonly channel: string; readonly reason: string }
  /** The service did not hold the subscription any more: updates may have been missed. */
  | { readonly type: "lost"; readonly channel: string; readonly reason?: string | undefined }
  /** Silent channels are not asked any more, because this service does not bear it. */
  | { readonly type: "probing-off"; readonly reason: string }
  | ({
      readonly type: "update";
      readonly channel: string;
      readonly update: ReceivedUpdate;
      /** How much longer than the quickest it was on its way, by its server stamp; undefined for a first one. */
      readonly lagMs?: number | undefined;
    } & ChainPosition)
  /** An update that was dropped: its very text was seen (`isRepeat`), or what it brings is held already. */
  | {
      readonly type: "late";
      readonly channel: string;
      /** Digit text; null where it had none. */
      readonly sequence?: string | null | undefined;
      readonly isRepeat?: boolean | undefined;
    }
  /** What `previous_sequence` is thought to name has changed for a channel kind, by this evidence. */
  | ({ readonly type: "numbering"; readonly kind: ChannelKind } & NumberingEvidence)
  /** The sequence chain is broken: frames were missed, or one came that is not newer and was never seen. */
  | {
      readonly type: "gap";
      readonly channel: string;
      readonly held: string;
      readonly previous: string;
      /** Of the frame at which it was found. */
      readonly sequence?: string | undefined;
    }
  /** The channel is unsubscribed and subscribed again to get a snapshot. */
  | { readonly type: "resync"; readonly channel: string; readonly reason: string }
  /** 503: the stream is unavailable; the next try is scheduled. */
  | {
      readonly type: "unavailable";
      readonly channel: string;
      readonly message: string;
      readonly retryAtMs: number;
    }
  /** 400, 404 or another final answer: not tried again until asked. */
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
  /** An accepted message has what the document does not list; `drifts` is filled for first examples only. */
  | {
      readonly type: "drift";
      readonly channel: string | undefined;
      readonly drifts: readonly Drift[];
    }
  /**
   * Not of the stream: the listing has been proven to hold these trades, oldest first and by the millisecond, and no others,
   * of what was missed between two times of the service.
   */
  | {
      readonly type: "filled";
      readonly channel: string;
      readonly afterNs: string;
      readonly untilNs: string;
      readonly trades: readonly Trade[];
    }
  /** Not of the stream: the past of a tape is requested from this time on. @property sinceMs Unix milliseconds, inclusive */
  | { readonly type: "since"; readonly channel: string; readonly sinceMs: number }
  /** An error frame that concerns the connection, because it names no channel of ours. */
  | { readonly type: "service-error"; readonly code: number; readonly message: string }
);

export type StreamListener = (event: StreamEvent) => void;

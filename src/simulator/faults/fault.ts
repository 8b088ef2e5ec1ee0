// What a fault can do to a connection or a request, and what it is given to do it with.
import type { Clock } from "../../units/clock.ts";
import type { Random } from "../../units/random.ts";
import type { Readings } from "../scenarios/readings.ts";

/** A frame on its way to one client. */
export interface OutgoingFrame {
  readonly type: "hello" | "update" | "unsubscribed" | "error";
  readonly text: string;
  /** The channel of an update; undefined for other frames. */
  readonly channel: string | undefined;
  /** True for an update that carries previous_sequence and sequence. */
  readonly isSequenced: boolean;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
}

/** What a fault may do to the connection that it is made for. */
export interface FaultTarget {
  /** Sends a frame that a fault held back; no other fault sees it. */
  send(frame: OutgoingFrame): void;
  /** Sends a message that is no frame of the service: text, a binary message, or text that is no UTF-8. */
  insert(message: string | Buffer, form: "text" | "binary"): void;
  /** Closes with a code, as a service does that says goodbye. */
  close(code: number, reason: string): void;
  /** Cuts the connection without a word. */
  terminate(): void;
  /** Ends the subscriptions of matching channels with an error frame each. */
  revoke(matches: (channel: string) => boolean, code: number, message: string): void;
  /** Sends an error frame; without a channel where none is given. */
  refuse(code: number, message: string, channel?: string): void;
  /** Answers no ping from now on, or again. */
  setPongs(isOn: boolean): void;
  /** Nothing more leaves the socket and nothing is received, but the connection stays. */
  freeze(): void;
  /** Lets bytes leave only this fast; undefined: as fast as they can. */
  limitBytesPerSecond(limit: number | undefined): void;
  /** Lets the next bytes leave only in part, then cuts the connection. */
  cutNextWrite(): void;
}

/** `elapsedMs` is the time since the simulator went live; timers come from `clock`. */
export interface FaultContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly elapsedMs: () => number;
  readonly readings: Readings;
  /** The fault strikes: called once for each time that it does something. */
  readonly strike: () => void;
}

/** One fault on one connection. Each part is optional. */
export interface StreamFault {
  /** Frames to send in place of one, in order; none drops it. */
  frames?(frame: OutgoingFrame): readonly OutgoingFrame[];
  /** Error code and message for a subscribe that nothing else speaks against. */
  refusal?(channel: string): { readonly code: number; readonly message: string } | undefined;
  /** A subscribe has been obeyed. */
  subscribed?(channel: string): void;
  /** Ends its timers. */
  stop?(): void;
}

/**
 * What an answer over HTTP turns into. `refuse`: a status in place of a listing or a WebSocket. `hang`: nothing ever comes. Of listings
 * only, `cut`: the connection ends within the body; `html`: a page with status 200; `slow`: a few bytes at a time.
 */
export type Trouble =
  | {
      readonly type: "refuse";
      readonly status: number;
      /** Retry-After. */
      readonly retryAfter: string | undefined;
    }
  | { readonly type: "hang" | "cut" | "html" }
  | { readonly type: "slow"; readonly bytesPerSecond: number };

/** What the answer to a path turns into, if anything. */
export type TroubleOf = (path: string) => Trouble | undefined;

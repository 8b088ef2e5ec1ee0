// What a fault can do to a connection, and what it is given to do it with.
import type { Clock } from "../../units/clock.ts";
import type { Random } from "../../units/random.ts";

/** A frame on its way to one client. */
export interface OutgoingFrame {
  readonly text: string;
  /** The channel of an update; undefined for hello, unsubscribed and error. */
  readonly channel: string | undefined;
  /** True for an update that carries previous_sequence and sequence. */
  readonly isChained: boolean;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
}

/** What a fault may do to the connection that it is made for. */
export interface FaultTarget {
  /** Sends a frame that a fault held back; no other fault sees it. */
  send(frame: OutgoingFrame): void;
  /** Closes with a code, as a service does that says goodbye. */
  close(code: number, reason: string): void;
  /** Cuts the connection without a word. */
  terminate(): void;
  /** Ends the subscriptions of matching channels with an error frame each. */
  revoke(matches: (channel: string) => boolean, code: number, message: string): void;
}

/** `elapsedMs` is the time since the simulator went live; timers come from `clock`. */
export interface FaultContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly elapsedMs: () => number;
}

/** One fault on one connection. Each part is optional. */
export interface StreamFault {
  /** Frames to send in place of one, in order; none drops it. */
  frames?(frame: OutgoingFrame): readonly OutgoingFrame[];
  /** Error code and message for a subscribe that nothing else speaks against. */
  refusal?(channel: string): { readonly code: number; readonly message: string } | undefined;
  /** Ends its timers. */
  stop?(): void;
}

/** An answer to a REST request that the listing never sees. */
export interface RestRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: string;
}

/** One fault on all REST requests. */
export interface RestFault {
  refusal(path: string): RestRefusal | undefined;
}

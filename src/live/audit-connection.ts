// A second connection for the duration of an audit: subscribes, receives the snapshot of each channel, and closes.
import { hasNoPredecessor } from "../stream/snapshot-policy.ts";
import type { OpenSocket, Socket } from "../stream/socket.ts";
import type { Clock } from "../units/clock.ts";
import { stripZeros } from "../units/uint.ts";
import { encodeCommand } from "../wire/commands.ts";
import { createDecoder, isSequenced, type ReceivedUpdate } from "../wire/decode.ts";
import type { ErrorFrame } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";

/** How long to wait for hello, as on the watched connection. */
const HELLO_WAIT_MS = 3000;
/** A channel without a response by then is not compared. */
const ANSWER_WAIT_MS = 10_000;
/** The handshake's own limit is 10 s (stream/ws-socket.ts); a socket that reports nothing is abandoned after this time. */
const OPEN_WAIT_MS = 12_000;
/** Delay before an unavailable channel (503) is subscribed again, and maximum attempts. */
const UNAVAILABLE_WAIT_MS = 1000;
const MAX_ASKS = 5;
/** One transaction may come in several frames: a snapshot is complete when no frame of its sequence arrives for this long. */
export const SNAPSHOT_SETTLE_MS = 500;
/** Deltas may arrive before the snapshot: a frame that follows another is used only if no better one arrives in this time. */
const FOLLOWING_SETTLE_MS = 1000;

export interface AuditEnd {
  /** As text; undefined when every channel has responded. */
  readonly failure: string | undefined;
  /** From the service. */
  readonly retryAfterMs: number | undefined;
}

/** `onEnd` is called exactly once, and last. */
export interface AuditConnectionOptions {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly channels: readonly string[];
  /** True for a channel whose subscriptions are known to begin with a frame that follows no other. */
  expectsFirstFrame(channel: string): boolean;
  onOpen(): void;
  onSubscribing(): void;
  /** The frames of the channel's first transaction, in order. */
  onSnapshot(channel: string, frames: readonly ReceivedUpdate[]): void;
  onRefused(channel: string, reason: string): void;
  onEnd(end: AuditEnd): void;
}

/** A channel whose snapshot has not arrived or may be incomplete. */
interface Pending {
  readonly channel: string;
  asks: number;
  /** Frames of its first transaction, in order. */
  frames: ReceivedUpdate[];
  /** A later frame with one of these sequences is a part of it, whatever previous it names. */
  readonly sequences: Set<string | null>;
  /** Cancels the next subscribe, or the timer that completes its transaction. */
  cancel: () => void;
}

export class AuditConnection {
  readonly #options: AuditConnectionOptions;
  readonly #pending: Map<string, Pending>;
  readonly #decoder;
  #socket: Socket | undefined;
  #cancelWait = () => {};
  #hasAsked = false;
  #isOver = false;

  constructor(options: AuditConnectionOptions) {
    this.#options = options;
    this.#pending = new Map(
      options.channels.map((channel) => [
        channel,
        { channel, asks: 0, frames: [], sequences: new Set(), cancel: () => {} },
      ]),
    );
    this.#decoder = createDecoder();
  }

  open(): void {
    this.#wait(OPEN_WAIT_MS, () => this.#end("a second connection does not open"));
    const socket = this.#options.openSocket({
      onOpen: () => {
        if (this.#isOver) return;
        this.#options.onOpen();
        this.#wait(HELLO_WAIT_MS, () => this.#subscribe());
      },
      onMessage: (message) => this.#receive(message),
      onBinary: () => {},
      onPong: () => {},
      onEnd: ({ detail, retryAfterMs }) => this.#lose(detail, retryAfterMs),
    });
    if (this.#isOver) socket.terminate();
    else this.#socket = socket;
  }

  /** Nothing is reported afterwards. */
  close(): void {
    this.#isOver = true;
    this.#cancelWait();
    for (const { cancel } of this.#pending.values()) cancel();
    this.#socket?.terminate();
    this.#socket = undefined;
  }

  #wait(ms: number, callback: () => void): void {
    this.#cancelWait();
    this.#cancelWait = this.#options.clock.after(ms, callback);
  }

  #end(failure: string | undefined, retryAfterMs?: number): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onEnd({ failure, retryAfterMs });
  }

  /** Transactions received in part count as complete. */
  #lose(failure: string, retryAfterMs?: number): void {
    for (const each of [...this.#pending.values()]) if (each.frames.length > 0) this.#finish(each);
    this.#end(failure, retryAfterMs);
  }

  #subscribe(): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#options.onSubscribing();
    this.#wait(ANSWER_WAIT_MS, () => this.#lose("no answer on a second connection"));
    for (const each of this.#pending.values()) this.#ask(each);
  }

  #ask(pending: Pending): void {
    pending.asks++;
    this.#socket?.send(encodeCommand({ type: "subscribe", channel: pending.channel }));
  }

  #receive(message: string): void {
    if (this.#isOver) return;
    const decoded = this.#decoder.decode(message);
    if (!decoded.ok) {
      const { channel = "", detail } = decoded.rejection;
      this.#refuse(this.#pending.get(channel), `a frame of another form: ${detail}`);
      return;
    }
    const { received } = decoded;
    if (received.type === "hello") this.#subscribe();
    else if (received.type === "update") this.#take(received);
    else if (received.type === "error") this.#onError(received.frame);
  }

  #onError({ channel, code, message }: ErrorFrame): void {
    // The subscription exists: its snapshot is still to come.
    if (code === ERROR_CODES.duplicateSubscription) return;
    const meant = [...this.#pending.values()].filter(
      (each) => each.frames.length === 0 && (channel === undefined || channel === each.channel),
    );
    for (const each of meant) {
      if (code === ERROR_CODES.streamUnavailable && each.asks < MAX_ASKS) {
        each.cancel();
        each.cancel = this.#options.clock.after(UNAVAILABLE_WAIT_MS, () => this.#ask(each));
      } else if (meant.length === 1) this.#refuse(each, `${code}: ${message}`);
    }
  }

  #take(update: ReceivedUpdate): void {
    const pending = this.#pending.get(update.frame.channel);
    if (!this.#hasAsked || pending === undefined) return;
    const { frames, sequences } = pending;
    const [first] = frames;
    const isPart = sequences.has(getSequence(update));
    sequences.add(getSequence(update));
    if (first === undefined || isBetter(update, first, isPart)) {
      pending.frames = [update];
      this.#settle(pending);
    } else if (getSequence(first) !== getSequence(update)) {
      if (this.#isSuspect(pending)) return;
      this.#finish(pending);
      this.#checkOver();
    } else if (!frames.some(({ message }) => message === update.message)) {
      frames.push(update);
      this.#settle(pending);
    }
  }

  /** It follows another frame, although subscriptions are known to begin differently. */
  #isSuspect({ channel, frames: [first] }: Pending): boolean {
    return (
      first !== undefined && !mayBeFirstFrame(first) && this.#options.expectsFirstFrame(channel)
    );
  }

  #settle(pending: Pending): void {
    pending.cancel();
    const settleMs = this.#isSuspect(pending) ? FOLLOWING_SETTLE_MS : SNAPSHOT_SETTLE_MS;
    pending.cancel = this.#options.clock.after(settleMs, () => {
      this.#finish(pending);
      this.#checkOver();
    });
  }

  #finish({ channel, frames, cancel }: Pending): void {
    if (this.#isOver) return;
    cancel();
    this.#pending.delete(channel);
    this.#options.onSnapshot(channel, frames);
  }

  #refuse(pending: Pending | undefined, reason: string): void {
    if (pending === undefined) return;
    pending.cancel();
    this.#pending.delete(pending.channel);
    this.#options.onRefused(pending.channel, reason);
    this.#checkOver();
  }

  #checkOver(): void {
    if (this.#pending.size === 0) this.#end(undefined);
  }
}

/** A snapshot that arrives after deltas: another part of the same transaction may name itself, but not null. */
function isBetter(update: ReceivedUpdate, first: ReceivedUpdate, isPart: boolean): boolean {
  if (mayBeFirstFrame(first) || !mayBeFirstFrame(update) || !isSequenced(update)) return false;
  return update.frame.previous_sequence === null || !isPart;
}

/** True when it may be the first frame of a subscription. */
export function mayBeFirstFrame(update: ReceivedUpdate): boolean {
  return !isSequenced(update) || hasNoPredecessor(update.frame);
}

/** Digit text without leading zeros, or null. */
export function getSequence(update: ReceivedUpdate | undefined): string | null {
  if (update === undefined || !isSequenced(update)) return null;
  const { sequence } = update.frame;
  return sequence === null ? null : stripZeros(sequence);
}

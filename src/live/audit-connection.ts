// A second connection for as long as an audit lasts: it subscribes, takes the snapshot of each channel, and is closed.

import type { OpenSocket, Socket } from "../stream/socket.ts";
import type { Clock } from "../units/clock.ts";
import { stripZeros } from "../units/uint.ts";
import { encodeCommand } from "../wire/commands.ts";
import { createDecoder, isSequenced, type ReceivedUpdate } from "../wire/decode.ts";
import type { ErrorFrame } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import type { LinkFault } from "../wire/stream-event.ts";

/** hello is waited for this long, as on the watched connection (docs/adr/0001). */
const HELLO_WAIT_MS = 3000;
/** A channel that has not answered its subscribe by then is not compared. */
const ANSWER_WAIT_MS = 10_000;
/** The handshake's own limit is 10 s (stream/ws-socket.ts); a socket that reports nothing is left after this. */
const OPEN_WAIT_MS = 12_000;
/** A stream that is unavailable (503) is asked for again after this, so often. */
const UNAVAILABLE_WAIT_MS = 1000;
const MAX_ASKS = 5;
/** One transaction may come in several frames: a snapshot is whole when nothing of its sequence came for this long. */
export const SNAPSHOT_SETTLE_MS = 500;
/** Changes may come before the snapshot: one that follows another is only taken for it when nothing better comes. */
const FOLLOWING_SETTLE_MS = 1000;

/** Why a connection ended before every channel had answered. */
export interface AuditEnd {
  /** In words; undefined when every channel has answered. */
  readonly failure: string | undefined;
  /** How long the service asked us to stay away. */
  readonly retryAfterMs: number | undefined;
}

/** What is asked for, and who receives what comes of it. After `onEnd`, which comes once, nothing follows. */
export interface AuditConnectionOptions {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly isStrict: boolean;
  readonly channels: readonly string[];
  /** True for a channel whose subscriptions are known to begin with a frame that follows none. */
  mustBegin(channel: string): boolean;
  onOpen(): void;
  /** The channels are about to be subscribed. */
  onSubscribing(): void;
  /** The frames of a channel's first transaction, in order. */
  onSnapshot(channel: string, frames: readonly ReceivedUpdate[]): void;
  /** The service answered a subscribe with an error. */
  onRefused(channel: string, words: string): void;
  onEnd(end: AuditEnd): void;
}

/** Frames of a channel's first transaction, and the undo of the timer that calls them whole. */
interface Coming {
  readonly frames: ReceivedUpdate[];
  cancel: () => void;
}

/** One connection, from its handshake to the last snapshot. */
export class AuditConnection {
  readonly #options: AuditConnectionOptions;
  readonly #pending: Set<string>;
  readonly #coming = new Map<string, Coming>();
  readonly #asks = new Map<string, number>();
  readonly #cancelAsks = new Set<() => void>();
  readonly #decoder;
  #socket: Socket | undefined;
  #cancelWait = () => {};
  #hasAsked = false;
  #isOver = false;

  constructor(options: AuditConnectionOptions) {
    this.#options = options;
    this.#pending = new Set(options.channels);
    this.#decoder = createDecoder(options.isStrict);
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
      onEnd: (fault) => this.#lose(fault),
    });
    if (this.#isOver) socket.terminate();
    else this.#socket = socket;
  }

  /** Ends the connection; nothing is reported afterwards. */
  close(): void {
    this.#isOver = true;
    this.#cancelWait();
    for (const { cancel } of this.#coming.values()) cancel();
    this.#coming.clear();
    for (const cancel of this.#cancelAsks) cancel();
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

  #lose({ detail, retryAfterMs }: LinkFault): void {
    // What has come of a transaction is whole as far as anyone can know.
    for (const channel of [...this.#coming.keys()]) this.#finish(channel);
    this.#end(detail, retryAfterMs);
  }

  #subscribe(): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#options.onSubscribing();
    this.#wait(ANSWER_WAIT_MS, () => {
      for (const channel of [...this.#coming.keys()]) this.#finish(channel);
      this.#end("no answer on a second connection");
    });
    for (const channel of this.#pending) this.#ask(channel);
  }

  #ask(channel: string): void {
    this.#asks.set(channel, (this.#asks.get(channel) ?? 0) + 1);
    this.#socket?.send(encodeCommand({ type: "subscribe", channel }));
  }

  /** Unless it has answered meanwhile. */
  #askLater(channel: string): void {
    const cancel = this.#options.clock.after(UNAVAILABLE_WAIT_MS, () => {
      this.#cancelAsks.delete(cancel);
      if (this.#pending.has(channel) && !this.#coming.has(channel)) this.#ask(channel);
    });
    this.#cancelAsks.add(cancel);
  }

  #receive(message: string): void {
    if (this.#isOver) return;
    const decoded = this.#decoder.decode(message);
    if (!decoded.ok) {
      const { channel, detail } = decoded.rejection;
      if (channel !== undefined) this.#refuse(channel, `a frame of another form: ${detail}`);
      return;
    }
    const { received } = decoded;
    if (received.type === "hello") this.#subscribe();
    else if (received.type === "update") this.#take(received);
    else if (received.type === "error") this.#onError(received.frame);
  }

  #onError({ channel, code, message }: ErrorFrame): void {
    // The subscription stands: its snapshot is still to come.
    if (code === ERROR_CODES.duplicateSubscription) return;
    const silent = [...this.#pending].filter((each) => !this.#coming.has(each));
    const named = channel === undefined ? silent : silent.filter((each) => each === channel);
    for (const each of named) {
      const isUnavailable = code === ERROR_CODES.streamUnavailable;
      if (isUnavailable && (this.#asks.get(each) ?? 0) < MAX_ASKS) this.#askLater(each);
      else if (named.length === 1) this.#refuse(each, `${code}: ${message}`);
    }
  }

  #take(update: ReceivedUpdate): void {
    const { channel } = update.frame;
    if (!this.#hasAsked || !this.#pending.has(channel)) return;
    const coming = this.#coming.get(channel);
    const [first] = coming?.frames ?? [];
    if (coming === undefined || first === undefined || isBetter(update, first)) {
      coming?.cancel();
      const begun: Coming = { frames: [update], cancel: () => {} };
      this.#coming.set(channel, begun);
      this.#settle(channel, begun);
    } else if (sequenceOf(first) !== sequenceOf(update)) {
      if (this.#isDoubtful(channel, first)) return;
      this.#finish(channel);
      this.#checkOver();
    } else if (!coming.frames.some(({ message }) => message === update.message)) {
      coming.frames.push(update);
      this.#settle(channel, coming);
    }
  }

  #isDoubtful(channel: string, first: ReceivedUpdate | undefined): boolean {
    return first !== undefined && !beginsAnew(first) && this.#options.mustBegin(channel);
  }

  #settle(channel: string, coming: Coming): void {
    coming.cancel();
    const isDoubtful = this.#isDoubtful(channel, coming.frames[0]);
    const settleMs = isDoubtful ? FOLLOWING_SETTLE_MS : SNAPSHOT_SETTLE_MS;
    coming.cancel = this.#options.clock.after(settleMs, () => {
      this.#finish(channel);
      this.#checkOver();
    });
  }

  #finish(channel: string): void {
    const coming = this.#coming.get(channel);
    if (coming === undefined || this.#isOver) return;
    coming.cancel();
    this.#coming.delete(channel);
    this.#pending.delete(channel);
    this.#options.onSnapshot(channel, coming.frames);
  }

  #refuse(channel: string, words: string): void {
    if (!this.#pending.delete(channel)) return;
    this.#coming.get(channel)?.cancel();
    this.#coming.delete(channel);
    this.#options.onRefused(channel, words);
    this.#checkOver();
  }

  #checkOver(): void {
    if (this.#pending.size === 0) this.#end(undefined);
  }
}

/** A snapshot that has come behind changes of it: another part of one transaction may name itself, but not nothing. */
function isBetter(update: ReceivedUpdate, first: ReceivedUpdate): boolean {
  if (beginsAnew(first) || !beginsAnew(update) || !isSequenced(update)) return false;
  return update.frame.previous_sequence === null || sequenceOf(update) !== sequenceOf(first);
}

/** True when no frame before it is named, or only itself: it may be the first of a subscription. */
export function beginsAnew(update: ReceivedUpdate): boolean {
  if (!isSequenced(update)) return true;
  const { previous_sequence, sequence } = update.frame;
  return previous_sequence === null || sequence === null || previous_sequence === sequence;
}

/** Of an update that has a place in a chain: digit text without leading zeros, or null. */
export function sequenceOf(update: ReceivedUpdate | undefined): string | null {
  if (update === undefined || !isSequenced(update)) return null;
  const { sequence } = update.frame;
  return sequence === null ? null : stripZeros(sequence);
}

// A second connection for as long as an audit lasts: it subscribes, takes the snapshot of each channel, and is closed.
import { encodeCommand } from "../../protocol/commands.ts";
import { createDecoder, type ReceivedUpdate } from "../../protocol/decode.ts";
import type { LinkFault } from "../../protocol/stream-event.ts";
import { isSequenced } from "../../stream/sequence-chain.ts";
import type { OpenSocket, Socket } from "../../stream/socket.ts";
import type { Clock } from "../../units/clock.ts";
import { stripZeros } from "../../units/uint.ts";

/** hello is waited for this long, as on the watched connection (docs/adr/0001). */
const HELLO_WAIT_MS = 3000;
/** A channel that has not answered its subscribe by then is not compared. */
const ANSWER_WAIT_MS = 10_000;
/** The handshake's own limit is 10 s (stream/ws-socket.ts); a socket that reports nothing is left after this. */
const OPEN_WAIT_MS = 12_000;
/** One transaction may come in several frames: a snapshot is whole when nothing of its sequence came for this long. */
export const SNAPSHOT_SETTLE_MS = 500;

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
    for (const channel of this.#pending) {
      this.#socket?.send(encodeCommand({ type: "subscribe", channel }));
    }
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
    else if (received.type === "error") {
      const { channel, code, message: words } = received.frame;
      const only = this.#pending.size === 1 ? [...this.#pending][0] : undefined;
      const named = channel ?? only;
      if (named !== undefined) this.#refuse(named, `${code}: ${words}`);
    }
  }

  #take(update: ReceivedUpdate): void {
    const { channel } = update.frame;
    if (!this.#hasAsked || !this.#pending.has(channel)) return;
    const coming = this.#coming.get(channel);
    if (coming === undefined) {
      // A change of something that is still to come.
      if (!beginsAnew(update) && this.#options.mustBegin(channel)) return;
      const begun: Coming = { frames: [update], cancel: () => {} };
      this.#coming.set(channel, begun);
      this.#settle(channel, begun);
    } else if (sequenceOf(coming.frames[0]) !== sequenceOf(update)) {
      this.#finish(channel);
      this.#checkOver();
    } else if (!coming.frames.some(({ message }) => message === update.message)) {
      coming.frames.push(update);
      this.#settle(channel, coming);
    }
  }

  #settle(channel: string, coming: Coming): void {
    coming.cancel();
    coming.cancel = this.#options.clock.after(SNAPSHOT_SETTLE_MS, () => {
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

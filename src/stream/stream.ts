// The stream: one connection, the channels that somebody wants on it, and the events that they bring.

import { parseChannel } from "../protocol/channel.ts";
import { encodeCommand } from "../protocol/commands.ts";
import { createDecoder, type Decoder, type Received } from "../protocol/decode.ts";
import type { ErrorFrame } from "../protocol/frames/error.ts";
import type { HelloFrame } from "../protocol/frames/hello.ts";
import { type Rejection, reject } from "../protocol/rejection.ts";
import type { Link, StreamEvent, StreamListener } from "../protocol/stream-event.ts";
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { Connection } from "./connection.ts";
import { type Continuity, createContinuity } from "./continuity.ts";
import type { OpenSocket } from "./socket.ts";
import { Subscription, type SubscriptionContext } from "./subscription.ts";

/** hello is waited for this long before the first command. Reading: docs/adr/0001. */
const HELLO_WAIT_MS = 3000;
/** A service that goes on sending what nobody wants is told to stop this often at the most. */
const STRAY_PAUSE_MS = 10_000;
/** Channels of one connection that are remembered after nobody wants them. */
const MAX_LEFT = 10_000;

export interface StreamOptions {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  /** Refuse what the document does not list, instead of keeping and counting it. */
  readonly isStrict: boolean;
  /** Receives every event, in order. It must not throw. */
  readonly onEvent: StreamListener;
  /** True for a channel whose every update is known to be whole: a gap is counted, and no resync follows. */
  readonly toleratesGaps?: (channel: string) => boolean;
}

type EventOf<T extends StreamEvent["type"]> = Omit<
  Extract<StreamEvent, { type: T }>,
  "atMs" | "type"
>;

export class Stream {
  readonly #options: StreamOptions;
  readonly #decoder: Decoder;
  readonly #connection: Connection;
  readonly #continuity: Continuity = createContinuity();
  /** Kinds of messages of which a first example of drift has been given. */
  readonly #drifting = new Set<string>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #users = new Map<string, number>();
  /** Channels of this connection that nobody wants any more, and when the service was last told so. */
  readonly #left = new Map<string, number>();
  #isReady = false;
  #cancelHello = () => {};

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#decoder = createDecoder(options.isStrict);
    this.#connection = new Connection({
      openSocket: options.openSocket,
      clock: options.clock,
      random: options.random,
      onLink: (link) => this.#emit("link", { link }),
      onOpen: () => this.#onOpen(),
      onMessage: (message) => this.#onMessage(message),
      onBinary: (length) =>
        this.#onRejected(reject("", "not-json", `a binary message, ${length} bytes`)),
      onDown: () => this.#onDown(),
    });
  }

  get link(): Link {
    return this.#connection.link;
  }

  /** Starts to connect. Channels may be subscribed before and after. */
  open(): void {
    this.#connection.open();
  }

  /** Ends everything. No event follows but the closed link. */
  close(): void {
    this.#cancelHello();
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#subscriptions.clear();
    this.#connection.close();
  }

  /**
   * Wants a channel, until the returned undo is called. A channel is subscribed once, however many want it.
   * @throws {RangeError} when the name has none of the ten forms
   */
  subscribe(channel: string): () => void {
    if (parseChannel(channel) === undefined) throw new RangeError(`no channel name: ${channel}`);
    this.#users.set(channel, (this.#users.get(channel) ?? 0) + 1);
    this.#wanted(channel).want(this.#isReady);
    let isUndone = false;
    return () => {
      if (!isUndone) this.#release(channel);
      isUndone = true;
    };
  }

  /** Gets the whole state of a channel again, because what is held is in doubt. */
  resync(channel: string, reason: string): void {
    this.#subscriptions.get(channel)?.resync(reason);
  }

  #wanted(channel: string): Subscription {
    const known = this.#subscriptions.get(channel);
    if (known !== undefined) return known;
    const subscription = this.#createSubscription(channel);
    this.#subscriptions.set(channel, subscription);
    return subscription;
  }

  #release(channel: string): void {
    const users = (this.#users.get(channel) ?? 1) - 1;
    if (users > 0) {
      this.#users.set(channel, users);
      return;
    }
    this.#users.delete(channel);
    this.#subscriptions.get(channel)?.leave();
    this.#forgetIfOver(channel);
  }

  #forgetIfOver(channel: string): void {
    if (!this.#subscriptions.get(channel)?.isOver) return;
    this.#subscriptions.delete(channel);
    if (this.#left.size < MAX_LEFT) this.#left.set(channel, this.#options.clock.now());
  }

  /** An update of a channel that nobody wants: the service has not heard, or not heeded, that it should stop. */
  #onStray(channel: string): void {
    const toldAtMs = this.#left.get(channel);
    const { clock } = this.#options;
    if (toldAtMs === undefined || clock.now() - toldAtMs < STRAY_PAUSE_MS) return;
    this.#left.set(channel, clock.now());
    this.#connection.send(encodeCommand({ type: "unsubscribe", channel }));
  }

  #createSubscription(channel: string): Subscription {
    const { clock, random, toleratesGaps } = this.#options;
    const wasAsked = this.#left.delete(channel);
    const context: SubscriptionContext = {
      clock,
      random,
      send: (command) => this.#connection.send(encodeCommand(command)),
      isGap: (kind, verdict) => this.#continuity.judge(kind, verdict),
      toleratesGaps: () => toleratesGaps?.(channel) ?? false,
      restart: (detail) => this.#connection.restart(detail),
      onUpdate: (update, isFirst) => this.#emit("update", { channel, update, isFirst }),
      onSubscribing: () => this.#emit("subscribing", { channel }),
      onConfirmed: () => this.#emit("confirmed", { channel }),
      onLate: () => this.#emit("late", { channel }),
      onGap: (held, previous) => this.#emit("gap", { channel, held, previous }),
      onResync: (reason) => this.#emit("resync", { channel, reason }),
      onUnavailable: (message, retryAtMs) =>
        this.#emit("unavailable", { channel, message, retryAtMs }),
      onRefused: (code, message) => this.#emit("refused", { channel, code, message }),
      onUnsubscribed: () => this.#onUnsubscribed(channel),
    };
    return new Subscription(channel, context, wasAsked);
  }

  #onUnsubscribed(channel: string): void {
    this.#emit("unsubscribed", { channel });
    this.#forgetIfOver(channel);
  }

  #onOpen(): void {
    this.#cancelHello = this.#options.clock.after(HELLO_WAIT_MS, () => this.#start());
  }

  #start(): void {
    if (this.#isReady) return;
    this.#cancelHello();
    this.#isReady = true;
    for (const subscription of this.#subscriptions.values()) subscription.onConnectionOpen();
  }

  #onDown(): void {
    this.#cancelHello();
    this.#isReady = false;
    this.#left.clear();
    for (const [channel, subscription] of this.#subscriptions) {
      subscription.onConnectionDown();
      this.#forgetIfOver(channel);
    }
  }

  #onMessage(message: string): void {
    const decoded = this.#decoder.decode(message);
    if (!decoded.ok) {
      this.#onRejected(decoded.rejection);
      return;
    }
    const { received } = decoded;
    if (decoded.drifts) this.#onDrift(received);
    if (received.type === "update") {
      this.#connection.noteDelivery();
      const { channel } = received.frame;
      const subscription = this.#subscriptions.get(channel);
      if (subscription === undefined) this.#onStray(channel);
      else subscription.onUpdate(received);
    } else if (received.type === "hello") this.#onHello(received.frame);
    else if (received.type === "error") this.#onError(received.frame);
    else {
      const { channel } = received.frame;
      this.#subscriptions.get(channel)?.onUnsubscribed();
      this.#forgetIfOver(channel);
    }
  }

  #onHello(frame: HelloFrame): void {
    this.#connection.onHello(frame.protocol_version, frame.keepalive_timeout_ms);
    this.#start();
  }

  #onError(frame: ErrorFrame): void {
    const named = frame.channel === undefined ? this.#onlyPending() : frame.channel;
    const subscription = named === undefined ? undefined : this.#subscriptions.get(named);
    if (named === undefined || subscription === undefined) {
      this.#emit("service-error", { code: frame.code, message: frame.message });
      return;
    }
    subscription.onError(frame);
    this.#forgetIfOver(named);
  }

  /** The one channel whose command is open: an error that names no channel can only mean that one. */
  #onlyPending(): string | undefined {
    const pending = [...this.#subscriptions.values()].filter(({ isPending }) => isPending);
    return pending.length === 1 ? pending[0]?.channel : undefined;
  }

  #onRejected(rejection: Rejection): void {
    const { channel } = rejection;
    this.#emit("rejected", { channel, rejection });
    for (const subscription of this.#subscriptions.values()) {
      if (channel === undefined || channel === subscription.channel) subscription.onUnreadable();
    }
  }

  #onDrift(received: Received): void {
    const channel = "channel" in received.frame ? received.frame.channel : undefined;
    const kind = received.type === "update" ? received.kind : received.type;
    const drifts = this.#drifting.has(kind) ? [] : this.#decoder.drifts(received);
    this.#drifting.add(kind);
    this.#emit("drift", { channel, drifts });
  }

  #emit<T extends StreamEvent["type"]>(type: T, event: EventOf<T>): void {
    this.#options.onEvent({
      atMs: this.#options.clock.now(),
      type,
      ...event,
    } as unknown as StreamEvent);
  }
}

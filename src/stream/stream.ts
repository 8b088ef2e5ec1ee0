// The stream: one connection, the channels in use on it, and their events. A message goes from `#onMessage` through its
// `Subscription` to `onEvent`.

import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { msOfNs } from "../units/time.ts";
import { type ChannelKind, parseChannel } from "../wire/channels.ts";
import { encodeCommand } from "../wire/commands.ts";
import { createDecoder, type Decoder, type Received, type ReceivedUpdate } from "../wire/decode.ts";
import type { ErrorFrame, HelloFrame, UnsubscribedFrame } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import { type Rejection, reject } from "../wire/rejection.ts";
import type { ChainPosition, Link, StreamEvent, StreamListener } from "../wire/stream-event.ts";
import { Connection } from "./connection.ts";
import { Numbering } from "./numbering.ts";
import { ProbeResults } from "./probe.ts";
import { SnapshotPolicy } from "./snapshot-policy.ts";
import type { OpenSocket } from "./socket.ts";
import { StreamLag } from "./stream-lag.ts";
import { type EventOf, type SharedParts, Subscription } from "./subscription.ts";

/** How long to wait for hello before the first command. */
const HELLO_WAIT_MS = 3000;
/** How often to look for silent channels, and for a stream that stays late. */
const WATCH_PERIOD_MS = 1000;
/** Minimum time between repeated unsubscribes to a service that keeps sending an unsubscribed channel. */
const REPEAT_UNSUBSCRIBE_MS = 10_000;
/** Unsubscribed channels remembered per connection. */
const MAX_UNSUBSCRIBED = 10_000;

/** Dependencies of a stream, and the receiver of its events. */
export interface StreamOptions {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives every event, in order. Must not throw. */
  readonly onEvent: StreamListener;
  /** True for a channel whose every update is known to be a snapshot: a gap is counted, but causes no resync. */
  readonly toleratesGaps?: (channel: string) => boolean;
}

/** A channel used earlier on this connection. */
interface UnsubscribedChannel {
  sentAtMs: number;
  /** Unanswered unsubscribe commands. */
  unanswered: number;
}

/**
 * One connection to the service, reopened forever, with every channel in use subscribed once.
 * Everything that happens is emitted as a `StreamEvent`.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #decoder: Decoder;
  readonly #connection: Connection;
  readonly #parts: SharedParts;
  readonly #lag = new StreamLag();
  readonly #probes = new ProbeResults((reason) => this.#emit("probing-off", { reason }));
  readonly #numberings = new Map<ChannelKind, Numbering>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #unsubscribed = new Map<string, UnsubscribedChannel>();
  /** Kinds of messages for which a first example of drift has been emitted. */
  readonly #drifted = new Set<string>();
  #isReady = false;
  /** The current update has shown that frames of its kind were misinterpreted. */
  #isRefuted = false;
  #cancelHello = () => {};
  #stopWatching = () => {};

  constructor(options: StreamOptions) {
    const { clock, random, openSocket, toleratesGaps = () => false } = options;
    this.#options = options;
    this.#decoder = createDecoder();
    this.#connection = new Connection({
      openSocket,
      clock,
      random,
      onLink: () => this.#emit("link", { link: this.link }),
      onOpen: () => {
        this.#cancelHello = clock.after(HELLO_WAIT_MS, () => this.#start());
      },
      onMessage: this.#onMessage,
      onBinary: (length) =>
        this.#onRejected(reject("", "not-json", `a binary message, ${length} bytes`)),
      onDown: () => this.#onDown(),
    });
    this.#parts = {
      clock,
      random,
      toleratesGaps,
      connection: this.#connection,
      snapshots: new SnapshotPolicy(),
      probes: this.#probes,
      numberingOf: (kind) => this.#numberingOf(kind),
      emit: (type, event) => this.#emit(type, event),
      emitUpdate: this.#emitUpdate,
      onAmbiguousError: (code, except) => this.#onAmbiguousError(code, except),
      onOver: (channel) => this.#forgetIfOver(channel),
    };
  }

  get link(): Link {
    const { isLate } = this.#lag;
    return { ...this.#connection.link, isLate, skewMs: this.#lag.skewMs(this.#options.clock) };
  }

  /** Starts connecting. Channels may be subscribed before and after. */
  open(): void {
    this.#connection.open();
  }

  /** Ends everything. Only the event of the closed link follows. */
  close(): void {
    this.#cancelHello();
    this.#stopWatching();
    for (const each of this.#subscriptions.values()) each.close();
    this.#subscriptions.clear();
    this.#connection.close();
  }

  /**
   * Uses a channel until the returned function is called. A channel is subscribed once, however many use it.
   * @returns unsubscribe
   * @throws {RangeError} when the name has none of the ten forms
   */
  subscribe(channel: string): () => void {
    const subscription = this.#subscriptions.get(channel) ?? this.#add(channel);
    subscription.subscribe(this.#isReady);
    let isUndone = false;
    return () => {
      if (isUndone) return;
      isUndone = true;
      this.#subscriptions.get(channel)?.unsubscribe();
      this.#forgetIfOver(channel);
    };
  }

  /** Pings, unless a pong is pending. A link event follows the pong. */
  ping(): void {
    this.#connection.ping();
  }

  /** Gets a snapshot of a channel, because its data is suspect. */
  resync(channel: string, reason: string): void {
    this.#subscriptions.get(channel)?.resync(reason);
  }

  #add(channel: string): Subscription {
    const kind = parseChannel(channel)?.kind;
    if (kind === undefined) throw new RangeError(`no channel name: ${channel}`);
    const unanswered = this.#unsubscribed.get(channel)?.unanswered;
    this.#unsubscribed.delete(channel);
    const subscription = new Subscription(channel, kind, this.#parts, unanswered);
    this.#subscriptions.set(channel, subscription);
    return subscription;
  }

  #forgetIfOver(channel: string): void {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription?.isOver) return;
    this.#subscriptions.delete(channel);
    this.#lag.forget(channel);
    if (this.#unsubscribed.size >= MAX_UNSUBSCRIBED) return;
    const { unanswered } = subscription;
    this.#unsubscribed.set(channel, { sentAtMs: this.#options.clock.now(), unanswered });
  }

  #numberingOf(kind: ChannelKind): Numbering {
    const known = this.#numberings.get(kind);
    if (known !== undefined) return known;
    const numbering = new Numbering((evidence) => {
      this.#emit("numbering", { kind, ...evidence });
      this.#isRefuted ||= evidence.previous === "frame";
    });
    this.#numberings.set(kind, numbering);
    return numbering;
  }

  #start(): void {
    if (this.#isReady) return;
    this.#cancelHello();
    this.#isReady = true;
    this.#stopWatching = every(this.#options.clock, WATCH_PERIOD_MS, () => this.#watch());
    for (const each of this.#subscriptions.values()) each.onConnectionOpen();
  }

  #onDown(): void {
    this.#cancelHello();
    this.#stopWatching();
    this.#isReady = false;
    this.#lag.reset();
    this.#probes.onConnectionDown(this.#options.clock.now());
    this.#unsubscribed.clear();
    for (const [channel, subscription] of this.#subscriptions) {
      subscription.onConnectionDown();
      this.#forgetIfOver(channel);
    }
  }

  #watch(): void {
    if (this.#lag.isLate) this.#restartLate();
    this.#probeSilent();
  }

  /** Probes at most one channel, the longest overdue, and only while no command awaits a response. */
  #probeSilent(): void {
    if (this.#probes.isOff) return;
    const nowMs = this.#options.clock.now();
    let next: Subscription | undefined;
    let nextDueAtMs = Number.POSITIVE_INFINITY;
    for (const each of this.#subscriptions.values()) {
      if (each.isProbing || each.isOpenAt(nowMs)) return;
      const dueAtMs = each.probeDueAtMs(nowMs);
      if (dueAtMs === undefined || dueAtMs >= nextDueAtMs) continue;
      next = each;
      nextDueAtMs = dueAtMs;
    }
    next?.probe();
  }

  readonly #onMessage = (message: string, atMs: number): void => {
    const decoded = this.#decoder.decode(message);
    if (!decoded.ok) {
      this.#onRejected(decoded.rejection);
      return;
    }
    const { received } = decoded;
    if (decoded.drifts) this.#emitDrift(received);
    if (received.type === "update") this.#onUpdate(received, atMs);
    else if (received.type === "hello") this.#onHello(received.frame);
    else if (received.type === "error") this.#onError(received.frame);
    else this.#onUnsubscribed(received.frame);
  };

  #onUpdate(update: ReceivedUpdate, atMs: number): void {
    this.#connection.noteDelivery();
    const { channel } = update.frame;
    const known = this.#subscriptions.get(channel);
    if (known !== undefined) known.onUpdate(update, atMs);
    else this.#unsubscribeAgain(channel);
    if (!this.#isRefuted) return;
    this.#isRefuted = false;
    for (const each of this.#subscriptions.values()) each.onRefuted();
  }

  /** An update of an unused channel: the service has not received, or has ignored, its unsubscribe. */
  #unsubscribeAgain(channel: string): void {
    const unsubscribed = this.#unsubscribed.get(channel);
    const nowMs = this.#options.clock.now();
    if (unsubscribed === undefined || nowMs - unsubscribed.sentAtMs < REPEAT_UNSUBSCRIBE_MS) return;
    unsubscribed.sentAtMs = nowMs;
    unsubscribed.unanswered++;
    this.#connection.send(encodeCommand({ type: "unsubscribe", channel }));
  }

  #onUnsubscribed({ channel }: UnsubscribedFrame): void {
    const known = this.#subscriptions.get(channel);
    const unsubscribed = this.#unsubscribed.get(channel);
    if (known !== undefined) known.onUnsubscribed();
    else if (unsubscribed !== undefined && unsubscribed.unanswered > 0) unsubscribed.unanswered--;
    this.#forgetIfOver(channel);
  }

  #onHello(frame: HelloFrame): void {
    this.#connection.onHello(frame.protocol_version, frame.keepalive_timeout_ms);
    this.#start();
  }

  #onError(frame: ErrorFrame): void {
    const { channel, code, message } = frame;
    const isNamed = channel !== undefined;
    const subscription = isNamed ? this.#subscriptions.get(channel) : this.#onlyOpen(code);
    if (subscription === undefined) {
      if (!isNamed) this.#onAmbiguousError(code);
      // A 409 is never bad news.
      if (code !== ERROR_CODES.duplicateSubscription) {
        this.#emit("service-error", { code, message });
      }
      return;
    }
    if (isNamed) subscription.onError(frame);
    else {
      // A 503 may be unsolicited and arrive while something else is unanswered.
      const mayBeOthers =
        code === ERROR_CODES.streamUnavailable &&
        !subscription.expectsUnavailableAt(this.#options.clock.now());
      subscription.onUnnamedError(frame);
      if (mayBeOthers) this.#onAmbiguousError(code, subscription.channel);
    }
    this.#forgetIfOver(subscription.channel);
  }

  /** An error that may concern any of several channels, except `except`. */
  #onAmbiguousError(code: number, except?: string): void {
    for (const each of this.#subscriptions.values()) {
      if (each.channel !== except) each.onAmbiguousError(code);
    }
  }

  /** The only channel with an unanswered command: an error without a channel can only refer to it. */
  #onlyOpen(code: number): Subscription | undefined {
    const nowMs = this.#options.clock.now();
    const isDuplicate = code === ERROR_CODES.duplicateSubscription;
    const open = [...this.#subscriptions.values()].filter((each) =>
      isDuplicate ? each.isSubscribeOpenAt(nowMs) : each.isOpenAt(nowMs),
    );
    return open.length === 1 ? open[0] : undefined;
  }

  #onRejected(rejection: Rejection): void {
    const { channel } = rejection;
    this.#emit("rejected", { channel, rejection });
    for (const each of this.#subscriptions.values()) {
      if (channel === undefined || channel === each.channel) each.onUnreadable();
    }
  }

  readonly #emitUpdate = (update: ReceivedUpdate, position: ChainPosition): void => {
    const { isFirst, isSnapshot, continues } = position;
    const { channel, timestamp_ns } = update.frame;
    this.#probes.onSpoken(channel);
    // A first frame and its further parts repeat the past; only new frames show the lag.
    const isPast = isFirst || (isSnapshot && continues);
    const stampMs = msOfNs(timestamp_ns);
    const atMs = this.#options.clock.now();
    const hasBecomeLate = !isPast && this.#lag.note(channel, stampMs, atMs);
    const lagMs = isPast ? undefined : this.#lag.lagOf(channel, stampMs, atMs);
    this.#options.onEvent({
      atMs,
      type: "update",
      channel,
      update,
      isFirst,
      isSnapshot,
      continues,
      lagMs,
    });
    if (!hasBecomeLate) return;
    this.#emit("link", { link: this.link });
    this.#restartLate();
  };

  #restartLate(): void {
    if (!this.#lag.takeRestart(this.#options.clock.now())) return;
    this.#connection.restart(`the stream runs ${Math.round(this.#lag.lagMs / 1000)} s late`);
  }

  /** Undocumented content of a message: in full only for the first of its kind, because that is slow. */
  #emitDrift(received: Received): void {
    const channel = "channel" in received.frame ? received.frame.channel : undefined;
    const kind = received.type === "update" ? received.kind : received.type;
    const drifts = this.#drifted.has(kind) ? [] : this.#decoder.drifts(received);
    this.#drifted.add(kind);
    this.#emit("drift", { channel, drifts });
  }

  #emit<T extends StreamEvent["type"]>(type: T, event: EventOf<T>): void {
    const atMs = this.#options.clock.now();
    this.#options.onEvent({ atMs, type, ...event } as unknown as StreamEvent);
  }
}

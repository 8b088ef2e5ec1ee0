// The stream: one connection, the channels that somebody wants on it, and the events that they bring.

import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { msOfNs } from "../units/time.ts";
import { type Channel, type ChannelKind, parseChannel } from "../wire/channels.ts";
import { encodeCommand } from "../wire/commands.ts";
import { createDecoder, type Decoder, type ReceivedUpdate } from "../wire/decode.ts";
import type { ErrorFrame, HelloFrame, UnsubscribedFrame } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import { type Rejection, reject } from "../wire/rejection.ts";
import type { Link, StreamEvent, StreamListener, UpdatePlace } from "../wire/stream-event.ts";
import { Connection } from "./connection.ts";
import { FirstDrifts } from "./first-drifts.ts";
import { FirstUpdates } from "./first-updates.ts";
import { Lateness } from "./lateness.ts";
import { Leftovers } from "./leftovers.ts";
import { Numbering } from "./numbering.ts";
import { Prober } from "./prober.ts";
import type { OpenSocket } from "./socket.ts";
import { Subscription } from "./subscription.ts";
import type { SubscriptionContext } from "./subscription-context.ts";
import { Users } from "./users.ts";

/** hello is waited for this long before the first command. Reading: docs/adr/0001. */
const HELLO_WAIT_MS = 3000;
/** How often silent channels are looked for. */
const WATCH_PERIOD_MS = 1000;

/** Why nothing says of a channel that it still stands. */
const UNNAMED = "an error named no channel";

/** Where a stream gets its socket, time and chance from, and whom it tells. */
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

/**
 * One connection to the service, opened anew for ever, and on it every channel that somebody wants, subscribed once.
 * Whatever happens is told as one `StreamEvent`; nothing of it throws but `subscribe`.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #decoder: Decoder;
  readonly #connection: Connection;
  readonly #numberings = new Map<ChannelKind, Numbering>();
  readonly #firsts = new FirstUpdates();
  readonly #lateness = new Lateness();
  readonly #prober = new Prober((reason) => this.#emit("probing-off", { reason }));
  readonly #drifts: FirstDrifts;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #users = new Users();
  readonly #leftovers: Leftovers;
  #isReady = false;
  #cancelHello = () => {};
  #stopWatching = () => {};

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#leftovers = new Leftovers(options.clock);
    this.#decoder = createDecoder(options.isStrict);
    this.#drifts = new FirstDrifts(this.#decoder);
    this.#connection = new Connection({
      openSocket: options.openSocket,
      clock: options.clock,
      random: options.random,
      onLink: () => this.#emit("link", { link: this.link }),
      onOpen: () => this.#onOpen(),
      onMessage: (message) => this.#onMessage(message),
      onBinary: (length) =>
        this.#onRejected(reject("", "not-json", `a binary message, ${length} bytes`)),
      onDown: () => this.#onDown(),
    });
  }

  get link(): Link {
    const { isLate } = this.#lateness;
    return { ...this.#connection.link, isLate, skewMs: this.#lateness.skewMs(this.#options.clock) };
  }

  /** Starts to connect. Channels may be subscribed before and after. */
  open(): void {
    this.#connection.open();
  }

  /** Ends everything. No event follows but the closed link. */
  close(): void {
    this.#cancelHello();
    this.#stopWatching();
    for (const each of this.#subscriptions.values()) each.close();
    this.#subscriptions.clear();
    this.#connection.close();
  }

  /**
   * Wants a channel, until the returned undo is called. A channel is subscribed once, however many want it.
   * @throws {RangeError} when the name has none of the ten forms
   */
  subscribe(channel: string): () => void {
    if (parseChannel(channel) === undefined) throw new RangeError(`no channel name: ${channel}`);
    this.#users.add(channel);
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
    if (this.#users.remove(channel) > 0) return;
    this.#subscriptions.get(channel)?.leave();
    this.#forgetIfOver(channel);
  }

  #forgetIfOver(channel: string): void {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription?.isOver) return;
    this.#subscriptions.delete(channel);
    this.#leftovers.add(channel, subscription.owed);
  }

  #createSubscription(channel: string): Subscription {
    const { clock, random, toleratesGaps } = this.#options;
    const owed = this.#leftovers.take(channel);
    const context: SubscriptionContext = {
      clock,
      random,
      send: (command) => this.#connection.send(encodeCommand(command)),
      numbering: this.#numberingOf(channel),
      mayBegin: (update, came) =>
        this.#firsts.mayBegin(update, came) || (toleratesGaps?.(channel) ?? false),
      toleratesGaps: () => toleratesGaps?.(channel) ?? false,
      restart: (detail) => this.#connection.restart(detail),
      onUpdate: (update, place) => this.#onUpdate(channel, update, place),
      onSubscribing: () => this.#emit("subscribing", { channel }),
      onProbing: () => this.#emit("probing", { channel }),
      onConfirmed: () => {
        this.#prober.onConfirmed(channel, clock.now());
        this.#emit("confirmed", { channel });
      },
      onDoubted: () => {
        this.#prober.onDoubted(channel);
        this.#emit("doubted", { channel, reason: UNNAMED });
      },
      onMisblamed: (code) => this.#onAmbiguousError(code, channel),
      onLost: (reason) => {
        this.#prober.onLost(channel);
        this.#emit("lost", { channel, reason });
      },
      onIgnored: () => this.#prober.onIgnored(),
      onLate: (frame, isRepeat) => {
        const sequence = "sequence" in frame ? frame.sequence : null;
        this.#emit("late", { channel, sequence, isRepeat });
      },
      onGap: (held, previous, sequence) => this.#emit("gap", { channel, held, previous, sequence }),
      onResync: (reason) => this.#emit("resync", { channel, reason }),
      onUnavailable: (message, retryAtMs) =>
        this.#emit("unavailable", { channel, message, retryAtMs }),
      onRefused: (code, message) => this.#emit("refused", { channel, code, message }),
      onUnsubscribed: () => this.#onUnsubscribed(channel),
    };
    return new Subscription(channel, context, owed);
  }

  #numberingOf(channel: string): Numbering {
    const { kind } = parseChannel(channel) as Channel;
    const known = this.#numberings.get(kind);
    if (known !== undefined) return known;
    const numbering = new Numbering((evidence) => this.#emit("numbering", { kind, ...evidence }));
    this.#numberings.set(kind, numbering);
    return numbering;
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
    const { clock } = this.#options;
    const watch = () => this.#prober.tick(this.#subscriptions.values(), clock.now());
    this.#stopWatching = every(clock, WATCH_PERIOD_MS, watch);
    for (const each of this.#subscriptions.values()) each.onConnectionOpen();
  }

  #onDown(): void {
    this.#cancelHello();
    this.#stopWatching();
    this.#isReady = false;
    this.#lateness.reset();
    this.#prober.onConnectionDown(this.#options.clock.now());
    this.#leftovers.clear();
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
    if (decoded.drifts) this.#emit("drift", this.#drifts.of(received));
    if (received.type === "update") {
      this.#connection.noteDelivery();
      const { channel } = received.frame;
      const known = this.#subscriptions.get(channel);
      if (known !== undefined) known.onUpdate(received);
      else if (this.#leftovers.mustTell(channel)) {
        this.#connection.send(encodeCommand({ type: "unsubscribe", channel }));
      }
    } else if (received.type === "hello") this.#onHello(received.frame);
    else if (received.type === "error") this.#onError(received.frame);
    else this.#onUnsubscribedFrame(received.frame);
  }

  #onUnsubscribedFrame({ channel }: UnsubscribedFrame): void {
    const known = this.#subscriptions.get(channel);
    if (known === undefined) this.#leftovers.onUnsubscribed(channel);
    else known.onUnsubscribed();
    this.#forgetIfOver(channel);
  }

  #onUpdate(channel: string, update: ReceivedUpdate, place: UpdatePlace): void {
    const { isFirst, isSnapshot, continues } = place;
    const { clock } = this.#options;
    this.#prober.onSpoken(channel);
    // A first frame repeats what has been; only what happens now can tell how late it comes.
    const stampMs = msOfNs(update.frame.timestamp_ns);
    const atMs = clock.now();
    const hasBecomeLate = !isFirst && this.#lateness.note(channel, stampMs, atMs);
    const lagMs = isFirst ? undefined : this.#lateness.lagOf(channel, stampMs, atMs);
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
    if (hasBecomeLate) this.#onLate();
  }

  #onLate(): void {
    this.#emit("link", { link: this.link });
    if (!this.#lateness.takeRestart(this.#options.clock.now())) return;
    this.#connection.restart(`the stream runs ${Math.round(this.#lateness.lagMs / 1000)} s late`);
  }

  #onHello(frame: HelloFrame): void {
    this.#connection.onHello(frame.protocol_version, frame.keepalive_timeout_ms);
    this.#start();
  }

  #onError(frame: ErrorFrame): void {
    const isNamed = frame.channel !== undefined;
    const subscription =
      frame.channel === undefined
        ? this.#onlyOpen(frame.code)
        : this.#subscriptions.get(frame.channel);
    if (subscription === undefined) {
      if (!isNamed) this.#onAmbiguousError(frame.code);
      // 409 is never bad news.
      if (frame.code === ERROR_CODES.duplicateSubscription) return;
      this.#emit("service-error", { code: frame.code, message: frame.message });
      return;
    }
    if (isNamed) subscription.onError(frame);
    else subscription.onUnnamedError(frame);
    this.#forgetIfOver(subscription.channel);
  }

  /** An error that may be about any of several channels; not about `except`. */
  #onAmbiguousError(code: number, except?: string): void {
    for (const each of this.#subscriptions.values()) {
      if (each.channel !== except) each.onAmbiguousError(code);
    }
  }

  /** The one channel whose command is open: an error that names no channel can only mean that one. */
  #onlyOpen(code: number): Subscription | undefined {
    const now = this.#options.clock.now();
    const isDuplicate = code === ERROR_CODES.duplicateSubscription;
    const open = [...this.#subscriptions.values()].filter((each) =>
      isDuplicate ? each.isSubscribeOpenAt(now) : each.isOpenAt(now),
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

  #emit<T extends StreamEvent["type"]>(type: T, event: EventOf<T>): void {
    this.#options.onEvent({
      atMs: this.#options.clock.now(),
      type,
      ...event,
    } as unknown as StreamEvent);
  }
}

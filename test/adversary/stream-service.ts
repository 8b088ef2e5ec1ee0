/**
 * A service of the WebSocket stream (interface sections 4.1, 6 and 7) on a clock of its own.
 *
 *   const { service } = composeStream(seed);              // or streamOf(delivery, channels)
 *   const client = service.open({ send, close });         // the service may call these from now on
 *   client.receive(text);                                 // a frame of the client
 *   client.ping();                                        // true when the connection answers pings
 *   client.end();                                         // the client closes
 *   service.advance(nowMs);                               // everything that is due until then is sent
 *   service.truth(channel)                                // what is really there now
 *
 * Times are milliseconds since 1970 by the service's clock, which stands at `options.startMs` first.
 * What happens in the markets and the account depends on the seed alone, not on who is connected.
 */
import { createRandom, hash, type Random } from "./random.ts";
import type { Channel, ChannelTruth, Source } from "./stream-channels.ts";

/** How `previous_sequence` of a frame is found. */
export type Numbering =
  /** The frame before on this channel, as sent on this connection. */
  | "channel"
  /** The last change of this channel; a first frame may carry a later sequence than that. */
  | "channel-history"
  /** The last transaction of the whole service. */
  | "service"
  | "minus-one"
  /** Null in every frame. */
  | "null";

export interface DeliveryOptions {
  seed: number;
  startMs: number;
  hello: "at-once" | "late" | "after-command" | "never";
  numbering: Numbering;
  /** Sequence numbers are null, too. */
  hasNullSequences: boolean;
  /** Transactions of others between two of ours, at most. */
  foreignTransactions: number;
  /** Distance of two neighbouring transactions' numbers, at most. */
  sequenceStep: number;
  firstSequence: number;
  /** `previous_sequence` of the first frame of a subscription. */
  firstPrevious: "null" | "history" | "minus-one" | "same";
  /** `sequence` of the first frame: of the channel's last change, of the service, or null. */
  firstSequenceOf: "channel" | "service" | "null-when-new";
  firstFrame: "at-once" | "delayed" | "with-next-change";
  /** `previous_sequence` of the second and later frames of one transaction. */
  splitPrevious: "held" | "before" | "restart";
  /** Timestamps of these frames rise by a nanosecond, or are the same. */
  hasRisingSplitTimes: boolean;
  /** Share of changes that are sent as a whole state with a null `previous_sequence`. */
  resnapshotShare: number;
  /** Trades, too: the last ones come once more, with the new one. */
  resnapshotsTrades: boolean;
  /** Such a whole state also comes with the sequence that is held, after the change. */
  resnapshotsHeld: boolean;
  /** Share of frames that are sent again as they are, at once or after the next frame. */
  repeatShare: number;
  repeatsLate: boolean;
  /** Share of frames that the service leaves out; the numbers show it. */
  lossShare: number;
  /** Milliseconds after the start at which sequence numbers begin again; 0 for never. */
  restartAfterMs: number;
  restartPrevious: "null-snapshot" | "chained" | "zero";
  /** Payload fields come before the others, and white space between them. */
  isPayloadFirst: boolean;
  isSpaced: boolean;
  /** Frames without any change, so often; 0 for never. They are a transaction of their own, or repeat the numbers held. */
  heartbeatMs: number;
  isHeartbeatCounted: boolean;
  /** Timestamps of frames are off by up to this much, so that they may fall. */
  timeJitterMs: number;
  /** Share of subscriptions that have an outage, told by an unasked 503, and how they go on after it. */
  outageShare: number;
  afterOutage: "whole" | "gap" | "gone";
  /** More subscriptions of one connection are answered by 503; 0 for any number. */
  maxSubscriptions: number;
  /** More commands within a second are answered by 503; 0 for any number. */
  commandsPerSecond: number;
  /** A connection without a frame of the client for 120 s is closed; the client's pings count. */
  enforcesKeepalive: boolean;
  /** Share of subscriptions that the service takes away, and whether it gives them again. */
  takeAwayShare: number;
  givesAgain: "at-once" | "after-503" | "never";
  /** Share of connections that the service closes, or that fall silent without a word. */
  closeShare: number;
  silentShare: number;
  /** Seconds until that happens, at most. */
  lifeSeconds: number;
  /** Connections are refused for a while after one was closed. */
  refusesAfterClose: boolean;
  secondConnection: "allowed" | "refused" | "closes-first";
  /** The first subscribes of a connection to each channel are answered by 503. */
  firstUnavailable: number;
  unsubscribeUnknown: "unsubscribed" | "400" | "404";
  /** Updates go on for a moment between an unsubscribe and its answer. */
  hasLateUnsubscribed: boolean;
  errorsNameChannel: boolean;
  /** The best bid and offer come before the book frame of the same change, or after. */
  isBboFirst: boolean;
}

export interface ServerSide {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Pings are answered from now on or no longer. */
  answerPings?(isAnswering: boolean): void;
}

export interface ClientSide {
  receive(text: string): void;
  ping(): boolean;
  end(): void;
}

interface Subscription {
  channel: Channel;
  held: string | null;
  isStarted: boolean;
  isEnding: boolean;
  /** The next frame is a whole one with a null previous sequence. */
  needsSnapshot: boolean;
  /** Frames to send again after the next one. */
  repeats: string[];
  /** The last frame was left out, and no frame since has shown it. */
  hasUnseenLoss: boolean;
  /** Changes are not sent for now. */
  isOut: boolean;
}

interface Connection {
  number: number;
  sink: ServerSide;
  subscriptions: Map<string, Subscription>;
  refusals: Map<string, number>;
  isOpen: boolean;
  isSilent: boolean;
  hasHello: boolean;
  lastClientMs: number;
  /** Times of the commands of the last second. */
  commands: number[];
}

interface Timer {
  atMs: number;
  run(): void;
}

interface Numbers {
  sequence: number;
  /** Number of the transaction before it on the service. */
  before: number;
}

const CHANNEL_FORMS = [
  /^(bbo|orderbook|trades|market-stats)\/(spot|perp)\/\d+$/,
  /^candles\/(spot|perp)\/\d+\/(1m|5m|15m|1h|4h|1d)$/,
  /^mark-candles\/\d+\/(1m|5m|15m|1h|4h|1d)$/,
  /^markets$/,
  /^market-stats\/(spot|perp)$/,
  /^funding-rates\/\d+$/,
  /^accounts\/[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  /^account\/[1-9A-HJ-NP-Za-km-z]{32,44}\/\d+$/,
];

const CLOSE_CODES = [1000, 1001, 1011, 1012, 1013, 4000];

function parseCommand(text: string): { type: string; channel: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { type, channel, ...rest } = value as Record<string, unknown>;
  if (typeof type !== "string" || typeof channel !== "string") return undefined;
  if (Object.keys(rest).length > 0 || (type !== "subscribe" && type !== "unsubscribe")) {
    return undefined;
  }
  return { type, channel };
}

export class StreamService {
  readonly options: DeliveryOptions;
  readonly startMs: number;
  readonly #sources: Source[];
  readonly #channels = new Map<string, Channel>();
  readonly #nextAt: number[];
  readonly #arrivals: Random;
  readonly #delivery: Random;
  readonly #connections = new Set<Connection>();
  readonly #lastChange = new Map<string, number>();
  readonly #changes = new Map<string, number>();
  #timers: Timer[] = [];
  #nowMs: number;
  #sequence: number;
  #baseSequence: number;
  #previousSequence: number;
  #opened = 0;
  #refusedUntilMs = 0;

  constructor(options: DeliveryOptions, sources: Source[]) {
    this.options = options;
    this.startMs = options.startMs;
    this.#sources = sources;
    this.#nowMs = options.startMs;
    this.#arrivals = createRandom(hash(options.seed, 200));
    this.#delivery = createRandom(hash(options.seed, 201));
    this.#sequence = options.firstSequence;
    this.#baseSequence = options.firstSequence;
    this.#previousSequence = options.firstSequence - 1;
    for (const source of sources) {
      for (const channel of source.channels) this.#channels.set(channel.name, channel);
    }
    this.#nextAt = sources.map((source) => this.#arrival(source));
    if (options.heartbeatMs > 0) this.#after(options.heartbeatMs, () => this.#heartbeat());
    if (options.restartAfterMs > 0) {
      this.#after(options.restartAfterMs, () => this.#restart());
    }
  }

  get channels(): string[] {
    return [...this.#channels.keys()];
  }

  truth(channel: string): ChannelTruth {
    const found = this.#channels.get(channel);
    if (found === undefined) throw new Error(`no channel ${channel}`);
    return found.truth();
  }

  /** Nothing was left out on this channel that no later frame has shown yet. */
  hasShownAll(channel: string): boolean {
    for (const connection of this.#connections) {
      if (connection.subscriptions.get(channel)?.hasUnseenLoss) return false;
    }
    return true;
  }

  /** How often what is there on this channel may have changed. */
  changesOf(channel: string): number {
    return this.#changes.get(channel) ?? 0;
  }

  // ---- time ----

  #arrival(source: Source): number {
    const mean = 1_000 / source.rate;
    const gap = -Math.log(1 - this.#arrivals.next()) * mean;
    return this.#nowMs + 1 + Math.floor(gap);
  }

  #after(ms: number, run: () => void): void {
    this.#timers.push({ atMs: this.#nowMs + ms, run });
  }

  #nextSource(): number {
    let best = 0;
    for (let i = 1; i < this.#nextAt.length; i++) {
      if ((this.#nextAt[i] ?? 0) < (this.#nextAt[best] ?? 0)) best = i;
    }
    return best;
  }

  #nextTimer(): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of this.#timers) {
      if (best === undefined || timer.atMs < best.atMs) best = timer;
    }
    return best;
  }

  /** Everything that is due until then happens, in order of time. */
  advance(nowMs: number): void {
    for (;;) {
      const at = this.#nextSource();
      const sourceMs = this.#nextAt[at] ?? Number.POSITIVE_INFINITY;
      const timer = this.#nextTimer();
      const dueMs = Math.min(sourceMs, timer?.atMs ?? Number.POSITIVE_INFINITY);
      if (dueMs > nowMs) break;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      if (timer !== undefined && timer.atMs <= sourceMs) {
        this.#timers.splice(this.#timers.indexOf(timer), 1);
        timer.run();
      } else {
        this.#happen(at);
      }
    }
    this.#nowMs = Math.max(this.#nowMs, nowMs);
  }

  #happen(at: number): void {
    const source = this.#sources[at];
    if (source === undefined) return;
    const isFollowed = source.step(this.#nowMs);
    this.#nextAt[at] = isFollowed ? this.#nowMs : this.#arrival(source);
    const numbers = this.#count();
    const channels = this.options.isBboFirst ? source.channels.toReversed() : source.channels;
    for (const channel of channels) this.#publish(channel, numbers);
  }

  /** The numbers of a transaction of ours, after some of others. */
  #count(): Numbers {
    const { foreignTransactions, sequenceStep } = this.options;
    const others = foreignTransactions > 0 ? this.#arrivals.int(0, foreignTransactions) : 0;
    for (let i = 0; i <= others; i++) {
      this.#previousSequence = this.#sequence;
      this.#sequence += sequenceStep > 1 ? this.#arrivals.int(1, sequenceStep) : 1;
    }
    return { sequence: this.#sequence, before: this.#previousSequence };
  }

  #heartbeat(): void {
    this.#after(this.options.heartbeatMs, () => this.#heartbeat());
    for (const channel of this.#channels.values()) {
      const payload = channel.heartbeat();
      if (payload !== undefined) this.#publishHeartbeat(channel, payload);
    }
  }

  #publishHeartbeat(channel: Channel, payload: string): void {
    const lastChange = this.#lastChange.get(channel.name);
    const numbers = this.options.isHeartbeatCounted ? this.#count() : undefined;
    for (const connection of this.#connections) {
      const subscription = connection.subscriptions.get(channel.name);
      if (!subscription?.isStarted || subscription.needsSnapshot || subscription.isOut) continue;
      this.#sendHeartbeat(connection, subscription, payload, numbers, lastChange);
    }
    if (numbers !== undefined) this.#lastChange.set(channel.name, numbers.sequence);
  }

  #sendHeartbeat(
    connection: Connection,
    subscription: Subscription,
    payload: string,
    numbers: Numbers | undefined,
    lastChange: number | undefined,
  ): void {
    const { held } = subscription;
    if (numbers !== undefined) {
      const previous = this.#previous(subscription, numbers, lastChange);
      subscription.hasUnseenLoss = false;
      this.#sendParts(connection, subscription, [payload], previous, String(numbers.sequence));
    } else if (held !== null && !subscription.hasUnseenLoss) {
      const previous = this.options.numbering === "null" ? null : held;
      this.#sendParts(connection, subscription, [payload], previous, held);
    }
  }

  /** Counting begins again, as after a restart of what stands behind the stream. */
  #restart(): void {
    this.#sequence = 0;
    this.#baseSequence = 0;
    this.#previousSequence = 0;
    this.#lastChange.clear();
    for (const connection of this.#connections) {
      for (const subscription of connection.subscriptions.values()) {
        if (this.options.restartPrevious === "null-snapshot") subscription.needsSnapshot = true;
        if (this.options.restartPrevious === "zero") subscription.held = "0";
      }
    }
  }

  // ---- frames ----

  #publish(channel: Channel, numbers: Numbers): void {
    this.#changes.set(channel.name, this.changesOf(channel.name) + 1);
    const lastChange = this.#lastChange.get(channel.name);
    let parts: string[] | undefined;
    for (const connection of this.#connections) {
      const subscription = connection.subscriptions.get(channel.name);
      if (subscription === undefined || connection.isSilent) continue;
      parts ??= channel.parts();
      if (parts.length === 0) return;
      this.#sendChange(connection, subscription, parts, numbers, lastChange);
    }
    if (channel.isSequenced) this.#lastChange.set(channel.name, numbers.sequence);
  }

  #isDrawn(share: number): boolean {
    return share > 0 && this.#delivery.chance(share);
  }

  #sendChange(
    connection: Connection,
    subscription: Subscription,
    parts: string[],
    numbers: Numbers,
    lastChange: number | undefined,
  ): void {
    const { channel } = subscription;
    if (subscription.isOut) {
      subscription.held = String(numbers.sequence);
      return;
    }
    if (!subscription.isStarted) {
      this.#sendFirst(connection, subscription, numbers.sequence, true);
      return;
    }
    if (!channel.isSequenced) {
      this.#sendFrame(connection, subscription, this.#frame(channel, parts[0] ?? "", "", 0));
      return;
    }
    const { lossShare, resnapshotsHeld } = this.options;
    const resnapshotShare = this.#resnapshotShare(channel);
    subscription.hasUnseenLoss = false;
    if (subscription.needsSnapshot || this.#isDrawn(resnapshotShare)) {
      this.#sendWhole(connection, subscription, numbers.sequence);
      return;
    }
    const previous = this.#previous(subscription, numbers, lastChange);
    if (this.#isDrawn(lossShare)) {
      subscription.held = String(numbers.sequence);
      subscription.hasUnseenLoss = true;
      return;
    }
    this.#sendParts(connection, subscription, parts, previous, String(numbers.sequence));
    if (resnapshotsHeld && this.#isDrawn(resnapshotShare)) {
      this.#sendWhole(connection, subscription, numbers.sequence);
    }
  }

  #resnapshotShare(channel: Channel): number {
    const isAllowed = channel.kind !== "trades" || this.options.resnapshotsTrades;
    return isAllowed ? this.options.resnapshotShare : 0;
  }

  #previous(
    subscription: Subscription,
    numbers: Numbers,
    lastChange: number | undefined,
  ): string | null {
    switch (this.options.numbering) {
      case "channel":
        return subscription.held;
      case "channel-history":
        return String(lastChange ?? this.#baseSequence);
      case "service":
        return String(numbers.before);
      case "minus-one":
        return String(numbers.sequence - 1);
      case "null":
        return null;
    }
  }

  #splitPrevious(part: number, previous: string | null, sequence: string): string | null {
    if (part === 0) return previous;
    if (this.options.numbering === "null") return null;
    switch (this.options.splitPrevious) {
      case "held":
        return sequence;
      case "before":
        return previous;
      case "restart":
        return String(part - 1);
    }
  }

  #sendParts(
    connection: Connection,
    subscription: Subscription,
    parts: string[],
    previous: string | null,
    sequence: string | null,
  ): void {
    const number = this.options.hasNullSequences ? null : sequence;
    // Two parts of one text could not be told from a frame that is sent again.
    const isRising = this.options.hasRisingSplitTimes || new Set(parts).size < parts.length;
    for (const [i, part] of parts.entries()) {
      const before = number === null ? previous : this.#splitPrevious(i, previous, number);
      const isNull = this.options.hasNullSequences || before === null;
      const head = `"previous_sequence":${isNull ? "null" : `"${before}"`},"sequence":${number === null ? "null" : `"${number}"`},`;
      const text = this.#frame(subscription.channel, part, head, isRising ? i : 0);
      this.#sendFrame(connection, subscription, text);
    }
    subscription.held = sequence;
  }

  #frame(channel: Channel, payload: string, numbers: string, nanoseconds: number): string {
    const { timeJitterMs } = this.options;
    const jitter = timeJitterMs > 0 ? this.#delivery.int(0, timeJitterMs) : 0;
    const time = `${this.#nowMs - jitter}${String(nanoseconds).padStart(6, "0")}`;
    if (this.options.isSpaced) {
      return `{ "type": "update",\n "channel": "${channel.name}", "timestamp_ns": "${time}", ${numbers} ${payload} }`;
    }
    if (this.options.isPayloadFirst) {
      return `{${payload},${numbers}"timestamp_ns":"${time}","channel":"${channel.name}","type":"update"}`;
    }
    return `{"type":"update","channel":"${channel.name}","timestamp_ns":"${time}",${numbers}${payload}}`;
  }

  #sendFrame(connection: Connection, subscription: Subscription, text: string): void {
    this.#send(connection, text);
    for (const repeat of subscription.repeats.splice(0)) this.#send(connection, repeat);
    const { repeatShare, repeatsLate } = this.options;
    if (!subscription.channel.isSequenced || !this.#isDrawn(repeatShare)) return;
    if (repeatsLate) subscription.repeats.push(text);
    else this.#send(connection, text);
  }

  #sendWhole(connection: Connection, subscription: Subscription, sequence: number): void {
    subscription.needsSnapshot = false;
    const parts = subscription.channel.snapshot({ isOneFrame: true, hasChange: true });
    this.#sendParts(connection, subscription, parts, null, String(sequence));
  }

  #sendFirst(
    connection: Connection,
    subscription: Subscription,
    sequence: number,
    hasChange: boolean,
  ): void {
    const { channel } = subscription;
    const parts = channel.snapshot({ isOneFrame: false, hasChange });
    subscription.isStarted = true;
    subscription.held = String(sequence);
    if (parts.length === 0) return;
    if (!channel.isSequenced) {
      this.#sendFrame(connection, subscription, this.#frame(channel, parts[0] ?? "", "", 0));
      return;
    }
    const isNull =
      this.options.firstSequenceOf === "null-when-new" && !this.#lastChange.has(channel.name);
    const previous = isNull ? null : this.#firstPrevious(channel, sequence);
    this.#sendParts(connection, subscription, parts, previous, isNull ? null : String(sequence));
  }

  #firstPrevious(channel: Channel, sequence: number): string | null {
    if (this.options.numbering === "null") return null;
    switch (this.options.firstPrevious) {
      case "null":
        return null;
      case "history":
        return String(this.#lastChange.get(channel.name) ?? this.#baseSequence);
      case "minus-one":
        return String(Math.max(sequence - 1, 0));
      case "same":
        return String(sequence);
    }
  }

  #send(connection: Connection, text: string): void {
    if (connection.isOpen && !connection.isSilent) connection.sink.send(text);
  }

  // ---- connections ----

  open(sink: ServerSide): ClientSide {
    const connection: Connection = {
      number: this.#opened++,
      sink,
      subscriptions: new Map(),
      refusals: new Map(),
      isOpen: true,
      isSilent: false,
      hasHello: false,
      lastClientMs: this.#nowMs,
      commands: [],
    };
    if (this.#isRefused()) {
      connection.isOpen = false;
      sink.close(1013, "try again later");
    } else {
      if (this.options.secondConnection === "closes-first") this.#closeOthers();
      this.#connections.add(connection);
      this.#planLife(connection);
      this.#planHello(connection);
      if (this.options.enforcesKeepalive) this.#planKeepalive(connection);
    }
    return {
      receive: (text) => this.#receive(connection, text),
      ping: () => {
        connection.lastClientMs = this.#nowMs;
        return connection.isOpen && !connection.isSilent;
      },
      end: () => this.#forget(connection),
    };
  }

  #isRefused(): boolean {
    if (this.#nowMs < this.#refusedUntilMs) return true;
    return this.options.secondConnection === "refused" && this.#connections.size > 0;
  }

  #forget(connection: Connection): void {
    connection.isOpen = false;
    this.#connections.delete(connection);
  }

  #close(connection: Connection, code: number, reason: string): void {
    if (!connection.isOpen) return;
    this.#forget(connection);
    connection.sink.close(code, reason);
  }

  #closeOthers(): void {
    for (const other of [...this.#connections]) this.#close(other, 4000, "another connection");
  }

  #planLife(connection: Connection): void {
    const random = createRandom(hash(this.options.seed, connection.number, 202));
    const { closeShare, silentShare, lifeSeconds, refusesAfterClose } = this.options;
    const lifeMs = random.int(5_000, Math.max(lifeSeconds * 1_000, 5_000));
    const draw = random.next();
    if (draw < closeShare) {
      const code = random.pick(CLOSE_CODES);
      this.#after(lifeMs, () => {
        if (refusesAfterClose && connection.isOpen) this.#refusedUntilMs = this.#nowMs + 4_000;
        this.#close(connection, code, "");
      });
    } else if (draw < closeShare + silentShare) {
      this.#after(lifeMs, () => {
        connection.isSilent = true;
        connection.sink.answerPings?.(false);
      });
    }
  }

  #planKeepalive(connection: Connection): void {
    const leftMs = connection.lastClientMs + 120_001 - this.#nowMs;
    if (leftMs <= 0) this.#close(connection, 1008, "keepalive timeout");
    else if (connection.isOpen) this.#after(leftMs, () => this.#planKeepalive(connection));
  }

  #planHello(connection: Connection): void {
    if (this.options.hello === "at-once") this.#hello(connection);
    if (this.options.hello === "late") {
      const random = createRandom(hash(this.options.seed, connection.number, 203));
      this.#after(random.int(300, 9_000), () => this.#hello(connection));
    }
  }

  #hello(connection: Connection): void {
    if (connection.hasHello) return;
    connection.hasHello = true;
    this.#send(connection, `{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}`);
  }

  #error(connection: Connection, code: number, message: string, channel?: string): void {
    const named =
      channel !== undefined && this.options.errorsNameChannel
        ? `"channel":${JSON.stringify(channel)},`
        : "";
    this.#send(
      connection,
      `{"type":"error",${named}"code":${code},"message":${JSON.stringify(message)},"timestamp_ns":"${this.#nowMs}000000"}`,
    );
  }

  #receive(connection: Connection, text: string): void {
    connection.lastClientMs = this.#nowMs;
    if (!connection.isOpen || connection.isSilent) return;
    const command = parseCommand(text);
    if (this.#isTooFast(connection)) {
      this.#error(connection, 503, "too many commands", command?.channel);
    } else if (command === undefined) this.#error(connection, 400, "invalid command");
    else if (!CHANNEL_FORMS.some((form) => form.test(command.channel))) {
      // The name cannot be repeated in a frame whose channel must match a form.
      this.#error(connection, 400, "invalid channel");
    } else if (command.type === "subscribe") this.#subscribe(connection, command.channel);
    else this.#unsubscribe(connection, command.channel);
    if (this.options.hello === "after-command") this.#hello(connection);
  }

  #isTooFast(connection: Connection): boolean {
    const { commandsPerSecond } = this.options;
    if (commandsPerSecond === 0) return false;
    connection.commands = connection.commands.filter((ms) => ms > this.#nowMs - 1_000);
    if (connection.commands.length >= commandsPerSecond) return true;
    connection.commands.push(this.#nowMs);
    return false;
  }

  #isFull(connection: Connection): boolean {
    const { maxSubscriptions } = this.options;
    return maxSubscriptions > 0 && connection.subscriptions.size >= maxSubscriptions;
  }

  #subscribe(connection: Connection, name: string): void {
    const channel = this.#channels.get(name);
    const refusals = connection.refusals.get(name) ?? this.options.firstUnavailable;
    if (channel === undefined) this.#error(connection, 404, "unknown resource", name);
    else if (connection.subscriptions.get(name)?.isOut || this.#isFull(connection)) {
      this.#error(connection, 503, "stream unavailable", name);
    } else if (connection.subscriptions.has(name)) {
      this.#error(connection, 409, "duplicate subscription", name);
    } else if (refusals > 0) {
      connection.refusals.set(name, refusals - 1);
      this.#error(connection, 503, "stream unavailable", name);
    } else {
      connection.refusals.set(name, 0);
      this.#begin(connection, channel);
    }
  }

  #begin(connection: Connection, channel: Channel): void {
    const subscription: Subscription = {
      channel,
      held: null,
      isStarted: false,
      isEnding: false,
      needsSnapshot: false,
      repeats: [],
      hasUnseenLoss: false,
      isOut: false,
    };
    connection.subscriptions.set(channel.name, subscription);
    const start = (): void => {
      if (connection.subscriptions.get(channel.name) !== subscription) return;
      if (!subscription.isStarted && !subscription.isOut) {
        this.#sendFirst(connection, subscription, this.#heldSequence(channel), false);
      }
    };
    if (this.options.firstFrame === "at-once") start();
    if (this.options.firstFrame === "delayed") this.#after(this.#delivery.int(50, 4_000), start);
    if (this.#isDrawn(this.options.outageShare)) {
      this.#after(this.#delivery.int(3_000, 200_000), () =>
        this.#failFor(connection, subscription),
      );
    }
    if (this.#isDrawn(this.options.takeAwayShare)) {
      this.#after(this.#delivery.int(3_000, 120_000), () =>
        this.#takeAway(connection, subscription),
      );
    }
  }

  #heldSequence(channel: Channel): number {
    const last = this.#lastChange.get(channel.name);
    if (this.options.firstSequenceOf === "service") return this.#sequence;
    return last ?? this.#baseSequence;
  }

  #takeAway(connection: Connection, subscription: Subscription): void {
    const { name } = subscription.channel;
    if (connection.subscriptions.get(name) !== subscription) return;
    const { givesAgain } = this.options;
    if (givesAgain === "after-503") connection.refusals.set(name, 2);
    if (givesAgain === "never") connection.refusals.set(name, Number.POSITIVE_INFINITY);
    this.#unsubscribed(connection, name);
  }

  /** The stream of a channel fails for a while, and says so. */
  #failFor(connection: Connection, subscription: Subscription): void {
    const { name } = subscription.channel;
    if (connection.subscriptions.get(name) !== subscription || subscription.isEnding) return;
    subscription.isOut = true;
    this.#error(connection, 503, "stream unavailable", name);
    this.#after(this.#delivery.int(4_000, 40_000), () => {
      subscription.isOut = false;
      if (this.options.afterOutage === "whole") subscription.needsSnapshot = true;
    });
    if (this.options.afterOutage !== "gone") return;
    connection.subscriptions.delete(name);
    connection.refusals.set(name, 2);
  }

  #unsubscribed(connection: Connection, name: string): void {
    connection.subscriptions.delete(name);
    this.#send(
      connection,
      `{"type":"unsubscribed","channel":"${name}","timestamp_ns":"${this.#nowMs}000000"}`,
    );
  }

  #unsubscribe(connection: Connection, name: string): void {
    const subscription = connection.subscriptions.get(name);
    if (subscription === undefined || subscription.isEnding) {
      this.#unsubscribeUnknown(connection, name);
      return;
    }
    if (!this.options.hasLateUnsubscribed) {
      this.#unsubscribed(connection, name);
      return;
    }
    subscription.isEnding = true;
    this.#after(400, () => {
      if (connection.subscriptions.get(name) === subscription) this.#unsubscribed(connection, name);
    });
  }

  #unsubscribeUnknown(connection: Connection, name: string): void {
    if (this.options.unsubscribeUnknown === "unsubscribed") this.#unsubscribed(connection, name);
    else this.#error(connection, Number(this.options.unsubscribeUnknown), "not subscribed", name);
  }
}

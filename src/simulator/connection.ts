// The server side of one client: hello, commands, responses and the frames of its channels; everything sent passes through the
// faults of the scenario.
import type { WebSocket } from "ws";
import type { Clock } from "../units/clock.ts";
import { type ChannelParts, parseChannel } from "../wire/channels.ts";
import { CHANNELS, type Kind } from "../wire/frames.ts";
import { isObject, parseJson } from "../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../wire/limits.ts";
import type { LiveFault, OutgoingFrame } from "./faults.ts";
import { FEEDS, type Feed, type OpenFeed } from "./feeds.ts";
import { nsText } from "./text.ts";
import type { World } from "./world.ts";

/** Unread bytes after which a client is dropped: over a second of the busiest market, which takes some times as much on the heap. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

interface ConnectionSetup {
  readonly webSocket: WebSocket;
  readonly world: World;
  /** In the order of the scenario: each receives the texts that the previous ones produced. */
  readonly faults: readonly LiveFault[];
  readonly clock: Clock;
}

interface Subscription {
  readonly feed: Feed;
  /** Its frames carry their transaction and the one before. */
  readonly isNumbered: boolean;
  /** Transaction of the last frame, or of the state in the first one; the body of that frame, empty before the first. */
  sequence: number;
  body: string;
}

/** One client, from handshake to close. */
export class Connection {
  readonly #setup: ConnectionSetup;
  readonly #channels = new Map<string, Subscription>();
  /** When frames held back are sent, by channel; by "" where everything is. */
  readonly #dueMs = new Map<string, number>();
  /** By that time; those of one time in the order in which they were made. */
  readonly #held: { readonly text: string; readonly dueMs: number }[] = [];
  readonly #timers = new Set<() => void>();

  constructor(setup: ConnectionSetup) {
    const { webSocket, faults } = setup;
    this.#setup = setup;
    webSocket.on("message", (data, isBinary) => this.#obey(isBinary ? "" : String(data)));
    // An error is followed by a close.
    webSocket.on("error", () => {});
    webSocket.on("close", () => {
      for (const cancel of this.#timers) cancel();
    });
    for (const fault of faults) if (fault.effect.ends !== undefined) this.#awaitBegin(fault);
    const keepalive_timeout_ms = KEEPALIVE_TIMEOUT_MS;
    this.#respond({ type: "hello", protocol_version: PROTOCOL_VERSION, keepalive_timeout_ms });
  }

  /** Sends what a transaction has changed on the channels; a frame that would say the same as the one before it is not sent. */
  publish(index: number): void {
    for (const [channel, subscription] of this.#channels)
      if (subscription.feed.sequence() === index) this.#update(channel, subscription, index);
  }

  #update(channel: string, subscription: Subscription, index?: number): void {
    const { feed, isNumbered, body: before, sequence: previous } = subscription;
    const timestamp_ns = nsText(this.#setup.world.exchange.nowUs);
    const body = JSON.stringify(feed.body(index));
    if (body === undefined || body === before) return;
    const isFirst = before === "";
    const sequence = feed.sequence();
    subscription.body = body;
    subscription.sequence = sequence;
    const head = { type: "update", channel, timestamp_ns };
    const previous_sequence = isFirst ? null : String(previous);
    const numbers = isNumbered && { previous_sequence, sequence: String(sequence) };
    const text = JSON.stringify({ ...head, ...numbers });
    this.#pass({ text: `${text.slice(0, -1)},${body.slice(1)}`, channel, isFirst, isNumbered });
  }

  /** Sends a frame of the service through the faults. */
  #pass(frame: OutgoingFrame): void {
    const { faults, clock } = this.#setup;
    const { channel } = frame;
    for (const fault of faults) {
      const key = fault.effect.delays === "all" ? "" : channel;
      if (fault.holdsBack(frame)) this.#dueMs.set(key, clock.now() + fault.delayMs);
    }
    const texts = faults.reduce<readonly string[]>(
      (all, fault) => all.flatMap((text) => fault.replaced({ ...frame, text })),
      [frame.text],
    );
    // What comes while frames are held back waits behind them.
    const dueMs = Math.max(this.#dueMs.get("") ?? 0, this.#dueMs.get(channel) ?? 0);
    const nowMs = clock.now();
    if (dueMs <= nowMs) this.#release(nowMs);
    for (const text of texts) {
      if (dueMs > nowMs) this.#hold(text, dueMs, nowMs);
      else this.#send(text);
    }
  }

  #hold(text: string, dueMs: number, nowMs: number): void {
    this.#held.splice(this.#held.findLastIndex((other) => other.dueMs <= dueMs) + 1, 0, {
      text,
      dueMs,
    });
    this.#after(dueMs - nowMs, () => this.#release(dueMs));
  }

  /** Timers that are due together need not come in the order of their frames. */
  #release(untilMs: number): void {
    const first = this.#held.findIndex(({ dueMs }) => dueMs > untilMs);
    for (const { text } of this.#held.splice(0, first < 0 ? this.#held.length : first))
      this.#send(text);
  }

  /** To a client that reads too slowly nothing more is sent. */
  #send(text: string): void {
    const { webSocket } = this.#setup;
    if (webSocket.readyState !== webSocket.OPEN) return;
    webSocket.send(text);
    if (webSocket.bufferedAmount > MAX_BUFFERED_BYTES) webSocket.terminate();
  }

  #awaitBegin(fault: LiveFault): void {
    const { effect } = fault;
    const untilBeginMs = fault.untilBeginMs();
    if (!Number.isFinite(untilBeginMs)) return;
    this.#after(untilBeginMs, () => {
      this.#awaitBegin(fault);
      if (effect.ends === "connection") this.#setup.webSocket.terminate();
      else this.#end([...this.#channels.keys()].filter(fault.isMeant), effect.ends);
    });
  }

  #end(channels: readonly string[], ends: LiveFault["effect"]["ends"]): void {
    for (const channel of channels) {
      this.#channels.delete(channel);
      if (ends === "error") this.#refuse("streamUnavailable", "stream unavailable", channel);
      else this.#respond({ type: "unsubscribed", channel });
    }
  }

  #after(delayMs: number, callback: () => void): void {
    const cancel = this.#setup.clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }

  #refuse(code: keyof typeof ERROR_CODES, message: string, channel?: string): void {
    this.#respond({ type: "error", channel, code: ERROR_CODES[code], message });
  }

  /** With a timestamp, which only hello has not. */
  #respond(frame: { readonly type: string; readonly [name: string]: unknown }): void {
    const now = nsText(this.#setup.world.exchange.nowUs);
    const text = JSON.stringify({ ...frame, ...(frame.type !== "hello" && { timestamp_ns: now }) });
    this.#pass({ text, channel: "", isFirst: false, isNumbered: false });
  }

  #obey(text: string): void {
    const command = parseJson(text);
    const { type, channel, ...others } = isObject(command) ? command : {};
    const parts = typeof channel === "string" ? parseChannel(channel) : undefined;
    const isCommand = type === "subscribe" || type === "unsubscribe";
    if (typeof channel !== "string" || parts === undefined) {
      // Error frames may carry no other name.
      this.#refuse("invalid", "invalid command");
    } else if (!isCommand || Object.keys(others).length > 0) {
      this.#refuse("invalid", "invalid command", channel);
    } else if (type === "subscribe") {
      this.#subscribe(channel, parts);
    } else {
      // Unsubscribing without a subscription is no error: the client gets the state it asked for.
      this.#end([channel], "unsubscribed");
    }
  }

  #subscribe(channel: string, parts: ChannelParts): void {
    const { faults, world } = this.#setup;
    const isAway = faults.some(
      (fault) => fault.effect.isUnavailable && fault.isOn() && fault.isMeant(channel),
    );
    const feed = (FEEDS[parts.kind] as OpenFeed<Kind>)(world, parts);
    if (this.#channels.has(channel)) {
      this.#refuse("duplicateSubscription", "already subscribed", channel);
    } else if (isAway) {
      this.#refuse("streamUnavailable", "stream unavailable", channel);
    } else if (feed === undefined) {
      this.#refuse("unknownResource", "unknown market, account or subaccount", channel);
    } else {
      const { isNumbered } = CHANNELS[parts.kind];
      const subscription = { feed, isNumbered, sequence: feed.sequence(), body: "" };
      this.#channels.set(channel, subscription);
      this.#update(channel, subscription);
    }
  }
}

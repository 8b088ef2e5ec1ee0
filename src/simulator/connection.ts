// The server side of one client: hello, commands and responses; everything sent passes through the faults of the scenario.
import type { WebSocket } from "ws";
import type { Clock } from "../units/clock.ts";
import { kindOf } from "../wire/channels.ts";
import { isObject, parseJson } from "../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../wire/limits.ts";
import type { LiveFault } from "./faults.ts";
import type { OutgoingFrame, Publisher } from "./publisher.ts";

/** Unread bytes after which a client is dropped: over a second of the busiest market, which takes some times as much on the heap. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

interface ConnectionSetup {
  readonly webSocket: WebSocket;
  readonly publisher: Publisher;
  /** In the order of the scenario: each receives the texts that the previous ones produced. */
  readonly faults: readonly LiveFault[];
  readonly clock: Clock;
}

/** One client, from handshake to close. */
export class Connection {
  readonly #setup: ConnectionSetup;
  readonly #channels = new Set<string>();
  /** When frames held back are sent, by channel; by "" where everything is. */
  readonly #dueMs = new Map<string, number>();
  readonly #timers = new Set<() => void>();

  constructor(setup: ConnectionSetup) {
    const { webSocket, faults } = setup;
    this.#setup = setup;
    webSocket.on("message", (data, isBinary) => this.#obey(isBinary ? "" : String(data)));
    // An error is followed by a close, which is handled below.
    webSocket.on("error", () => {});
    webSocket.on("close", () => {
      for (const channel of this.#channels) this.#leave(channel);
      for (const cancel of this.#timers) cancel();
    });
    for (const fault of faults) if (fault.effect.ends !== undefined) this.#awaitBegin(fault);
    const keepalive_timeout_ms = KEEPALIVE_TIMEOUT_MS;
    this.#respond({ type: "hello", protocol_version: PROTOCOL_VERSION, keepalive_timeout_ms });
  }

  /** Sends a frame of the service through the faults. */
  receive(frame: OutgoingFrame): void {
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
    const waitMs = dueMs === 0 ? 0 : dueMs - clock.now();
    for (const text of texts) {
      if (waitMs > 0) this.#after(waitMs, () => this.#send(text));
      else this.#send(text);
    }
  }

  /** To a client that reads too slowly nothing more is sent. */
  #send(text: string): void {
    const { webSocket } = this.#setup;
    if (webSocket.readyState !== webSocket.OPEN) return;
    webSocket.send(text);
    if (webSocket.bufferedAmount > MAX_BUFFERED_BYTES) webSocket.terminate();
  }

  #awaitBegin(fault: LiveFault): void {
    const { untilBeginMs, effect } = fault;
    if (!Number.isFinite(untilBeginMs)) return;
    this.#after(untilBeginMs, () => {
      this.#awaitBegin(fault);
      if (effect.ends === "connection") this.#setup.webSocket.terminate();
      else
        for (const channel of this.#channels)
          if (fault.isMeant(channel)) this.#end(channel, effect);
    });
  }

  #end(channel: string, { ends }: LiveFault["effect"]): void {
    this.#leave(channel);
    if (ends === "error") this.#refuse("streamUnavailable", "stream unavailable", channel);
    else this.#respond({ type: "unsubscribed", channel });
  }

  #after(delayMs: number, callback: () => void): void {
    const cancel = this.#setup.clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }

  #refuse(code: keyof typeof ERROR_CODES, message: string, channel?: string): void {
    const name = channel && { channel };
    this.#respond({ type: "error", ...name, code: ERROR_CODES[code], message });
  }

  /** With a timestamp, which only hello has not. */
  #respond(frame: { readonly type: string; readonly [name: string]: unknown }): void {
    const { timestampNs: timestamp_ns } = this.#setup.publisher;
    const time = frame.type !== "hello" && { timestamp_ns };
    const text = JSON.stringify({ ...frame, ...time });
    this.receive({ text, channel: "", isFirst: false, isNumbered: false });
  }

  #obey(text: string): void {
    const command = parseJson(text);
    const { type, channel, ...others } = isObject(command) ? command : {};
    // Error frames may carry no other name.
    const name = typeof channel === "string" && kindOf(channel) !== undefined ? channel : undefined;
    const isCommand = type === "subscribe" || type === "unsubscribe";
    if (!isCommand || name === undefined || Object.keys(others).length > 0) {
      this.#refuse("invalid", "invalid command", name);
    } else if (type === "subscribe") {
      this.#subscribe(name);
    } else {
      // Unsubscribing without a subscription is no error: the client gets the state it asked for.
      this.#leave(name);
      this.#respond({ type: "unsubscribed", channel: name });
    }
  }

  #subscribe(channel: string): void {
    const { faults, publisher } = this.#setup;
    const isAway = faults.some(
      (fault) => fault.effect.isUnavailable && fault.isOn && fault.isMeant(channel),
    );
    if (this.#channels.has(channel)) {
      this.#refuse("duplicateSubscription", "already subscribed", channel);
    } else if (isAway) {
      this.#refuse("streamUnavailable", "stream unavailable", channel);
    } else if (publisher.subscribe(channel, this)) {
      this.#channels.add(channel);
    } else {
      this.#refuse("unknownResource", "unknown market, account or subaccount", channel);
    }
  }

  #leave(channel: string): void {
    this.#channels.delete(channel);
    this.#setup.publisher.unsubscribe(channel, this);
  }
}

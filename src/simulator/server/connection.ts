// The server side of one client: hello, commands and responses; everything sent passes through the faults of the scenario.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type Clock, every } from "../../units/clock.ts";
import { SECOND_MS } from "../../units/time.ts";
import { parseChannel } from "../../wire/channels.ts";
import { type Command, decodeCommand } from "../../wire/commands.ts";
import { parseJson } from "../../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../../wire/limits.ts";
import {
  activateFault,
  type FaultContext,
  type OutgoingFrame,
  type StreamFault,
} from "../faults/fault.ts";
import { FAULT_KINDS } from "../faults/fault-kinds.ts";
import type { Publisher } from "../feeds/publisher.ts";
import type { Scenario } from "../scenarios/scenario.ts";

/** Unread bytes after which a client is dropped: some seconds of the busiest market. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Time for a client to disconnect after a close frame. */
const CLOSE_GRACE_MS = 2000;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

interface ConnectionSetup {
  readonly webSocket: WebSocket;
  /** The TCP socket beneath it. */
  readonly socket: Socket;
  readonly publisher: Publisher;
  readonly scenario: Scenario;
  readonly faults: FaultContext;
  readonly timestampNs: () => string;
}

/** One client, from handshake to close. Most of its methods are effects of faults. */
export class Connection {
  readonly #setup: ConnectionSetup;
  readonly #wire: Wire;
  /** In the order of the scenario: each receives the frames that the previous ones produced. */
  readonly #faults: readonly StreamFault[];
  readonly #channels = new Set<string>();
  /** Cancel functions of timers: a late hello, the limit on silence, an unanswered close. */
  readonly #timers = new Map<"hello" | "silence" | "close", () => void>();
  #isLeaving = false;
  #sendsPongs = true;

  constructor(setup: ConnectionSetup) {
    const { webSocket, socket, scenario, faults } = setup;
    const { hello, hello_delay_ms } = scenario.interpretations;
    this.#setup = setup;
    this.#wire = new Wire(socket, faults.clock);
    this.#faults = scenario.faults.flatMap((settings) => {
      const { stream } = FAULT_KINDS[settings.kind];
      return stream?.(settings, activateFault(settings, faults), this) ?? [];
    });
    webSocket.on("message", (data, isBinary) => {
      this.#resetSilence();
      if (!this.#isLeaving && !this.#wire.isFrozen) this.#onMessage(isBinary ? "" : String(data));
    });
    webSocket.on("ping", (data) => {
      this.#resetSilence();
      const isAble = webSocket.readyState === webSocket.OPEN && !this.#wire.isFrozen;
      if (isAble && this.#sendsPongs) webSocket.pong(data);
    });
    webSocket.on("pong", () => this.#resetSilence());
    // An error is followed by a close, which is handled below.
    webSocket.on("error", () => {});
    webSocket.on("close", () => {
      this.#leaveAll();
      for (const fault of this.#faults) fault.stop?.();
      this.#wire.stop();
      for (const stop of this.#timers.values()) stop();
    });
    if (hello === "at-once") this.#greet();
    if (hello === "late") this.#after("hello", hello_delay_ms, () => this.#greet());
    this.#resetSilence();
  }

  /** Sends a frame of the service through the faults. */
  receive(frame: OutgoingFrame): void {
    let frames: readonly OutgoingFrame[] = [frame];
    for (const fault of this.#faults) {
      frames = frames.flatMap((each) => fault.frames?.(each) ?? [each]);
    }
    for (const each of frames) this.send(each);
  }

  /** Sends a frame past the faults. */
  send({ text }: OutgoingFrame): void {
    const { webSocket } = this.#setup;
    if (!this.#isOpen) return;
    webSocket.send(text);
    if (webSocket.bufferedAmount + this.#wire.queuedBytes > MAX_BUFFERED_BYTES) {
      this.close(TRY_AGAIN_LATER, "the client reads too slowly");
    }
  }

  /** Sends a message that is not a frame of the service: text, a binary message, or invalid UTF-8. */
  insert(message: string | Buffer, form: "text" | "binary"): void {
    if (this.#isOpen) this.#setup.webSocket.send(message, { binary: form === "binary" });
  }

  /** Switches responses to pings on or off. */
  setPongs(isOn: boolean): void {
    this.#sendsPongs = isOn;
  }

  /** Sends and receives nothing any more, but keeps the connection open. */
  freeze(): void {
    this.#wire.freeze();
  }

  /** Limits the rate of outgoing bytes; undefined removes the limit. */
  limitBytesPerSecond(limit: number | undefined): void {
    this.#wire.limit(limit);
  }

  /** Sends only a part of the next frame, then cuts the connection. */
  cutNextWrite(): void {
    this.#wire.cutNext(() => this.terminate());
  }

  /** Closes with a close frame. */
  close(code: number, reason: string): void {
    if (this.#isLeaving) return;
    this.#leaveAll();
    this.#setup.webSocket.close(code, reason);
    this.#after("close", CLOSE_GRACE_MS, () => this.terminate());
  }

  terminate(): void {
    this.#leaveAll();
    this.#setup.webSocket.terminate();
  }

  /** Ends the subscriptions of matching channels, with an error frame each. */
  revoke(matches: (channel: string) => boolean, code: number, message: string): void {
    for (const channel of [...this.#channels].filter(matches)) {
      this.#leave(channel);
      this.refuse(code, message, channel);
    }
  }

  refuse(code: number, message: string, channel?: string): void {
    const timestamp_ns = this.#setup.timestampNs();
    this.#respond({ type: "error", ...(channel && { channel }), code, message, timestamp_ns });
  }

  get #isOpen(): boolean {
    const { webSocket } = this.#setup;
    return !this.#isLeaving && webSocket.readyState === webSocket.OPEN;
  }

  #after(name: "hello" | "silence" | "close", delayMs: number, act: () => void): void {
    this.#timers.get(name)?.();
    this.#timers.set(name, this.#setup.faults.clock.after(delayMs, act));
  }

  #resetSilence(): void {
    if (this.#setup.scenario.interpretations.silence === "ignore") return;
    this.#after("silence", KEEPALIVE_TIMEOUT_MS, () =>
      this.close(POLICY_VIOLATION, "nothing came for too long"),
    );
  }

  #greet(): void {
    this.#respond({
      type: "hello",
      protocol_version: PROTOCOL_VERSION,
      keepalive_timeout_ms: KEEPALIVE_TIMEOUT_MS,
    });
  }

  #respond(frame: {
    readonly type: OutgoingFrame["type"];
    readonly [field: string]: unknown;
  }): void {
    const text = JSON.stringify(frame);
    this.receive({
      type: frame.type,
      text,
      channel: undefined,
      isSequenced: false,
      isFirst: false,
      isMissable: false,
    });
  }

  #onMessage(text: string): void {
    const decoded = decodeCommand(text);
    if (decoded.ok) this.#execute(decoded.command);
    else {
      const message = `invalid command: ${decoded.rejection.detail}`;
      this.refuse(ERROR_CODES.invalid, message, channelIn(text));
    }
  }

  #execute({ type, channel }: Command): void {
    if (type === "subscribe") {
      this.#subscribe(channel);
      return;
    }
    // Unsubscribing without a subscription is no error: the client gets the state it asked for.
    this.#leave(channel);
    this.#respond({ type: "unsubscribed", channel, timestamp_ns: this.#setup.timestampNs() });
  }

  #subscribe(channel: string): void {
    const { duplicateSubscription, unknownResource } = ERROR_CODES;
    if (this.#channels.has(channel)) {
      this.refuse(duplicateSubscription, "already subscribed", channel);
      return;
    }
    for (const fault of this.#faults) {
      const refusal = fault.refusal?.(channel);
      if (refusal === undefined) continue;
      this.refuse(refusal.code, refusal.message, channel);
      return;
    }
    this.#channels.add(channel);
    if (this.#setup.publisher.subscribe(channel, this)) {
      for (const fault of this.#faults) fault.subscribed?.(channel);
      return;
    }
    this.#channels.delete(channel);
    this.refuse(unknownResource, "unknown market, account or subaccount", channel);
  }

  #leave(channel: string): void {
    this.#channels.delete(channel);
    this.#setup.publisher.unsubscribe(channel, this);
  }

  #leaveAll(): void {
    this.#isLeaving = true;
    for (const channel of [...this.#channels]) this.#leave(channel);
  }
}

/** The channel of an invalid command, if its name is valid: error frames may carry no other. */
function channelIn(text: string): string | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || !("channel" in value)) return undefined;
  const { channel } = value;
  return typeof channel === "string" && parseChannel(channel) !== undefined ? channel : undefined;
}

// The socket beneath a WebSocket, for faults below the level of frames: bytes that do not leave, leave slowly, or leave only in
// part. It does not interfere until a fault uses it.

/** Interval at which rate-limited bytes are released. */
const DRIP_PERIOD_MS = 10;
/** Frame headers are at most this long (RFC 6455, 5.2, unmasked): longer writes are payload. */
const MAX_HEAD_BYTES = 10;

class Wire {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #write: (bytes: Uint8Array) => void;
  #queue: Buffer[] = [];
  queuedBytes = 0;
  /** Bytes that may be sent now, including a fraction. */
  #allowance = 0;
  #stopDrip: (() => void) | undefined;
  isFrozen = false;

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    const write = socket.write.bind(socket);
    this.#write = (bytes) => write(bytes);
  }

  freeze(): void {
    this.isFrozen = true;
    this.#stopDrip?.();
    this.#queue = [];
    this.#divert(() => {});
  }

  /** Limits the rate of outgoing bytes; undefined: sends waiting bytes now and removes the limit. */
  limit(bytesPerSecond: number | undefined): void {
    if (this.isFrozen) return;
    this.#stopDrip?.();
    this.#stopDrip = undefined;
    if (bytesPerSecond === undefined) {
      this.#release(this.queuedBytes);
      this.#divert(this.#write);
      return;
    }
    const increment = (bytesPerSecond * DRIP_PERIOD_MS) / SECOND_MS;
    this.#divert((bytes) => {
      this.#queue.push(Buffer.from(bytes));
      this.queuedBytes += bytes.length;
    });
    this.#stopDrip = every(this.#clock, DRIP_PERIOD_MS, () => {
      this.#allowance = Math.min(this.#allowance + increment, Math.max(increment, 1));
      const count = Math.floor(this.#allowance);
      this.#allowance -= count;
      this.#release(count);
    });
  }

  /** Sends a part of the next frame, then calls `onCut`. */
  cutNext(onCut: () => void): void {
    this.#divert((bytes) => {
      if (bytes.length <= MAX_HEAD_BYTES) {
        this.#write(bytes);
        return;
      }
      this.#write(bytes.subarray(0, bytes.length >> 1));
      this.#divert(() => {});
      this.#clock.soon(onCut);
    });
  }

  stop(): void {
    this.#stopDrip?.();
  }

  #release(count: number): void {
    let left = count;
    while (left > 0) {
      const first = this.#queue[0];
      if (first === undefined) return;
      const part = first.subarray(0, left);
      this.#write(part);
      left -= part.length;
      this.queuedBytes -= part.length;
      if (part.length === first.length) this.#queue.shift();
      else this.#queue[0] = first.subarray(part.length);
    }
  }

  #divert(onBytes: (bytes: Uint8Array) => void): void {
    const write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
      onBytes(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      const done = rest.find((each) => typeof each === "function");
      if (done !== undefined) queueMicrotask(done as () => void);
      return true;
    };
    this.#socket.write = write as Socket["write"];
  }
}

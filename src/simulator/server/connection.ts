// The service's side of one client: hello, commands and their answers, and everything that is sent on its way through the
// faults of the scenario.
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

/** What a client may leave unread before it is dropped: some seconds of the busiest market. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** A client that was sent a close frame has this long to go by itself. */
const CLOSE_GRACE_MS = 2000;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

interface ConnectionSetup {
  readonly webSocket: WebSocket;
  /** The socket beneath it. */
  readonly socket: Socket;
  readonly publisher: Publisher;
  readonly scenario: Scenario;
  readonly faults: FaultContext;
  readonly timestampNs: () => string;
}

/** One client, from its handshake to its end. Most of its methods are what a fault may do to it. */
export class Connection {
  readonly #setup: ConnectionSetup;
  readonly #wire: Wire;
  /** In the order of the scenario: each sees what those before it have left of a frame. */
  readonly #faults: readonly StreamFault[];
  readonly #channels = new Set<string>();
  /** Undo timers: of a late hello, of the limit on silence, of a close that is not answered. */
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
      this.#noteLife();
      if (!this.#isLeaving && !this.#wire.isFrozen) this.#onMessage(isBinary ? "" : String(data));
    });
    webSocket.on("ping", (data) => {
      this.#noteLife();
      const isAble = webSocket.readyState === webSocket.OPEN && !this.#wire.isFrozen;
      if (isAble && this.#sendsPongs) webSocket.pong(data);
    });
    webSocket.on("pong", () => this.#noteLife());
    // An error is followed by a close, which is all that matters here.
    webSocket.on("error", () => {});
    webSocket.on("close", () => {
      this.#leaveAll();
      for (const fault of this.#faults) fault.stop?.();
      this.#wire.stop();
      for (const stop of this.#timers.values()) stop();
    });
    if (hello === "at-once") this.#greet();
    if (hello === "late") this.#after("hello", hello_delay_ms, () => this.#greet());
    this.#noteLife();
  }

  /** What the service sends, on its way through the faults. */
  receive(frame: OutgoingFrame): void {
    let frames: readonly OutgoingFrame[] = [frame];
    for (const fault of this.#faults) {
      frames = frames.flatMap((each) => fault.frames?.(each) ?? [each]);
    }
    for (const each of frames) this.send(each);
  }

  /** Sends a frame that no fault sees any more. */
  send({ text }: OutgoingFrame): void {
    const { webSocket } = this.#setup;
    if (!this.#isOpen) return;
    webSocket.send(text);
    if (webSocket.bufferedAmount + this.#wire.queuedBytes > MAX_BUFFERED_BYTES) {
      this.close(TRY_AGAIN_LATER, "the client reads too slowly");
    }
  }

  /** Sends a message that is no frame of the service: text, a binary message, or text that is no UTF-8. */
  insert(message: string | Buffer, form: "text" | "binary"): void {
    if (this.#isOpen) this.#setup.webSocket.send(message, { binary: form === "binary" });
  }

  /** Answers no ping from now on, or again. */
  setPongs(isOn: boolean): void {
    this.#sendsPongs = isOn;
  }

  /** Nothing more leaves the socket and nothing is received, but the connection stays. */
  freeze(): void {
    this.#wire.freeze();
  }

  /** Lets bytes leave only this fast; undefined: as fast as they can. */
  limitBytesPerSecond(limit: number | undefined): void {
    this.#wire.limit(limit);
  }

  /** Lets the next bytes leave only in part, then cuts the connection. */
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

  /** Ends the subscriptions of matching channels with an error frame each. */
  revoke(matches: (channel: string) => boolean, code: number, message: string): void {
    for (const channel of [...this.#channels].filter(matches)) {
      this.#leave(channel);
      this.refuse(code, message, channel);
    }
  }

  refuse(code: number, message: string, channel?: string): void {
    const timestamp_ns = this.#setup.timestampNs();
    this.#answer({ type: "error", ...(channel && { channel }), code, message, timestamp_ns });
  }

  get #isOpen(): boolean {
    const { webSocket } = this.#setup;
    return !this.#isLeaving && webSocket.readyState === webSocket.OPEN;
  }

  #after(name: "hello" | "silence" | "close", delayMs: number, act: () => void): void {
    this.#timers.get(name)?.();
    this.#timers.set(name, this.#setup.faults.clock.after(delayMs, act));
  }

  #noteLife(): void {
    if (this.#setup.scenario.interpretations.silence === "ignore") return;
    this.#after("silence", KEEPALIVE_TIMEOUT_MS, () =>
      this.close(POLICY_VIOLATION, "nothing came for too long"),
    );
  }

  #greet(): void {
    this.#answer({
      type: "hello",
      protocol_version: PROTOCOL_VERSION,
      keepalive_timeout_ms: KEEPALIVE_TIMEOUT_MS,
    });
  }

  #answer(frame: {
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
    // To end what never was is no error: it is as the client asked for.
    this.#leave(channel);
    this.#answer({ type: "unsubscribed", channel, timestamp_ns: this.#setup.timestampNs() });
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

/** The channel that an invalid command names, when it is a channel name: an error frame may carry no other. */
function channelIn(text: string): string | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || !("channel" in value)) return undefined;
  const { channel } = value;
  return typeof channel === "string" && parseChannel(channel) !== undefined ? channel : undefined;
}

// What lies beneath a WebSocket, for faults that the frames know nothing of: bytes that do not leave, leave
// slowly, or only in part. Until a fault takes hold of it, it is not in the way.

/** Bytes that drip are released this often. */
const DRIP_PERIOD_MS = 10;
/** A frame's own head is shorter than this: what is longer is what it carries. */
const MAX_HEAD_BYTES = 10;

class Wire {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #pass: (bytes: Uint8Array) => void;
  #queue: Buffer[] = [];
  queuedBytes = 0;
  /** Bytes that may leave, fractions of one included. */
  #allowance = 0;
  #stopDrip: (() => void) | undefined;
  isFrozen = false;

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    const write = socket.write.bind(socket);
    this.#pass = (bytes) => write(bytes);
  }

  freeze(): void {
    this.isFrozen = true;
    this.#stopDrip?.();
    this.#queue = [];
    this.#divert(() => {});
  }

  /** Bytes leave only this fast; undefined: those that wait leave now, and all others at once. */
  limit(bytesPerSecond: number | undefined): void {
    if (this.isFrozen) return;
    this.#stopDrip?.();
    this.#stopDrip = undefined;
    if (bytesPerSecond === undefined) {
      this.#release(this.queuedBytes);
      this.#divert(this.#pass);
      return;
    }
    const share = (bytesPerSecond * DRIP_PERIOD_MS) / SECOND_MS;
    this.#divert((bytes) => {
      this.#queue.push(Buffer.from(bytes));
      this.queuedBytes += bytes.length;
    });
    this.#stopDrip = every(this.#clock, DRIP_PERIOD_MS, () => {
      this.#allowance = Math.min(this.#allowance + share, Math.max(share, 1));
      const whole = Math.floor(this.#allowance);
      this.#allowance -= whole;
      this.#release(whole);
    });
  }

  /** The next frame leaves in part; then `onCut` is called. */
  cutNext(onCut: () => void): void {
    this.#divert((bytes) => {
      if (bytes.length <= MAX_HEAD_BYTES) {
        this.#pass(bytes);
        return;
      }
      this.#pass(bytes.subarray(0, bytes.length >> 1));
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
      this.#pass(part);
      left -= part.length;
      this.queuedBytes -= part.length;
      if (part.length === first.length) this.#queue.shift();
      else this.#queue[0] = first.subarray(part.length);
    }
  }

  #divert(take: (bytes: Uint8Array) => void): void {
    const write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
      take(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      const done = rest.find((each) => typeof each === "function");
      if (done !== undefined) queueMicrotask(done as () => void);
      return true;
    };
    this.#socket.write = write as Socket["write"];
  }
}

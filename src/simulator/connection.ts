// The server side of one client: hello, commands and responses; everything sent passes through the faults of the scenario.
import type { WebSocket } from "ws";
import { kindOf } from "../wire/channels.ts";
import { isObject, parseJson } from "../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../wire/limits.ts";
import { type FaultContext, type OutgoingFrame, StreamFault } from "./faults.ts";
import type { Publisher } from "./publisher.ts";
import type { Fault } from "./scenario.ts";

/** Unread bytes after which a client is dropped: over a second of the busiest market, which takes some times as much on the heap. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** Time for a client to disconnect after a close frame. */
const CLOSE_GRACE_MS = 2000;
const TRY_AGAIN_LATER = 1013;

interface ConnectionSetup {
  readonly webSocket: WebSocket;
  readonly publisher: Publisher;
  readonly faults: readonly Fault[];
  readonly context: FaultContext;
  readonly timestampNs: () => string;
}

/** One client, from handshake to close. */
export class Connection {
  readonly #setup: ConnectionSetup;
  /** In the order of the scenario: each receives the frames that the previous ones produced. */
  readonly #faults: readonly StreamFault[];
  readonly #channels = new Set<string>();
  #isLeaving = false;
  #stopClosing = () => {};

  constructor(setup: ConnectionSetup) {
    const { webSocket, faults, context } = setup;
    this.#setup = setup;
    this.#faults = faults.map((fault) => new StreamFault(fault, context, this));
    webSocket.on("message", (data, isBinary) => {
      if (!this.#isLeaving) this.#obey(isBinary ? "" : String(data));
    });
    // An error is followed by a close, which is handled below.
    webSocket.on("error", () => {});
    webSocket.on("close", () => {
      this.#leaveAll();
      for (const fault of this.#faults) fault.stop();
      this.#stopClosing();
    });
    this.#respond({
      type: "hello",
      protocol_version: PROTOCOL_VERSION,
      keepalive_timeout_ms: KEEPALIVE_TIMEOUT_MS,
    });
  }

  /** Sends a frame of the service through the faults. */
  receive(frame: OutgoingFrame): void {
    let frames: readonly OutgoingFrame[] = [frame];
    for (const fault of this.#faults) frames = frames.flatMap((each) => fault.frames(each));
    for (const { text } of frames) this.send(text);
  }

  /** Sends text past the faults. */
  send(text: string): void {
    const { webSocket, context } = this.#setup;
    if (this.#isLeaving || webSocket.readyState !== webSocket.OPEN) return;
    webSocket.send(text);
    if (webSocket.bufferedAmount <= MAX_BUFFERED_BYTES) return;
    this.#leaveAll();
    webSocket.close(TRY_AGAIN_LATER, "the client reads too slowly");
    this.#stopClosing = context.clock.after(CLOSE_GRACE_MS, () => webSocket.terminate());
  }

  terminate(): void {
    this.#leaveAll();
    this.#setup.webSocket.terminate();
  }

  /** Ends the subscriptions of matching channels, each with a frame: an error or `unsubscribed`. */
  revoke(matches: (channel: string) => boolean, isError: boolean): void {
    for (const channel of [...this.#channels].filter(matches)) {
      this.#leave(channel);
      if (isError) this.#refuse(ERROR_CODES.streamUnavailable, "stream unavailable", channel);
      else this.#confirmEnd(channel);
    }
  }

  #refuse(code: number, message: string, channel?: string): void {
    const timestamp_ns = this.#setup.timestampNs();
    this.#respond({ type: "error", ...(channel && { channel }), code, message, timestamp_ns });
  }

  #confirmEnd(channel: string): void {
    this.#respond({ type: "unsubscribed", channel, timestamp_ns: this.#setup.timestampNs() });
  }

  #respond(frame: object): void {
    const text = JSON.stringify(frame);
    this.receive({ text, channel: undefined, isFirst: false, isNumbered: false });
  }

  #obey(text: string): void {
    const command = parseJson(text);
    const { type, channel, ...others } = isObject(command) ? command : {};
    // Error frames may carry no other name.
    const name = typeof channel === "string" && kindOf(channel) !== undefined ? channel : undefined;
    const isCommand = type === "subscribe" || type === "unsubscribe";
    if (!isCommand || name === undefined || Object.keys(others).length > 0) {
      this.#refuse(ERROR_CODES.invalid, "invalid command", name);
    } else if (type === "subscribe") {
      this.#subscribe(name);
    } else {
      // Unsubscribing without a subscription is no error: the client gets the state it asked for.
      this.#leave(name);
      this.#confirmEnd(name);
    }
  }

  #subscribe(channel: string): void {
    const { duplicateSubscription, unknownResource, streamUnavailable } = ERROR_CODES;
    if (this.#channels.has(channel)) {
      this.#refuse(duplicateSubscription, "already subscribed", channel);
    } else if (this.#faults.some((fault) => fault.refuses(channel))) {
      this.#refuse(streamUnavailable, "stream unavailable", channel);
    } else if (this.#setup.publisher.subscribe(channel, this)) {
      this.#channels.add(channel);
    } else {
      this.#refuse(unknownResource, "unknown market, account or subaccount", channel);
    }
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

// The service's side of one client: hello, commands and their answers, and everything that is sent on
// its way through the fault stage.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type Clock, every } from "../../units/clock.ts";
import { SECOND_MS } from "../../units/time.ts";
import { parseChannel } from "../../wire/channels.ts";
import { type Command, decodeCommand } from "../../wire/commands.ts";
import { parseJson } from "../../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../../wire/limits.ts";
import type { FaultTarget, OutgoingFrame } from "../faults/fault.ts";
import { createFaultStage, type StageContext } from "../faults/fault-stage.ts";
import type { Publisher, Subscriber } from "../feeds/publisher.ts";
import type { Scenario } from "../scenarios/scenario.ts";

/** What a client may leave unread before it is dropped: some seconds of the busiest market. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** A client that was sent a close frame has this long to go by itself. */
const CLOSE_GRACE_MS = 2000;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

export interface ConnectionSetup {
  readonly webSocket: WebSocket;
  /** The socket beneath it, which is corked while many frames are sent in one turn. */
  readonly socket: Socket;
  readonly publisher: Publisher;
  readonly scenario: Scenario;
  readonly faults: StageContext;
  readonly onClose: () => void;
  readonly timestampNs: () => string;
}

/** One client, from its handshake to its end. */
export interface Connection {
  /** Holds frames back until uncork, so that a turn's frames leave in few packets. */
  cork(): void;
  uncork(): void;
}

export function openConnection(setup: ConnectionSetup): Connection {
  const { webSocket, socket, publisher, scenario, faults, timestampNs } = setup;
  const { interpretations } = scenario;
  const { clock } = faults;
  const wire = new Wire(socket, clock);
  const channels = new Set<string>();
  let isLeaving = false;
  let sendsPongs = true;
  /** End the timers of a late hello, of the watch over silence, and of a goodbye. */
  let stopHello = () => {};
  let stopWatch = () => {};
  let stopGrace = () => {};
  const isOpen = () => !isLeaving && webSocket.readyState === webSocket.OPEN;

  const target: FaultTarget = {
    send({ text }) {
      if (!isOpen()) return;
      webSocket.send(text);
      if (webSocket.bufferedAmount + wire.queuedBytes > MAX_BUFFERED_BYTES) {
        target.close(TRY_AGAIN_LATER, "the client reads too slowly");
      }
    },
    insert(message, form) {
      if (isOpen()) webSocket.send(message, { binary: form === "binary" });
    },
    setPongs(isOn) {
      sendsPongs = isOn;
    },
    freeze: () => wire.freeze(),
    limitBytesPerSecond: (limit) => wire.limit(limit),
    cutNextWrite: () => wire.cutNext(target.terminate),
    close(code, reason) {
      if (isLeaving) return;
      leaveAll();
      webSocket.close(code, reason);
      stopGrace = clock.after(CLOSE_GRACE_MS, target.terminate);
    },
    terminate() {
      leaveAll();
      webSocket.terminate();
    },
    revoke(matches, code, message) {
      for (const channel of [...channels].filter(matches)) {
        leave(channel);
        target.refuse(code, message, channel);
      }
    },
    refuse(code, message, channel) {
      const timestamp_ns = timestampNs();
      answer({ type: "error", ...(channel && { channel }), code, message, timestamp_ns });
    },
  };
  const stage = createFaultStage(scenario.faults, faults, target);
  const subscriber: Subscriber = {
    receive(frame) {
      for (const each of stage.frames(frame)) target.send(each);
    },
  };
  const answer = <F extends { readonly type: OutgoingFrame["type"] }>(frame: F) => {
    const text = JSON.stringify(frame);
    const facts = { channel: undefined, isSequenced: false, isFirst: false };
    subscriber.receive({ type: frame.type, text, ...facts });
  };

  const leave = (channel: string) => {
    channels.delete(channel);
    publisher.unsubscribe(channel, subscriber);
  };
  const leaveAll = () => {
    isLeaving = true;
    for (const channel of [...channels]) leave(channel);
  };
  const subscribe = (channel: string) => {
    const { duplicateSubscription, unknownResource } = ERROR_CODES;
    if (channels.has(channel)) {
      target.refuse(duplicateSubscription, "already subscribed", channel);
      return;
    }
    const refusal = stage.refusal(channel);
    if (refusal !== undefined) {
      target.refuse(refusal.code, refusal.message, channel);
      return;
    }
    channels.add(channel);
    if (publisher.subscribe(channel, subscriber)) {
      stage.subscribed(channel);
      return;
    }
    channels.delete(channel);
    target.refuse(unknownResource, "unknown market, account or subaccount", channel);
  };
  const obey = ({ type, channel }: Command) => {
    if (type === "subscribe") {
      subscribe(channel);
      return;
    }
    // To end what never was is no error: it is as the client asked for.
    leave(channel);
    const timestamp_ns = timestampNs();
    answer({ type: "unsubscribed", channel, timestamp_ns });
  };
  /** The client has sent something. */
  const noteLife = () => {
    if (interpretations.silence === "ignore") return;
    stopWatch();
    stopWatch = clock.after(KEEPALIVE_TIMEOUT_MS, () =>
      target.close(POLICY_VIOLATION, "nothing came for too long"),
    );
  };
  const greet = () =>
    answer({
      type: "hello",
      protocol_version: PROTOCOL_VERSION,
      keepalive_timeout_ms: KEEPALIVE_TIMEOUT_MS,
    });

  webSocket.on("message", (data, isBinary) => {
    noteLife();
    if (isLeaving || wire.isFrozen) return;
    const text = isBinary ? "" : String(data);
    const decoded = decodeCommand(text);
    if (decoded.ok) obey(decoded.command);
    else {
      const message = `invalid command: ${decoded.rejection.detail}`;
      target.refuse(ERROR_CODES.invalid, message, channelIn(text));
    }
  });
  webSocket.on("ping", (data) => {
    noteLife();
    const isAble = webSocket.readyState === webSocket.OPEN && !wire.isFrozen;
    if (isAble && sendsPongs) webSocket.pong(data);
  });
  webSocket.on("pong", noteLife);
  // An error is followed by a close, which is all that matters here.
  webSocket.on("error", () => {});
  webSocket.on("close", () => {
    leaveAll();
    stage.stop();
    wire.stop();
    stopHello();
    stopWatch();
    stopGrace();
    setup.onClose();
  });
  if (interpretations.hello === "at-once") greet();
  if (interpretations.hello === "late")
    stopHello = clock.after(interpretations.hello_delay_ms, greet);
  noteLife();
  return { cork: () => socket.cork(), uncork: () => socket.uncork() };
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

/** The bytes of one socket on their way out. */
class Wire {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #pass: (bytes: Uint8Array) => void;
  #queue: Buffer[] = [];
  /** Bytes that wait to drip. */
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

  /** No byte leaves any more. */
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

// The service's side of one client: hello, commands and their answers, and everything that is sent on
// its way through the fault stage.
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import { parseChannel } from "../../wire/channels.ts";
import { type Command, decodeCommand } from "../../wire/commands.ts";
import { parseJson } from "../../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../../wire/limits.ts";
import type { FaultTarget, OutgoingFrame } from "../faults/fault.ts";
import { createFaultStage, type StageContext } from "../faults/fault-stage.ts";
import type { Publisher, Subscriber } from "../feeds/publisher.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { Wire } from "./socket.ts";

/** What a client may leave unread before it is dropped: some seconds of the busiest market. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** A client that was sent a close frame has this long to go by itself. */
const CLOSE_GRACE_MS = 2000;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

/** What a connection needs of the server. */
export interface ConnectionSetup {
  readonly webSocket: WebSocket;
  /** The socket beneath it, which is corked while many frames are sent in one turn. */
  readonly socket: Socket;
  readonly publisher: Publisher;
  readonly scenario: Scenario;
  readonly faults: StageContext;
  /** Called once, when the connection is gone. */
  readonly onClose: () => void;
  /** Unix nanoseconds of the simulated clock, digit text. */
  readonly timestampNs: () => string;
}

/** One client, from its handshake to its end. */
export class Connection implements Subscriber, FaultTarget {
  readonly #setup: ConnectionSetup;
  readonly #wire: Wire;
  readonly #stage: ReturnType<typeof createFaultStage>;
  readonly #channels = new Set<string>();
  #isLeaving = false;
  #sendsPongs = true;
  /** End the timers of a late hello, of the watch over silence, and of a goodbye. */
  #stopHello = () => {};
  #stopWatch = () => {};
  #stopGrace = () => {};

  constructor(setup: ConnectionSetup) {
    this.#setup = setup;
    this.#wire = new Wire(setup.socket, setup.faults.clock);
    this.#stage = createFaultStage(setup.scenario.faults, setup.faults, this);
    const { webSocket } = setup;
    webSocket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    webSocket.on("ping", (data) => this.#pong(data));
    webSocket.on("pong", () => this.#noteLife());
    // An error is followed by a close, which is all that matters here.
    webSocket.on("error", () => {});
    webSocket.on("close", () => this.#stop());
    this.#greet();
    this.#noteLife();
  }

  /** Holds frames back until uncork, so that a turn's frames leave in few packets. */
  cork(): void {
    this.#setup.socket.cork();
  }

  uncork(): void {
    this.#setup.socket.uncork();
  }

  receive(frame: OutgoingFrame): void {
    for (const each of this.#stage.frames(frame)) this.send(each);
  }

  send({ text }: OutgoingFrame): void {
    const { webSocket } = this.#setup;
    if (this.#isLeaving || webSocket.readyState !== webSocket.OPEN) return;
    webSocket.send(text);
    if (webSocket.bufferedAmount + this.#wire.queuedBytes > MAX_BUFFERED_BYTES) {
      this.close(TRY_AGAIN_LATER, "the client reads too slowly");
    }
  }

  insert(message: string | Buffer, form: "text" | "binary"): void {
    const { webSocket } = this.#setup;
    if (this.#isLeaving || webSocket.readyState !== webSocket.OPEN) return;
    webSocket.send(message, { binary: form === "binary" });
  }

  setPongs(isOn: boolean): void {
    this.#sendsPongs = isOn;
  }

  freeze(): void {
    this.#wire.freeze();
  }

  limitBytesPerSecond(limit: number | undefined): void {
    this.#wire.limit(limit);
  }

  cutNextWrite(): void {
    this.#wire.cutNext(() => this.terminate());
  }

  close(code: number, reason: string): void {
    if (this.#isLeaving) return;
    this.#leaveAll();
    this.#setup.webSocket.close(code, reason);
    this.#stopGrace = this.#setup.faults.clock.after(CLOSE_GRACE_MS, () => this.terminate());
  }

  terminate(): void {
    this.#leaveAll();
    this.#setup.webSocket.terminate();
  }

  revoke(matches: (channel: string) => boolean, code: number, message: string): void {
    for (const channel of [...this.#channels].filter(matches)) {
      this.#leave(channel);
      this.refuse(code, message, channel);
    }
  }

  refuse(code: number, message: string, channel?: string): void {
    this.#answer({
      type: "error",
      ...(channel === undefined ? {} : { channel }),
      code,
      message,
      timestamp_ns: this.#setup.timestampNs(),
    });
  }

  #pong(data: Buffer): void {
    this.#noteLife();
    const { webSocket } = this.#setup;
    const isAble = webSocket.readyState === webSocket.OPEN && !this.#wire.isFrozen;
    if (isAble && this.#sendsPongs) webSocket.pong(data);
  }

  #greet(): void {
    const { hello, hello_delay_ms } = this.#setup.scenario.readings;
    const send = () =>
      this.#answer({
        type: "hello",
        protocol_version: PROTOCOL_VERSION,
        keepalive_timeout_ms: KEEPALIVE_TIMEOUT_MS,
      });
    if (hello === "at-once") send();
    if (hello === "late") this.#stopHello = this.#setup.faults.clock.after(hello_delay_ms, send);
  }

  /** The client has sent something. */
  #noteLife(): void {
    const { scenario, faults } = this.#setup;
    if (scenario.readings.silence === "ignore") return;
    this.#stopWatch();
    this.#stopWatch = faults.clock.after(KEEPALIVE_TIMEOUT_MS, () =>
      this.close(POLICY_VIOLATION, "nothing was heard for too long"),
    );
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#noteLife();
    if (this.#isLeaving || this.#wire.isFrozen) return;
    const text = isBinary ? "" : String(data);
    const decoded = decodeCommand(text);
    if (decoded.ok) {
      this.#obey(decoded.command);
    } else {
      const message = `invalid command: ${decoded.rejection.detail}`;
      this.refuse(ERROR_CODES.invalid, message, channelIn(text));
    }
  }

  #obey({ type, channel }: Command): void {
    if (type === "subscribe") {
      this.#subscribe(channel);
      return;
    }
    // To end what never was is no error: it is as the client asked for.
    this.#leave(channel);
    const timestamp_ns = this.#setup.timestampNs();
    this.#answer({ type: "unsubscribed", channel, timestamp_ns });
  }

  #subscribe(channel: string): void {
    if (this.#channels.has(channel)) {
      this.refuse(ERROR_CODES.duplicateSubscription, "already subscribed", channel);
      return;
    }
    const refusal = this.#stage.refusal(channel);
    if (refusal !== undefined) {
      this.refuse(refusal.code, refusal.message, channel);
      return;
    }
    this.#channels.add(channel);
    if (this.#setup.publisher.subscribe(channel, this)) {
      this.#stage.subscribed(channel);
      return;
    }
    this.#channels.delete(channel);
    this.refuse(ERROR_CODES.unknownResource, "unknown market, account or subaccount", channel);
  }

  #leave(channel: string): void {
    this.#channels.delete(channel);
    this.#setup.publisher.unsubscribe(channel, this);
  }

  #leaveAll(): void {
    this.#isLeaving = true;
    for (const channel of [...this.#channels]) this.#leave(channel);
  }

  /** The connection is gone. */
  #stop(): void {
    this.#leaveAll();
    this.#stage.stop();
    this.#wire.stop();
    this.#stopHello();
    this.#stopWatch();
    this.#stopGrace();
    this.#setup.onClose();
  }

  #answer<F extends { readonly type: OutgoingFrame["type"] }>(frame: F): void {
    const text = JSON.stringify(frame);
    this.receive({
      type: frame.type,
      text,
      channel: undefined,
      isSequenced: false,
      isFirst: false,
    });
  }
}

/** The channel that an invalid command names, when it is a channel name: an error frame may carry no other. */
function channelIn(text: string): string | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || !("channel" in value)) return undefined;
  const { channel } = value;
  return typeof channel === "string" && parseChannel(channel) !== undefined ? channel : undefined;
}

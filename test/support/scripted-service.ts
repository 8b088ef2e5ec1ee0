// The one service that tests script: it keeps the chain of each channel, subscriptions by connection and the order of frames,
// and does in every other point what a test says. Its clients are sockets in memory, on a virtual clock or at once, or
// real ones.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { WebSocketServer } from "ws";
import type { LinkFault } from "../../src/stream/link.ts";
import type { OpenSocket, SocketHandlers } from "../../src/stream/socket.ts";
import { listen } from "./listen.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A value, or the text of a frame. */
export type Frame = object | string;
/** What a frame holds, without type, channel, time and chain. */
export type Payload = Record<string, unknown>;

export interface Command {
  readonly type: string;
  readonly channel: string;
}

export interface Script {
  /** First frames by channel; a channel that is not there answers 404. Without it a test accepts and answers by hand. */
  readonly channels?: Readonly<Record<string, () => Payload>>;
  /** The same, as the frames that a new subscription gets. */
  readonly answer?: (channel: string) => readonly Frame[] | undefined;
  /** True when a test accepts connections and calls `obey` itself. */
  readonly isByHand?: boolean;
  /** Words of its errors. */
  readonly message?: string;
  /** `null`: no frame has a sequence. */
  readonly sequences?: "numbered" | "null";
  /** Sequence of a first frame: of the channel's last transaction, or of the whole service's. */
  readonly firstSequence?: "channel" | "service";
  /** Answers why a connection, by its number from 1, is refused. */
  readonly refuse?: (connection: number) => LinkFault | undefined;
  /** What happens when a connection has opened, instead of hello. */
  readonly onOpen?: (peer: Peer, service: ScriptedService) => void;
  /** Answers a command instead of the service. True when it has. */
  readonly onCommand?: (peer: Peer, command: Command, service: ScriptedService) => boolean;
  /** Without it everything arrives at once. */
  readonly clock?: VirtualClock;
  /** Time of its frames, where there is no clock. */
  readonly wallMs?: () => number;
  /** From sending to arriving, by connection. */
  readonly latencyMs?: (connection: number) => number;
}

/** First frames by channel; a channel that is not there is refused, or never answered. */
export function firstFrames(frames: Readonly<Record<string, Payload>>, isSilent = false): Script {
  return {
    channels: Object.fromEntries(
      Object.entries(frames).map(([name, frame]) => [name, () => frame]),
    ),
    ...(isSilent && { onCommand: (_, { channel }) => frames[channel] === undefined }),
  };
}

/** What is done where a message arrives. */
type Travel = (arrive: () => void) => void;

/** One connection, as the service has it. */
export class Peer {
  readonly number: number;
  readonly channels = new Set<string>();
  /** What the client has sent; a test may take them away. */
  readonly commands: Command[] = [];
  pings = 0;
  isOver = false;
  isAccepted = false;
  /** Of the handshake, where there is one. */
  headers: IncomingHttpHeaders = {};
  /** Answers each ping; switch off to play a dead link. */
  answersPings = true;
  readonly #handlers: SocketHandlers;
  readonly #travel: Travel;

  constructor(handlers: SocketHandlers, number: number, travel: Travel) {
    this.#handlers = handlers;
    this.number = number;
    this.#travel = travel;
  }

  accept(): void {
    this.isAccepted = true;
    this.#handlers.onOpen();
  }

  hello(protocolVersion = 1): void {
    this.send({ type: "hello", protocol_version: protocolVersion, keepalive_timeout_ms: 120_000 });
  }

  send(frame: Frame): void {
    const message = typeof frame === "string" ? frame : JSON.stringify(frame);
    this.#travel(() => this.#handlers.onMessage(message));
  }

  error(code: number, channel?: string, message = "no"): void {
    const named = channel === undefined ? {} : { channel };
    this.send({ type: "error", ...named, code, message, timestamp_ns: "1" });
  }

  unsubscribed(channel: string): void {
    this.send({ type: "unsubscribed", channel, timestamp_ns: "1" });
  }

  end(code?: LinkFault["code"], detail = "ended by the service"): void {
    this.#travel(() => {
      this.isOver = true;
      this.#handlers.onEnd(code ? { code, detail } : { detail });
    });
  }

  ping(): void {
    this.pings++;
    if (this.answersPings) this.#travel(() => this.#handlers.onPong());
  }

  /** Commands sent since the last call, as `type channel`. */
  takeCommands(): string[] {
    return this.commands.splice(0).map(({ type, channel }) => `${type} ${channel}`);
  }
}

const UNCHAINED = /^(?:bbo|candles|mark-candles)/;
const FIRST_SEQUENCE = 1000;
const LATENCY_MS = 20;

export class ScriptedService {
  /** Of all connections, in order, ended ones and refused ones too. */
  readonly peers: Peer[] = [];
  /** Of the last transaction. */
  sequence = FIRST_SEQUENCE;
  readonly #script: Script;
  readonly #last = new Map<string, number>();

  constructor(script: Script = {}) {
    this.#script = script;
  }

  get clock(): VirtualClock {
    const { clock } = this.#script;
    if (clock === undefined) throw new Error("the script has no clock");
    return clock;
  }

  /** The newest connection. */
  get last(): Peer {
    const peer = this.peers.at(-1);
    if (peer === undefined) throw new Error("nobody has connected");
    return peer;
  }

  /** Connections that are open now. */
  get open(): readonly Peer[] {
    return this.peers.filter(({ isOver }) => !isOver);
  }

  /** A socket in memory. */
  readonly connect: OpenSocket = (handlers) => {
    const { clock, latencyMs = () => LATENCY_MS } = this.#script;
    const delayMs = latencyMs(this.peers.length + 1);
    const travel: Travel = clock
      ? (arrive) => clock.after(delayMs, () => peer.isOver || arrive())
      : (arrive) => arrive();
    const peer = this.#add(handlers, travel);
    if (this.#isAutomatic) travel(() => this.#welcome(peer, handlers));
    return {
      send: (message) => travel(() => this.#receive(peer, message)),
      ping: () => travel(() => peer.ping()),
      hold: () => {},
      terminate: () => {
        peer.isOver = true;
      },
    };
  };

  /** Takes real connections, and requests. */
  async listen(onRequest: RequestListener = (_, response) => response.writeHead(404).end("{}")) {
    const http = createServer(onRequest);
    const sockets = new WebSocketServer({ server: http, path: "/v1/ws" });
    sockets.on("connection", (socket, { headers }) => {
      const handlers: SocketHandlers = {
        onOpen() {},
        onMessage: (message) => socket.send(message),
        onBinary() {},
        onPong() {},
        onEnd: () => socket.terminate(),
      };
      const peer = Object.assign(
        this.#add(handlers, (arrive) => arrive()),
        { headers },
      );
      socket.on("message", (data) => this.#receive(peer, String(data)));
      socket.on("close", () => {
        peer.isOver = true;
      });
      this.#welcome(peer, handlers);
    });
    const port = await listen(http);
    return {
      wsUrl: `ws://127.0.0.1:${port}/v1/ws`,
      baseUrl: `http://127.0.0.1:${port}/rest`,
      async close() {
        for (const socket of sockets.clients) socket.terminate();
        sockets.close();
        http.closeAllConnections();
        http.close();
        await once(http, "close");
      },
    };
  }

  /**
   * One transaction: a frame to all who hold the channel, none where there is no payload.
   * @param isReset its previous sequence is null
   */
  publish(channel: string, payload: Payload | undefined, step = 3, isReset = false): void {
    this.sequence += step;
    const previous = this.#last.get(channel) ?? FIRST_SEQUENCE;
    this.#last.set(channel, this.sequence);
    if (payload === undefined) return;
    for (const peer of this.open) {
      if (peer.channels.has(channel)) {
        peer.send(this.frame(channel, payload, isReset ? null : previous, this.sequence));
      }
    }
  }

  /** A transaction that touches no channel. */
  pass(): void {
    this.sequence += 1;
  }

  /** What a new subscription gets; undefined when there is no such channel. */
  first(channel: string): Frame | undefined {
    const payload = this.#script.channels?.[channel]?.();
    if (payload === undefined) return undefined;
    const isOwn = this.#script.firstSequence !== "service";
    const sequence = isOwn ? (this.#last.get(channel) ?? FIRST_SEQUENCE) : this.sequence;
    return this.frame(channel, payload, null, sequence);
  }

  frame(channel: string, payload: Payload, previous: number | null, sequence: number): object {
    const isNumbered = this.#script.sequences !== "null";
    const chain = {
      previous_sequence: isNumbered && previous !== null ? `${previous}` : null,
      sequence: isNumbered ? `${sequence}` : null,
    };
    const wallMs = Math.floor(this.#script.clock?.wall() ?? this.#script.wallMs?.() ?? 0);
    return {
      type: "update",
      channel,
      timestamp_ns: `${BigInt(wallMs) * 1_000_000n}`,
      ...(UNCHAINED.test(channel) ? {} : chain),
      ...payload,
    };
  }

  /** Does what a command asks for. */
  obey(peer: Peer, { type, channel }: Command): void {
    if (type === "unsubscribe") {
      peer.channels.delete(channel);
      peer.unsubscribed(channel);
      return;
    }
    if (peer.channels.has(channel)) {
      peer.error(409, channel, this.#script.message);
      return;
    }
    const frames = this.#framesOf(channel);
    if (frames === undefined) peer.error(404, channel, this.#script.message);
    else {
      peer.channels.add(channel);
      for (const frame of frames) peer.send(frame);
    }
  }

  #framesOf(channel: string): readonly Frame[] | undefined {
    if (this.#script.answer) return this.#script.answer(channel);
    const first = this.first(channel);
    return first === undefined ? undefined : [first];
  }

  get #isAutomatic(): boolean {
    const { channels, answer, isByHand = false } = this.#script;
    return (channels ?? answer) !== undefined && !isByHand;
  }

  #add(handlers: SocketHandlers, travel: Travel): Peer {
    const peer = new Peer(handlers, this.peers.length + 1, travel);
    this.peers.push(peer);
    return peer;
  }

  #welcome(peer: Peer, handlers: SocketHandlers): void {
    const fault = this.#script.refuse?.(peer.number);
    if (fault !== undefined) {
      peer.isOver = true;
      handlers.onEnd(fault);
      return;
    }
    peer.accept();
    if (this.#script.onOpen === undefined) peer.hello();
    else this.#script.onOpen(peer, this);
  }

  #receive(peer: Peer, message: string): void {
    const command: Command = JSON.parse(message);
    peer.commands.push(command);
    if (!this.#isAutomatic || this.#script.onCommand?.(peer, command, this) === true) return;
    this.obey(peer, command);
  }
}

// A service on a virtual clock that takes any number of connections. What it publishes is up to the test; it keeps the
// chain of each channel, subscriptions by connection, and the order of frames on each of them.
import { onTestFinished } from "vitest";
import { openSession } from "../../src/live/session.ts";
import type { OpenSocket, SocketHandlers } from "../../src/stream/socket.ts";
import { createRandom } from "../../src/units/random.ts";
import type { LinkFault, StreamEvent } from "../../src/wire/stream-event.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** A channel of the service: what a subscriber gets first, without type, channel, time and chain. */
export type Payload = Record<string, unknown>;

export interface PlayedOptions {
  /** First frames by channel; a channel that is not there answers 404. */
  readonly channels: Readonly<Record<string, () => Payload>>;
  /** `null`: no frame has a sequence. */
  readonly sequences?: "numbered" | "null";
  /** Sequence of a first frame: of the channel's last transaction, or of the whole service's. */
  readonly firstSequence?: "channel" | "service";
  /** Answers why a connection, by its number from 1, is refused. */
  readonly refuse?: (connection: number) => LinkFault | undefined;
  /** What happens when a connection has opened, instead of hello. */
  readonly onOpen?: (peer: PlayedPeer, service: PlayedService) => void;
  /** Answers a command instead of the service. True when it has. */
  readonly onCommand?: (peer: PlayedPeer, command: Command, service: PlayedService) => boolean;
  /** From sending to arriving, by connection. */
  readonly latencyMs?: (connection: number) => number;
}

interface Command {
  readonly type: string;
  readonly channel: string;
}

export class PlayedPeer {
  readonly number: number;
  readonly channels = new Set<string>();
  isOver = false;
  readonly commands: Command[] = [];
  readonly #handlers: SocketHandlers;
  readonly #clock: VirtualClock;
  readonly #latencyMs: number;

  constructor(number: number, handlers: SocketHandlers, clock: VirtualClock, latencyMs: number) {
    this.number = number;
    this.#handlers = handlers;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  send(frame: object): void {
    const message = JSON.stringify(frame);
    this.#clock.after(this.#latencyMs, () => {
      if (!this.isOver) this.#handlers.onMessage(message);
    });
  }

  hello(): void {
    this.send({ type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 });
  }

  error(code: number, channel?: string): void {
    const named = channel === undefined ? {} : { channel };
    this.send({ type: "error", ...named, code, message: "no", timestamp_ns: "1" });
  }

  end(detail = "ended by the service"): void {
    this.#clock.after(this.#latencyMs, () => {
      if (this.isOver) return;
      this.isOver = true;
      this.#handlers.onEnd({ code: "closed", detail });
    });
  }

  pong(): void {
    this.#clock.after(this.#latencyMs, () => this.isOver || this.#handlers.onPong());
  }
}

export class PlayedService {
  readonly clock: VirtualClock;
  /** Of all connections, in order, ended ones and refused ones too. */
  readonly peers: PlayedPeer[] = [];
  sequence = 1000;
  readonly #options: PlayedOptions;
  readonly #last = new Map<string, number>();

  constructor(clock: VirtualClock, options: PlayedOptions) {
    this.clock = clock;
    this.#options = options;
  }

  /** Connections that are open now. */
  get open(): readonly PlayedPeer[] {
    return this.peers.filter(({ isOver }) => !isOver);
  }

  readonly connect: OpenSocket = (handlers) => {
    const number = this.peers.length + 1;
    const latencyMs = this.#options.latencyMs?.(number) ?? 20;
    const peer = new PlayedPeer(number, handlers, this.clock, latencyMs);
    this.peers.push(peer);
    this.clock.after(latencyMs, () => {
      if (peer.isOver) return;
      const fault = this.#options.refuse?.(number);
      if (fault !== undefined) {
        peer.isOver = true;
        handlers.onEnd(fault);
        return;
      }
      handlers.onOpen();
      if (this.#options.onOpen === undefined) peer.hello();
      else this.#options.onOpen(peer, this);
    });
    return {
      send: (message) =>
        this.clock.after(latencyMs, () => peer.isOver || this.#obey(peer, JSON.parse(message))),
      ping: () => this.clock.after(latencyMs, () => peer.pong()),
      terminate: () => {
        peer.isOver = true;
      },
    };
  };

  /**
   * One transaction: a frame to all who hold the channel, none where there is no payload.
   * @param isReset its previous sequence is null
   */
  publish(channel: string, payload: Payload | undefined, step = 3, isReset = false): void {
    this.sequence += step;
    const previous = this.#last.get(channel) ?? 1000;
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

  first(channel: string): object | undefined {
    const payload = this.#options.channels[channel]?.();
    if (payload === undefined) return undefined;
    const isOwn = this.#options.firstSequence !== "service";
    const sequence = isOwn ? (this.#last.get(channel) ?? 1000) : this.sequence;
    return this.frame(channel, payload, null, sequence);
  }

  frame(channel: string, payload: Payload, previous: number | null, sequence: number): object {
    const isNumbered = this.#options.sequences !== "null";
    const chain = {
      previous_sequence: isNumbered && previous !== null ? `${previous}` : null,
      sequence: isNumbered ? `${sequence}` : null,
    };
    return {
      type: "update",
      channel,
      timestamp_ns: `${BigInt(Math.floor(this.clock.wall())) * 1_000_000n}`,
      ...(/^(?:bbo|candles|mark-candles)/.test(channel) ? {} : chain),
      ...payload,
    };
  }

  #obey(peer: PlayedPeer, command: Command): void {
    peer.commands.push(command);
    if (this.#options.onCommand?.(peer, command, this) === true) return;
    const { channel } = command;
    if (command.type === "unsubscribe") {
      peer.channels.delete(channel);
      peer.send({ type: "unsubscribed", channel, timestamp_ns: "1" });
      return;
    }
    const first = this.first(channel);
    if (first === undefined) peer.error(404, channel);
    else if (peer.channels.has(channel)) peer.error(409, channel);
    else {
      peer.channels.add(channel);
      peer.send(first);
    }
  }
}

/** A live session with audits on such a service; the watched channels are subscribed. */
export function startPlayed(options: PlayedOptions, channels = Object.keys(options.channels)) {
  const clock = createVirtualClock();
  const service = new PlayedService(clock, options);
  const events: StreamEvent[] = [];
  let audits = 0;
  const live = openSession({
    openSocket: service.connect,
    auditSocket: service.connect,
    onAudit: () => {
      audits++;
    },
    isStrict: true,
    clock,
    random: createRandom(5),
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => live.close());
  for (const channel of channels) live.stream.subscribe(channel);
  return {
    ...live,
    clock,
    service,
    events,
    get audits() {
      return audits;
    },
    /** Lets time pass in steps, with something that happens before each of them. */
    pass(ms: number, stepMs = ms, onStep: (atMs: number) => void = () => {}) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        onStep(clock.now());
        clock.advance(stepMs);
      }
    },
  };
}

// Owns the socket: opens it, keeps it alive, and reopens it when it ends. Does not interpret what is transferred.

import { backoffDelayMs, reconnectBackoff } from "../units/backoff.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { Link, LinkFault } from "../wire/stream-event.ts";
import type { OpenSocket, Socket } from "./socket.ts";

/** After a connection that lasted this long and delivered data, the failure count restarts. */
const STABLE_AFTER_MS = 30_000;
/** Minimum time between the starts of two attempts, whatever the service does. */
const MIN_ATTEMPT_GAP_MS = 250;
/** Upper bound on the service's Retry-After. */
const MAX_RETRY_AFTER_MS = 300_000;

/** Dependencies of a connection, and its callbacks, called in order of events. */
export interface ConnectionOptions {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  onLink(link: Link): void;
  /** Frames can flow on a new connection. */
  onOpen(): void;
  /** @param atMs arrival time, monotonic */
  onMessage(message: string, atMs: number): void;
  onBinary(length: number): void;
  /** The connection is gone; nothing more is delivered from it. */
  onDown(): void;
}

export class Connection {
  readonly #options: ConnectionOptions;
  #socket: Socket | undefined;
  #keepAlive: KeepAlive | undefined;
  /** Counts connections; handlers of older ones do nothing. */
  #epoch = 0;
  #failures = 0;
  #openedAt: number | undefined;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #aliveAt: number | undefined;
  #hasDelivered = false;
  #timesOpened = 0;
  #cancelRetry = () => {};
  #link: Link = {
    state: "connecting",
    reconnects: 0,
    aliveAtMs: undefined,
    roundTripMs: undefined,
    retryAtMs: undefined,
    protocolVersion: undefined,
    fault: undefined,
  };

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get link(): Link {
    return { ...this.#link, aliveAtMs: this.#aliveAt };
  }

  open(): void {
    this.#attempt();
  }

  /** Sends text if the connection is open; otherwise does nothing, and callers send again on open. */
  send(message: string): void {
    if (this.#link.state === "open") this.#socket?.send(message);
  }

  onHello(protocolVersion: number, keepaliveTimeoutMs: number): void {
    this.#keepAlive?.limitPeriod(keepaliveTimeoutMs);
    this.#change({ protocolVersion });
  }

  /** A message of this connection was accepted: it works. */
  noteDelivery(): void {
    this.#hasDelivered = true;
  }

  /** Pings, unless a pong is pending: a link event follows the pong. */
  ping(): void {
    this.#keepAlive?.ping();
  }

  /** Replaces the connection, because it cannot be trusted. */
  restart(detail: string): void {
    if (this.#link.state === "open") this.#end({ code: "failed", detail });
  }

  /** Ends the connection for good. Nothing is delivered afterwards. */
  close(): void {
    this.#cancelRetry();
    this.#dropSocket();
    if (this.#link.state !== "closed") this.#change({ state: "closed", retryAtMs: undefined });
  }

  #attempt(): void {
    const epoch = ++this.#epoch;
    const isCurrent = () => epoch === this.#epoch;
    this.#attemptedAt = this.#options.clock.now();
    this.#change({ state: "connecting", retryAtMs: undefined, protocolVersion: undefined });
    this.#socket = this.#options.openSocket({
      onOpen: () => isCurrent() && this.#opened(),
      onMessage: (message) => {
        if (!isCurrent()) return;
        this.#options.onMessage(message, this.#noteAlive());
      },
      onBinary: (length) => {
        if (!isCurrent()) return;
        this.#noteAlive();
        this.#options.onBinary(length);
      },
      onPong: () => {
        if (!isCurrent()) return;
        this.#noteAlive();
        this.#keepAlive?.onPong();
      },
      onEnd: (fault) => isCurrent() && this.#end(fault),
    });
  }

  #noteAlive(): number {
    this.#aliveAt = this.#options.clock.now();
    return this.#aliveAt;
  }

  #opened(): void {
    const { clock } = this.#options;
    this.#openedAt = clock.now();
    this.#hasDelivered = false;
    this.#noteAlive();
    this.#change({ state: "open", reconnects: this.#timesOpened++ });
    this.#keepAlive = createKeepAlive(clock, {
      ping: () => this.#socket?.ping(),
      onRoundTrip: (roundTripMs) => this.#change({ roundTripMs }),
      onDead: (code, detail) => this.#end({ code, detail }),
    });
    this.#keepAlive.start();
    this.#options.onOpen();
  }

  #end(fault: LinkFault): void {
    const { clock, random } = this.#options;
    const wasOpen = this.#link.state === "open";
    this.#dropSocket();
    if (wasOpen && this.#wasStable()) this.#failures = 0;
    const delay = Math.max(
      backoffDelayMs(reconnectBackoff, this.#failures, random),
      this.#attemptedAt + MIN_ATTEMPT_GAP_MS - clock.now(),
      Math.min(fault.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS),
    );
    this.#failures += 1;
    this.#openedAt = undefined;
    this.#cancelRetry = clock.after(delay, () => this.#attempt());
    this.#change({ state: "waiting", retryAtMs: clock.now() + delay, fault });
    if (wasOpen) this.#options.onDown();
  }

  #wasStable(): boolean {
    const lived = this.#options.clock.now() - (this.#openedAt ?? Number.POSITIVE_INFINITY);
    return this.#hasDelivered && lived >= STABLE_AFTER_MS;
  }

  #dropSocket(): void {
    this.#epoch++;
    this.#keepAlive?.stop();
    this.#keepAlive = undefined;
    this.#socket?.terminate();
    this.#socket = undefined;
  }

  #change(part: Partial<Link>): void {
    this.#link = { ...this.#link, ...part };
    this.#options.onLink(this.link);
  }
}

// Keep-alive: pings while the connection is open, and declares it dead when no pong arrives or when the machine has slept: a
// socket cut in the meantime would look open for minutes.

/** Well within the service's two minutes; with the pong deadline, a dead socket is detected within 20 s. */
const PING_PERIOD_MS = 10_000;
const PONG_DEADLINE_MS = 10_000;
/** If the wall clock is this far ahead of our timers, the machine slept. */
const SLEEP_GAP_MS = 5000;
const WATCH_PERIOD_MS = 1000;

interface KeepAliveHandlers {
  ping(): void;
  onRoundTrip(ms: number): void;
  onDead(code: "silent" | "slept", detail: string): void;
}

type KeepAlive = ReturnType<typeof createKeepAlive>;

export function createKeepAlive(clock: Clock, handlers: KeepAliveHandlers) {
  let periodMs = PING_PERIOD_MS;
  let pingedAt = 0;
  let isAnswered = true;
  let lastWall = 0;
  let stop = () => {};

  const ping = () => {
    isAnswered = false;
    pingedAt = clock.now();
    handlers.ping();
  };

  const watch = () => {
    const wall = clock.wall();
    const gap = wall - lastWall - WATCH_PERIOD_MS;
    lastWall = wall;
    const waited = clock.now() - pingedAt;
    if (gap > SLEEP_GAP_MS) {
      handlers.onDead("slept", `the clock went on ${Math.round(gap / 1000)} s without us`);
    } else if (!isAnswered && waited >= PONG_DEADLINE_MS) {
      handlers.onDead("silent", `no pong in ${PONG_DEADLINE_MS / 1000} s`);
    } else if (isAnswered && waited >= periodMs) {
      ping();
    }
  };

  return {
    /** Pings at once, and then every 10 s, or more often if the service requires it. */
    start() {
      lastWall = clock.wall();
      ping();
      stop = every(clock, WATCH_PERIOD_MS, watch);
    },
    stop: () => stop(),
    /** Pings at once, unless the last ping is unanswered. */
    ping: () => isAnswered && ping(),
    /** The service's limit for the time between two of our frames, from hello. */
    limitPeriod(keepaliveTimeoutMs: number) {
      // A quarter of the limit, so that two lost timers still leave time for another.
      periodMs = Math.max(WATCH_PERIOD_MS, Math.min(PING_PERIOD_MS, keepaliveTimeoutMs / 4));
    },
    onPong() {
      if (isAnswered) return;
      isAnswered = true;
      handlers.onRoundTrip(clock.now() - pingedAt);
    },
  };
}

// Is the connection alive? Pings while it is open, and calls it dead when no pong comes or when the
// machine has slept: a socket that was cut in the meantime would look open for minutes. Reading: docs/adr/0008.
import { type Clock, every } from "../units/clock.ts";

/** Far inside the service's two minutes, and with the pong deadline a dead socket is found in 20 s. */
const PING_PERIOD_MS = 10_000;
const PONG_DEADLINE_MS = 10_000;
/** The wall clock running this far ahead of our timers means that the machine slept. */
const SLEEP_GAP_MS = 5000;
const WATCH_PERIOD_MS = 1000;

/** What it asks for, and what it has found. */
export interface KeepAliveHandlers {
  ping(): void;
  onRoundTrip(ms: number): void;
  onDead(code: "silent" | "slept", detail: string): void;
}

/** Watches one open connection, from `start` to `stop`. */
export interface KeepAlive {
  /** Pings at once, and from then on every 10 s or sooner where the service asks for it. */
  start(): void;
  onPong(): void;
  /** The service's own limit for the time between two of our frames, from hello. */
  limitPeriod(keepaliveTimeoutMs: number): void;
  stop(): void;
}

/** Stands still until it is started. Never throws. */
export function createKeepAlive(clock: Clock, handlers: KeepAliveHandlers): KeepAlive {
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
    start() {
      lastWall = clock.wall();
      ping();
      stop = every(clock, WATCH_PERIOD_MS, watch);
    },
    stop: () => stop(),
    limitPeriod(keepaliveTimeoutMs) {
      // A quarter of the limit, so that two lost timers still leave a spare.
      periodMs = Math.max(WATCH_PERIOD_MS, Math.min(PING_PERIOD_MS, keepaliveTimeoutMs / 4));
    },
    onPong() {
      if (isAnswered) return;
      isAnswered = true;
      handlers.onRoundTrip(clock.now() - pingedAt);
    },
  };
}

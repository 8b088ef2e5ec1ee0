// Owns the socket: opens it, keeps it alive, opens it again. What is transferred, it does not interpret.
import { backoffDelayMs } from "../units/backoff.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { msOfNs } from "../units/time.ts";
import { createLag, type Lag, noteStamp } from "./lag.ts";
import type { Link, LinkFault } from "./link.ts";
import type { OpenSocket, Socket } from "./socket.ts";

export interface ConnectionOptions {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  /** Kept current here. */
  readonly link: Link;
  /** Between two commands; 0 sends them as they come. */
  readonly spacingMs: number;
  onOpen(): void;
  onMessage(message: string, nowMs: number): void;
  onBinary(length: number, nowMs: number): void;
  /** The connection is gone, or could not be opened. */
  onDown(fault: string): void;
  /** The service closed it after a burst of commands: they go out spaced from now on. 0: it closes without one, too. */
  onSpacing(spacingMs: number): void;
}

export interface Connection {
  open(): void;
  /** Dropped while the connection is not open: whoever sends, sends again on open. */
  send(command: string): void;
  ping(): void;
  /** While held, nothing is read, no answer is awaited, and nothing counts as late. */
  hold(isHeld: boolean): void;
  /** Of hello (6.1). */
  setHello(protocolVersion: number, keepaliveMs: number): void;
  /** An accepted frame: the connection works. @param timestampNs of the service */
  noteFrame(timestampNs: string, nowMs: number): void;
  /** Ends for good. */
  close(): void;
}

const BACKOFF = { firstMs: 500, capMs: 30_000 };
/** A connection that delivered data for so long was none that failed: the first attempt after it is made at once. */
const LIVED_MS = 5000;
/** Between the starts of two attempts, whatever the service does. */
const MIN_ATTEMPT_GAP_MS = 250;
const MAX_RETRY_AFTER_MS = 300_000;

/** Far below the 120 s of the document (4.1), and a dead socket is found within 20 s. */
const PING_PERIOD_MS = 10_000;
const PONG_DEADLINE_MS = 10_000;
const WATCH_PERIOD_MS = 1000;
/** When the clock is so far ahead of our timers, the machine slept, and the socket may be cut without a sign. */
const SLEEP_GAP_MS = 5000;
/** If the service itself is late, new connections do not help. */
const LATE_RESTART_MS = 300_000;

/** Closing codes that may answer too many commands: policy violation, try again later, and those of applications. */
const isTooMany = (code = 0) => code === 1008 || code === 1013 || (code >= 4000 && code < 5000);
const BURST_MS = 2000;
const FIRST_SPACING_MS = 200;
const MAX_SPACING_MS = 3200;

export function createConnection(options: ConnectionOptions): Connection {
  const { clock, random, link, openSocket } = options;
  let socket: Socket | undefined;
  /** Counts connections; handlers of older ones do nothing. */
  let epoch = 0;
  let failures = 0;
  let timesOpened = 0;
  let attemptedAtMs = Number.NEGATIVE_INFINITY;
  let openedAtMs = 0;
  let hasDelivered = false;
  let lag = createLag();
  let lateRestartAtMs = Number.NEGATIVE_INFINITY;
  let cancelRetry = () => {};
  let stopWatch = () => {};
  let pingPeriodMs = PING_PERIOD_MS;
  let pingedAtMs = 0;
  let isPongDue = false;
  let isHeld = false;
  let watchedAtMs = 0;

  const commands = createCommands(clock, options.spacingMs, (command) => socket?.send(command));

  function attempt(): void {
    const own = ++epoch;
    const isCurrent = () => own === epoch;
    attemptedAtMs = clock.now();
    Object.assign(link, { state: "connecting", retryAtMs: undefined, protocolVersion: undefined });
    socket = openSocket({
      onOpen: () => isCurrent() && onOpened(),
      onMessage: (message) => isCurrent() && options.onMessage(message, noteAlive()),
      onBinary: (length) => {
        if (isCurrent()) options.onBinary(length, noteAlive());
      },
      onPong: () => isCurrent() && onPong(),
      onEnd: (fault) => isCurrent() && end(fault),
    });
  }

  function noteAlive(): number {
    link.aliveAtMs = clock.now();
    return link.aliveAtMs;
  }

  function onOpened(): void {
    openedAtMs = noteAlive();
    hasDelivered = false;
    lag = createLag();
    Object.assign(link, { state: "open", reconnects: timesOpened++, fault: undefined });
    watchedAtMs = openedAtMs;
    if (isHeld) socket?.hold(true);
    ping();
    stopWatch = every(clock, WATCH_PERIOD_MS, watch);
    options.onOpen();
  }

  function ping(): void {
    if (isPongDue || link.state !== "open") return;
    isPongDue = true;
    pingedAtMs = clock.now();
    socket?.ping();
  }

  function onPong(): void {
    noteAlive();
    if (!isPongDue) return;
    isPongDue = false;
    link.roundTripMs = clock.now() - pingedAtMs;
  }

  function watch(): void {
    const nowMs = clock.now();
    const gapMs = nowMs - watchedAtMs - WATCH_PERIOD_MS;
    const waitedMs = nowMs - pingedAtMs;
    watchedAtMs = nowMs;
    if (gapMs > SLEEP_GAP_MS)
      end({ detail: `the clock went on ${Math.round(gapMs / 1000)} s without us` });
    else if (isPongDue && !isHeld && waitedMs >= PONG_DEADLINE_MS)
      end({ detail: `no pong in ${PONG_DEADLINE_MS / 1000} s` });
    else if (waitedMs >= pingPeriodMs) {
      isPongDue &&= !isHeld;
      ping();
    }
  }

  function end(fault: LinkFault): void {
    const wasOpen = link.state === "open";
    const spacingMs = wasOpen ? commands.spacingAfter(fault) : undefined;
    drop();
    const nowMs = clock.now();
    if (wasOpen && hasDelivered && nowMs - openedAtMs >= LIVED_MS) failures = 0;
    const delayMs = Math.max(
      backoffDelayMs(BACKOFF, failures++, random),
      attemptedAtMs + MIN_ATTEMPT_GAP_MS - nowMs,
      Math.min(fault.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS),
    );
    cancelRetry = clock.after(delayMs, attempt);
    Object.assign(link, { state: "waiting", retryAtMs: nowMs + delayMs, fault });
    if (spacingMs !== undefined) options.onSpacing(spacingMs);
    options.onDown(fault.detail);
  }

  function drop(): void {
    epoch++;
    stopWatch();
    commands.clear();
    isPongDue = false;
    Object.assign(link, { isLate: false, lagMs: 0 });
    socket?.terminate();
    socket = undefined;
  }

  return {
    open: attempt,
    send: (command) => {
      if (link.state === "open") commands.send(command);
    },
    ping,
    hold(isHeldNow) {
      isHeld = isHeldNow;
      lag = createLag();
      pingedAtMs = clock.now();
      socket?.hold(isHeld);
    },
    setHello(protocolVersion, keepaliveMs) {
      link.protocolVersion = protocolVersion;
      // A quarter of the limit, so that two lost timers leave time for another.
      pingPeriodMs = Math.max(WATCH_PERIOD_MS, Math.min(PING_PERIOD_MS, keepaliveMs / 4));
    },
    noteFrame(timestampNs, nowMs) {
      hasDelivered = true;
      noteStamp(lag, msOfNs(timestampNs), nowMs);
      showLag(link, lag);
      if (!lag.isStuck || nowMs - lateRestartAtMs < LATE_RESTART_MS) return;
      lateRestartAtMs = nowMs;
      end({ detail: `frames came ${Math.round(lag.lagMs / 1000)} s late` });
    },
    close() {
      cancelRetry();
      drop();
      link.state = "closed";
      link.retryAtMs = undefined;
    },
  };
}

function showLag(link: Link, { lagMs, isLate, offsetMs }: Lag): void {
  link.lagMs = lagMs;
  link.isLate = isLate;
  if (Number.isFinite(offsetMs)) link.offsetMs = offsetMs;
}

/** Commands on their way out, spaced for services that close a connection for a burst of them. */
function createCommands(clock: Clock, spacing: number, put: (command: string) => void) {
  let spacingMs = spacing;
  let queue: string[] = [];
  /** Of the last two. */
  let sentAtMs: number[] = [];
  let isWaiting = false;
  let cancel = () => {};

  function next(): void {
    isWaiting = false;
    const command = queue.shift();
    if (command === undefined) return;
    sentAtMs = [...sentAtMs, clock.now()].slice(-2);
    put(command);
    isWaiting = spacingMs > 0;
    if (isWaiting) cancel = clock.after(spacingMs, next);
  }

  return {
    send(command: string): void {
      queue.push(command);
      if (!isWaiting) next();
    },
    clear(): void {
      cancel();
      queue = [];
      sentAtMs = [];
      isWaiting = false;
    },
    /** The new spacing, if the connection was closed because of a burst. */
    spacingAfter({ closeCode }: LinkFault): number | undefined {
      const isRecent = (atMs: number) => clock.now() - atMs < BURST_MS;
      const isBurst = sentAtMs.length > 1 && sentAtMs.every(isRecent);
      if (!isTooMany(closeCode) || (!isBurst && spacingMs === 0)) return undefined;
      const wider = Math.min(MAX_SPACING_MS, Math.max(FIRST_SPACING_MS, spacingMs * 2));
      // Closed for something else, though few were sent: nothing was learned.
      spacingMs = isBurst ? wider : 0;
      return spacingMs;
    },
  };
}

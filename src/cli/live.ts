// The live session of a command: opened at once, listened to by whatever shows it.

import type { LearnedCursors } from "../listing/listing.ts";
import { RequestBudget } from "../listing/request-budget.ts";
import { openPast, type Past, type PastOptions } from "../live/past.ts";
import { openRecorded } from "../live/recorded.ts";
import type { Session, SessionOptions } from "../live/session.ts";
import type { LinkFault } from "../stream/link.ts";
import { createWsSocket } from "../stream/ws-socket.ts";
import { PROXY_ADVICE } from "../system/proxy.ts";
import { VERSION } from "../system/version.ts";
import type { Shown } from "../timeline/entry.ts";
import { createHistory, type History } from "../timeline/history.ts";
import type { Recorder } from "../timeline/recorder.ts";
import {
  type About,
  lastMinutesPath,
  openRecordingWriter,
  type RecordingWriter,
  writeLastMinutes,
} from "../timeline/writer.ts";
import type { Clock } from "../units/clock.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { visible } from "../units/visible.ts";
import { createRedact } from "../wire/redact.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { Settings } from "./config/settings.ts";
import type { Context } from "./context.ts";
import { learnedCursors, learnedPath } from "./prepare.ts";

/** How long a command waits for data without --timeout. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** A service, as far as a session needs to know it. */
export interface Service
  extends Pick<
    Settings,
    "baseUrl" | "headers" | "restRate" | "knownScales" | "pinned" | "names" | "wsUrl"
  > {
  readonly wsUrl: string;
  /** Where what is learned about it is kept; undefined: nowhere. */
  readonly learnedPath: string | undefined;
  /** Whose fills are listed. */
  readonly owner?: FillsOwner | undefined;
}

/** @throws {UsageError} without an address */
export function liveService(context: Pick<Context, "env">, settings: Settings): Service {
  const { wsUrl } = settings;
  if (wsUrl !== undefined) return { ...settings, wsUrl, learnedPath: learnedPath(context) };
  throw new UsageError("no address of the service is known", NO_ADDRESS);
}

const NO_ADDRESS =
  "give --ws-url (or MONITOR_WS_URL, or ws_url in the config file), or try: monitor demo";

export type Listeners = Pick<SessionOptions, "onUpdate" | "onEvent">;
export type WaitEnd = "met" | "timeout" | "interrupted";

export interface Live {
  readonly session: Session;
  readonly service: Service;
  /** Of all that happens in the session. */
  readonly recorder: Recorder;
  /** Background requests share it; undefined: the config wants none. */
  readonly budget: RequestBudget | undefined;
  /** How its listings are read; undefined: nothing is kept of this service. */
  readonly cursors: LearnedCursors | undefined;
  /** It is known what is shown: what --record asks for begins. @throws {MonitorError} when the file exists */
  begin(shown: Shown | undefined): void;
  /** Holds the last minutes in memory from now on. */
  remember(): History;
  /**
   * Writes what is held, from a time on, to a new file of a folder.
   * @param isMasked addresses are replaced
   * @returns its path. @throws {MonitorError} when it cannot be written
   */
  saveLast(folder: string, fromMs: number, about: SaveAbout): string;
  /** Reads in the background what the listing tells of the time before. Without an address of the listings: nothing. */
  readPast(want: PastWanted): void;
  /** They hear what comes from now on. Several may listen. */
  listen(listeners: Listeners): void;
  /** Looks at the condition after each event. @throws {ServiceError} when the first connection cannot be made */
  until(isMet: () => boolean, timeoutMs: number): Promise<WaitEnd>;
  /** A recording has ended early. */
  hasFailed(): boolean;
  /** @throws {MonitorError} when a recording has ended early */
  close(): Promise<void>;
}

/** How much of the time before is wanted. */
export type PastWanted = Pick<PastOptions, "flowSinceMs" | "wantedCandles">;

export interface SaveAbout {
  /** Why: for the heading, and in a word for the file's name. */
  readonly cause: string;
  readonly name: string;
  readonly shown?: Shown | undefined;
  readonly isMasked?: boolean;
}

/** Connects. It must be closed. */
export function openLive(context: Context, service: Service, channels: readonly string[]): Live {
  const { clock, random, env, log, stderr } = context;
  const { wsUrl: url, headers, pinned, names } = service;
  const listeners: Listeners[] = [];
  let hasBeenOpen = false;
  let hasWarned = false;
  let fatal: ServiceError | undefined;
  const waiter = createWaiter(clock, context.interrupt);

  const { session, recorder } = openRecorded({
    ...{ url, clock, random, channels, pinned, names, learnedPath: service.learnedPath },
    openSocket: createWsSocket({ url, headers, clock, environment: env }),
    redact: createRedact(headers, channels),
    onUpdate(update, place, isContinuous) {
      for (const each of listeners) each.onUpdate?.(update, place, isContinuous);
      waiter.check();
    },
    onEvent(event) {
      const { channel, detail } = event;
      log?.write(LEVELS[event.event] ?? "info", event.event, { channel, detail });
      if (event.event === "connected") hasBeenOpen = true;
      else if (event.event === "disconnected" && !hasBeenOpen)
        fatal ??= finalFault(session.store.link.fault);
      for (const each of listeners) each.onEvent?.(event);
      checkVersion();
      waiter.check();
    },
  });
  for (const [market, scale] of Object.entries(service.knownScales))
    session.store.scales.set(market, { ...scale, source: "config" });

  function checkVersion(): void {
    const { protocolVersion = PROTOCOL_VERSION } = session.store.link;
    if (protocolVersion === PROTOCOL_VERSION || hasWarned) return;
    hasWarned = true;
    const words = `the service speaks protocol version ${protocolVersion}, not ${PROTOCOL_VERSION}`;
    stderr.write(`monitor: ${visible(words)}: its data may be misread\n`);
  }

  const { restRate = USUAL_RATE } = service;
  const isKept = service.learnedPath !== undefined;
  const cursors = isKept ? learnedCursors(context, service) : undefined;
  const budget = restRate > 0 ? new RequestBudget(clock, restRate) : undefined;
  let shown: Shown | undefined;
  let writer: RecordingWriter | undefined;
  let history: History | undefined;
  let past: Past | undefined;
  const { record, redact = false, mask = false } = context.options;
  const about = (more: Partial<About> = {}): About => ({
    ...{ version: VERSION, shown, isRedacted: redact || mask },
    ...more,
  });

  return {
    ...{ session, service, recorder, budget, cursors },
    begin(what) {
      shown = what;
      if (record !== undefined) writer = openRecordingWriter(record, recorder, clock, about());
    },
    remember() {
      history ??= createHistory(recorder);
      return history;
    },
    saveLast(folder, fromMs, { name, cause, shown: own = shown, isMasked = false }) {
      const path = lastMinutesPath(folder, clock.wall(), name);
      history ??= createHistory(recorder);
      recorder.settle();
      const isRedacted = isMasked || about().isRedacted;
      writeLastMinutes(path, history, fromMs, about({ shown: own, cause, isRedacted }));
      return path;
    },
    readPast(want) {
      const { baseUrl } = service;
      if (baseUrl === undefined) return;
      past ??= openPast({
        ...{ store: session.store, baseUrl, headers, budget, cursors, clock, random, ...want },
        onChange: recorder.noteState,
        onTrouble: (detail) => log?.write("warn", "listing", { detail }),
      });
    },
    listen: (each) => listeners.push(each),
    until: (isMet, timeoutMs) =>
      waiter.until(() => {
        if (fatal !== undefined) throw fatal;
        return isMet();
      }, timeoutMs),
    hasFailed: () => writer?.failure !== undefined,
    async close() {
      past?.close();
      history?.close();
      const written = writer?.close();
      session.close();
      await written;
      if (writer?.failure !== undefined) throw writer.failure;
    },
  };
}

/** A session for as long as the work takes. */
export async function withLive<T>(
  context: Context,
  service: Service,
  channels: readonly string[],
  work: (live: Live) => Promise<T>,
): Promise<T> {
  const live = openLive(context, service, channels);
  try {
    return await work(live);
  } finally {
    await live.close();
  }
}

/** Background requests a second. */
const USUAL_RATE = 2;
const PROTOCOL_VERSION = 1;
const LEVELS: Readonly<Record<string, "warn" | "error" | "debug">> = {
  ...{ disconnected: "error", contradiction: "error" },
  ...{ gap: "warn", rejected: "warn", refused: "warn" },
  ...{ late: "debug", repeat: "debug" },
};

/** Faults of the first connection that trying again does not mend, with advice. */
const FINAL: Readonly<Partial<Record<LinkFault["code"], string>>> = {
  unauthorized: "credentials go with --header 'Name: value'",
  "not-websocket": "check --ws-url: the path of the interface is /v1/ws",
  proxy: PROXY_ADVICE,
};

function finalFault(fault: LinkFault | undefined): ServiceError | undefined {
  const advice = fault && FINAL[fault.code];
  if (fault === undefined || advice === undefined || isTransient(fault)) return undefined;
  return new ServiceError(fault.code, `no connection: ${fault.detail}`, { advice });
}

function isTransient({ code, status }: LinkFault): boolean {
  if (status === undefined) return code === "proxy";
  return status === 408 || status === 429 || status >= 500;
}

/** @throws {ServiceError} when there was never a connection */
export function checkReached({ session }: Live): void {
  const { state, aliveAtMs, fault } = session.store.link;
  if (state === "open" || aliveAtMs !== undefined) return;
  throw new ServiceError("unreachable", `no connection: ${fault?.detail ?? "no answer"}`, {
    advice: fault?.code === "proxy" ? PROXY_ADVICE : "check --ws-url",
  });
}

/** Waits for a condition, a timeout or an interruption, whichever comes first. */
function createWaiter(clock: Clock, interrupt: AbortSignal) {
  const checks = new Set<() => void>();
  return {
    check: () => {
      for (const check of checks) check();
    },
    until: (isMet: () => boolean, timeoutMs: number): Promise<WaitEnd> =>
      new Promise((resolve, reject) => {
        const settle = () => {
          checks.delete(check);
          cancel();
          interrupt.removeEventListener("abort", onInterrupt);
        };
        const end = (how: WaitEnd) => {
          settle();
          resolve(how);
        };
        const onInterrupt = () => end("interrupted");
        const cancel = Number.isFinite(timeoutMs)
          ? clock.after(timeoutMs, () => end("timeout"))
          : () => {};
        const check = () => {
          try {
            if (isMet()) end("met");
          } catch (error) {
            settle();
            reject(error);
          }
        };
        checks.add(check);
        interrupt.addEventListener("abort", onInterrupt, { once: true });
        if (interrupt.aborted) onInterrupt();
        else check();
      }),
  };
}

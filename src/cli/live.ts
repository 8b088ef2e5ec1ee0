// The live session of a command: opened at once, listened to by whatever shows it.

import { RequestBudget } from "../listing/request-budget.ts";
import { openPast, type Past, type PastOptions } from "../live/past.ts";
import { openSession, type SessionOptions } from "../live/session.ts";
import type { Store } from "../state/store.ts";
import type { LinkFault } from "../stream/link.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { createWsSocket } from "../stream/ws-socket.ts";
import { PROXY_ADVICE } from "../system/proxy.ts";
import { VERSION } from "../system/version.ts";
import type { Shown } from "../timeline/entry.ts";
import { createHistory, type History } from "../timeline/history.ts";
import {
  type About,
  lastMinutesPath,
  openRecordingWriter,
  type RecordingWriter,
  writeLastMinutes,
} from "../timeline/writer.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { createRedact } from "../wire/redact.ts";
import type { Context } from "./context.ts";
import { learnedCursors, learnedPath, type Task } from "./prepare.ts";

/** How long a command waits for data without --timeout. */
export const DEFAULT_TIMEOUT_MS = 10_000;
/** Background requests a second. */
const USUAL_RATE = 2;

/** What a screen is told it shows itself. */
export type Listeners = Pick<SessionOptions, "onUpdate" | "onEvent"> & { readonly isScreen?: true };
export type WaitEnd = "met" | "timeout" | "interrupted";

/** What a command has of it. */
export type Live = ReturnType<typeof openLive>;

export interface SaveAbout {
  /** Why: for the heading, and in a word for the file's name. */
  readonly cause: string;
  readonly name: string;
  readonly shown: Shown;
  readonly isMasked: boolean;
}

/** The address of the stream. @throws {UsageError} without one */
export function requireWsUrl({ settings: { wsUrl } }: Task): string {
  if (wsUrl !== undefined) return wsUrl;
  throw new UsageError(
    "no address of the service is known",
    "give --ws-url (or MONITOR_WS_URL, or ws_url in the config file), or try: monitor demo",
  );
}

/** Connects. It must be closed. @throws {UsageError} without an address */
export function openLive(task: Task, channels: readonly string[]) {
  const { clock, random, env, log, stderr, options, interrupt } = task;
  const { baseUrl, headers, pinned, names, config, scales } = task.settings;
  const url = requireWsUrl(task);
  const listeners: Listeners[] = [];
  const wait = createWait({ clock, interrupt });
  let hasBeenOpen = false;
  let hasWarned = false;
  let fatal: ServiceError | undefined;

  const session = openSession({
    ...{ url, clock, random, channels, pinned, names, learnedPath: learnedPath(task) },
    openSocket: createWsSocket({ url, headers, clock, environment: env }),
    redact: createRedact(headers, channels),
    onUpdate(update, place, isContinuous) {
      for (const each of listeners) each.onUpdate?.(update, place, isContinuous);
      wait.check();
    },
    onEvent(event) {
      const { channel, detail } = event;
      log?.write(LEVELS[event.event] ?? "info", event.event, { channel, detail });
      hasBeenOpen ||= event.event === "connected";
      if (!hasBeenOpen) fatal ??= finalFault(session.store.link.fault);
      for (const each of listeners) each.onEvent?.(event);
      if (event.event === "version" && !listeners.some(({ isScreen }) => isScreen)) warn(detail);
      wait.check();
    },
  });
  const { recorder } = session;
  for (const [market, scale] of Object.entries(scales))
    session.store.scales.set(market, { ...scale, source: "config" });

  function warn(version: string): void {
    if (hasWarned) return;
    hasWarned = true;
    stderr.write(`monitor: the service speaks version ${version}: its data may be misread\n`);
  }

  // Background requests share it; the config may want none.
  const rate = config.rest_rate ?? USUAL_RATE;
  const budget = rate > 0 ? new RequestBudget(clock, rate) : undefined;
  const cursors = learnedCursors(task);
  let writer: RecordingWriter | undefined;
  let history: History | undefined;
  let past: Past | undefined;
  const isRedacted = options.redact === true || options.mask === true;
  const about: About = { version: VERSION, isRedacted };

  /** Holds the last minutes in memory from now on. */
  function remember(): History {
    history ??= createHistory(recorder);
    return history;
  }

  return {
    ...{ session, recorder, budget, cursors, remember },
    /** It is known what is shown: what --record asks for begins. @throws {MonitorError} when the file exists */
    begin(shown: Shown | undefined): void {
      if (options.record === undefined) return;
      writer = openRecordingWriter(options.record, recorder, clock, { ...about, shown });
    },
    /** Writes what is held, from a time on, to a new file of a folder. @returns its path. @throws {MonitorError} when it cannot be written */
    saveLast(folder: string, fromMs: number, { name, cause, shown, isMasked }: SaveAbout): string {
      const path = lastMinutesPath(folder, clock.wall(), name);
      const held = remember();
      recorder.settle();
      const of = { ...about, shown, cause, isRedacted: isMasked || isRedacted };
      writeLastMinutes(path, held, fromMs, of);
      return path;
    },
    /** Reads in the background what the listing tells of the time before. Without an address of the listings: nothing. */
    readPast(want: Pick<PastOptions, "flowSinceMs" | "wantedCandles">): void {
      if (baseUrl === undefined) return;
      past ??= openPast({
        ...{ store: session.store, baseUrl, headers, budget, cursors, clock, random, ...want },
        onChange: recorder.noteState,
        onTrouble: (detail) => log?.write("warn", "listing", { detail }),
      });
    },
    /** They hear what comes from now on. Several may listen. */
    listen: (each: Listeners) => void listeners.push(each),
    /** Looks at the condition after each event. @throws {ServiceError} when the first connection cannot be made */
    until: (isMet: () => boolean, timeoutMs = Number.POSITIVE_INFINITY): Promise<WaitEnd> =>
      wait.until(() => {
        if (fatal !== undefined) throw fatal;
        return isMet();
      }, timeoutMs),
    /** A recording has ended early. */
    hasFailed: () => writer?.failure !== undefined,
    /** @throws {MonitorError} when a recording has ended early */
    async close(): Promise<void> {
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
  task: Task,
  channels: readonly string[],
  work: (live: Live) => Promise<T>,
): Promise<T> {
  const live = openLive(task, channels);
  try {
    return await work(live);
  } finally {
    await live.close();
  }
}

const LEVELS: Readonly<Record<string, "warn" | "error" | "debug">> = {
  ...{ disconnected: "error", contradiction: "error", version: "error" },
  ...{ gap: "warn", rejected: "warn", refused: "warn" },
  ...{ late: "debug", repeat: "debug" },
};

/** Faults of the first connection that trying again does not mend, with advice. */
const FINAL: Readonly<Record<NonNullable<LinkFault["code"]>, string>> = {
  unauthorized: "credentials go with --header 'Name: value'",
  "not-websocket": "check --ws-url: the path of the interface is /v1/ws",
  proxy: PROXY_ADVICE,
};

function finalFault(fault: LinkFault | undefined): ServiceError | undefined {
  if (fault?.code === undefined) return undefined;
  const { code, status, detail } = fault;
  const advice = FINAL[code];
  const isPassing = status === undefined ? code === "proxy" : status >= 500 || status === 429;
  return isPassing ? undefined : new ServiceError(code, `no connection: ${detail}`, { advice });
}

/** True when each of them that is subscribed has brought something, or is refused. */
export function areAnswered({ session }: Live, channels: readonly string[]): boolean {
  return statusesOf(session.store, channels).every(
    ({ lastAtMs, phase }) => lastAtMs !== undefined || phase === "refused",
  );
}

export function statusesOf(store: Store, channels: readonly string[]): readonly ChannelStatus[] {
  return channels.flatMap((channel) => store.channels.get(channel) ?? []);
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
function createWait({ clock, interrupt }: Pick<Context, "clock" | "interrupt">) {
  const checks = new Set<() => void>();
  return {
    check() {
      for (const check of checks) check();
    },
    until(isMet: () => boolean, timeoutMs: number): Promise<WaitEnd> {
      let check = () => {};
      let cancel = () => {};
      const ended = new Promise<WaitEnd>((resolve, reject) => {
        check = () => {
          try {
            if (interrupt.aborted) resolve("interrupted");
            else if (isMet()) resolve("met");
          } catch (error) {
            reject(error);
          }
        };
        // One without end would keep the process from ending.
        if (Number.isFinite(timeoutMs)) cancel = clock.after(timeoutMs, () => resolve("timeout"));
      });
      checks.add(check);
      interrupt.addEventListener("abort", check);
      check();
      return ended.finally(() => {
        checks.delete(check);
        interrupt.removeEventListener("abort", check);
        cancel();
      });
    },
  };
}

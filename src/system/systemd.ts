// Notifies systemd (or any other owner of NOTIFY_SOCKET) of this process's state. The socket takes datagrams, which Node
// cannot send: each message is sent by systemd's `systemd-notify`, which a unit accepts with NotifyAccess=all.
import { type Clock, every, pause } from "../units/clock.ts";
import { type Program, runProgram } from "./program.ts";

const PROGRAM = "systemd-notify";
const TIME_LIMIT_MS = 5_000;
/** Between two attempts to send a message. */
const RETRY_MS = 1000;
/** Of one message: a lost READY would end the unit, and the last one delays the end of the process. */
const TRIES = 3;
const FOREVER_MS = Number.POSITIVE_INFINITY;
const NEVER = new AbortController().signal;

export interface Systemd {
  ready(): void;
  status(text: string): void;
  /** Announces the end of the process. Resolves once everything is sent, or cannot be. */
  stop(): Promise<void>;
}

/**
 * Sends one batch at a time; of pending messages only the newest of each kind.
 * @param onFault called once, if a message cannot be sent
 */
export function openSystemd(
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  onFault: (fault: string) => void,
): Systemd {
  const { PATH, NOTIFY_SOCKET } = env;
  const waiting = new Map<string, string>();
  let sending: Promise<void> | undefined;
  let hasSaid = false;

  async function sendAll(): Promise<void> {
    while (waiting.size > 0) {
      const words = [PROGRAM, ...[...waiting].map(([name, value]) => `${name}=${value}`)];
      waiting.clear();
      const fault = await notify({ words, env: { PATH, NOTIFY_SOCKET } }, clock);
      if (fault !== undefined && !hasSaid) onFault(fault);
      hasSaid ||= fault !== undefined;
    }
    // Synchronously after the loop: a message queued in a later turn would never be sent.
    sending = undefined;
  }

  function send(name: string, value: string): void {
    if (!NOTIFY_SOCKET) return;
    waiting.set(name, value);
    sending ??= sendAll();
  }

  // Half the period, so that one slow message does not miss the deadline.
  const stopWatchdog = every(clock, watchdogPeriodMs(env) / 2, () => send("WATCHDOG", "1"));
  return {
    ready: () => send("READY", "1"),
    // A line break would start another message.
    status: (text) => send("STATUS", text.replace(/[\p{Cc}]+/gu, " ")),
    async stop() {
      stopWatchdog();
      send("STOPPING", "1");
      await sending;
    },
  };
}

/** @returns why it was not sent */
async function notify(
  program: Pick<Program, "words" | "env">,
  clock: Clock,
): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    const end = await runProgram({ ...program, limitMs: TIME_LIMIT_MS }, clock);
    if (end.kind === "ended" && end.code === 0) return undefined;
    if (end.kind === "failed" && end.error.code === "ENOENT") return `there is no ${PROGRAM}`;
    if (tries === TRIES) return `${PROGRAM} does not succeed`;
    await pause(clock, RETRY_MS, NEVER);
  }
}

/** Infinite if there is none, or it is for another process. */
function watchdogPeriodMs(env: Parameters<typeof openSystemd>[0]): number {
  const { WATCHDOG_USEC: usec = "", WATCHDOG_PID: pid = `${process.pid}` } = env;
  const isOurs = pid === `${process.pid}`;
  return isOurs && /^[1-9][0-9]{3,14}$/.test(usec) ? Number(usec) / 1000 : FOREVER_MS;
}

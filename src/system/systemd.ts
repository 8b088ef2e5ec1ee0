// Notifies systemd (or any other owner of NOTIFY_SOCKET) of this process's state. The socket takes datagrams, which Node
// cannot send: each message is sent by systemd's `systemd-notify`, which a unit accepts with NotifyAccess=all.
import { type Clock, every } from "../units/clock.ts";
import { runProgram } from "./program.ts";

const PROGRAM = "systemd-notify";
const TIME_LIMIT_MS = 5_000;
/** A lost READY would end the unit. */
const TRIES = 3;

/** One message after the other. @param onFault called once, if one cannot be sent */
export function openSystemd(
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  onFault: (fault: string) => void,
) {
  const { PATH, NOTIFY_SOCKET } = env;
  let sent = Promise.resolve();
  let hasSaid = false;

  async function notify(message: string): Promise<void> {
    const program = { words: [PROGRAM, message], env: { PATH, NOTIFY_SOCKET } };
    let fault = `${PROGRAM} does not succeed`;
    for (let tries = 0; tries < TRIES; tries++) {
      const end = await runProgram({ ...program, limitMs: TIME_LIMIT_MS }, clock);
      if (end.kind === "ended" && end.code === 0) return;
      if (end.kind === "failed") fault = end.error.message;
    }
    if (!hasSaid) onFault(fault);
    hasSaid = true;
  }

  function send(message: string): void {
    if (NOTIFY_SOCKET) sent = sent.then(() => notify(message));
  }

  // Half the period, so that one slow message does not miss the deadline.
  const stopWatchdog = every(clock, watchdogPeriodMs(env) / 2, () => send("WATCHDOG=1"));
  return {
    ready: () => send("READY=1"),
    // A line break would start another message.
    status: (text: string) => send(`STATUS=${text.replace(/[\p{Cc}]+/gu, " ")}`),
    /** Announces the end of the process. Resolves once everything is sent, or cannot be. */
    stop(): Promise<void> {
      stopWatchdog();
      send("STOPPING=1");
      return sent;
    },
  };
}

/** Infinite if there is none, or it is for another process. */
function watchdogPeriodMs({ WATCHDOG_USEC = "", WATCHDOG_PID }: NodeJS.ProcessEnv): number {
  const isOurs = WATCHDOG_PID === undefined || WATCHDOG_PID === `${process.pid}`;
  const isPeriod = /^[1-9][0-9]{3,14}$/.test(WATCHDOG_USEC);
  return isOurs && isPeriod ? Number(WATCHDOG_USEC) / 1000 : Number.POSITIVE_INFINITY;
}

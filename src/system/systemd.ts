// Notifies systemd (or any other owner of NOTIFY_SOCKET) of this process's state. The socket takes datagrams, which Node
// cannot send: each message is sent by systemd's `systemd-notify`, which a unit accepts with NotifyAccess=all.
import type { Clock } from "../units/clock.ts";
import { every } from "../units/clock.ts";
import { runProgram } from "./program.ts";

const PROGRAM = "systemd-notify";
/** A slower message is abandoned, so that the next one is sent. */
const TIME_LIMIT_MS = 5_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts the program and waits for its end. */
export type RunNotifier = (
  args: readonly string[],
  env: Environment,
  clock: Clock,
) => Promise<string | undefined>;

export interface SystemdOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** This process's pid: the watchdog may be meant for another process. */
  readonly pid: number;
  /** Called once, if messages cannot be sent. */
  readonly onFault: (fault: string) => void;
  readonly run?: RunNotifier;
}

/** Sends one batch at a time, in order; of pending messages only the newest of each kind is sent. */
export class Systemd {
  readonly #options: SystemdOptions;
  readonly #waiting = new Map<string, string>();
  #sending: Promise<void> | undefined;
  #hasFault = false;
  #stopWatchdog = () => {};

  constructor(options: SystemdOptions) {
    this.#options = options;
    const periodMs = watchdogPeriodMs(options.env, options.pid);
    if (periodMs === undefined) return;
    // Half the period, so that one slow message does not miss the deadline.
    this.#stopWatchdog = every(options.clock, periodMs / 2, () => this.#send("WATCHDOG", "1"));
  }

  ready(): void {
    this.#send("READY", "1");
  }

  status(text: string): void {
    // A line break would start another message.
    this.#send("STATUS", text.replace(/[\p{Cc}]+/gu, " "));
  }

  /** Announces the end of the process. Resolves once everything is sent. */
  async stop(): Promise<void> {
    this.#stopWatchdog();
    this.#send("STOPPING", "1");
    while (this.#sending !== undefined) await this.#sending;
  }

  #send(name: string, value: string): void {
    if (!this.#options.env.NOTIFY_SOCKET || this.#hasFault) return;
    this.#waiting.set(name, value);
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const { env, clock, onFault, run = runNotifier } = this.#options;
    while (this.#waiting.size > 0 && !this.#hasFault) {
      const args = [...this.#waiting].map(([name, value]) => `${name}=${value}`);
      this.#waiting.clear();
      const fault = await run(args, { PATH: env.PATH, NOTIFY_SOCKET: env.NOTIFY_SOCKET }, clock);
      if (fault === undefined) continue;
      this.#hasFault = true;
      this.#stopWatchdog();
      onFault(fault);
    }
    // Synchronously after the loop: a message queued in a later turn would never be sent.
    this.#sending = undefined;
  }
}

/** The watchdog's timeout in milliseconds; undefined if there is none, or it is for another process. */
function watchdogPeriodMs(
  { WATCHDOG_USEC: usec = "", WATCHDOG_PID: pid }: Environment,
  own: number,
): number | undefined {
  const isOurs = pid === undefined || pid === String(own);
  return isOurs && /^[1-9][0-9]{3,14}$/.test(usec) ? Number(usec) / 1000 : undefined;
}

/** @returns why retrying is pointless; undefined if it was sent or may succeed next time */
const runNotifier: RunNotifier = async (args, env, clock) => {
  const end = await runProgram({ words: [PROGRAM, ...args], env, limitMs: TIME_LIMIT_MS }, clock);
  if (end.kind !== "failed") return undefined;
  return end.error.code === "ENOENT" ? `there is no ${PROGRAM}` : end.error.message;
};

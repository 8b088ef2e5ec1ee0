// Notifies systemd (or whoever has set NOTIFY_SOCKET) of what this process is doing. The socket takes datagrams, for which
// Node has no means of its own: each message is sent by systemd's `systemd-notify`, from which a unit takes it with
// NotifyAccess=all.
import type { Clock } from "../units/clock.ts";
import { every } from "../units/clock.ts";
import { runProgram } from "./program.ts";

const PROGRAM = "systemd-notify";
/** A message that takes longer is given up, so that the next one is sent. */
const TIME_LIMIT_MS = 5_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** What the program is started with; its end is awaited. */
export type RunNotifier = (
  args: readonly string[],
  env: Environment,
  clock: Clock,
) => Promise<string | undefined>;

export interface SystemdOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** Id of this process: a watchdog may be meant for another one. */
  readonly pid: number;
  /** Called once, when messages cannot be sent. */
  readonly onFault: (fault: string) => void;
  readonly run?: RunNotifier;
}

/** Messages in the order in which they are due; one at a time, and of those that wait only the newest of each kind. */
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
    // In time also when one message is slow.
    this.#stopWatchdog = every(options.clock, periodMs / 2, () => this.#send("WATCHDOG", "1"));
  }

  ready(): void {
    this.#send("READY", "1");
  }

  status(text: string): void {
    // A line break would begin another message.
    this.#send("STATUS", text.replace(/[\p{Cc}]+/gu, " "));
  }

  /** Says that the process ends. Answers when that is sent. */
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
    // Not a turn later: what is to be sent meanwhile would wait for ever.
    this.#sending = undefined;
  }
}

/** Milliseconds within which the watchdog has to be notified; undefined where there is none, or for another process. */
function watchdogPeriodMs(
  { WATCHDOG_USEC: usec = "", WATCHDOG_PID: pid }: Environment,
  own: number,
): number | undefined {
  const isOurs = pid === undefined || pid === String(own);
  return isOurs && /^[1-9][0-9]{3,14}$/.test(usec) ? Number(usec) / 1000 : undefined;
}

/** @returns why it is of no use to try again; undefined when it was sent, or may be next time */
const runNotifier: RunNotifier = async (args, env, clock) => {
  const end = await runProgram({ words: [PROGRAM, ...args], env, limitMs: TIME_LIMIT_MS }, clock);
  if (end.kind !== "failed") return undefined;
  return end.error.code === "ENOENT" ? `there is no ${PROGRAM}` : end.error.message;
};

// Notifies systemd (or any other owner of NOTIFY_SOCKET) of this process's state. The socket takes datagrams, which Node
// cannot send: each message is sent by systemd's `systemd-notify`, which a unit accepts with NotifyAccess=all.
import type { Clock } from "../units/clock.ts";
import { every } from "../units/clock.ts";
import { runProgram } from "./program.ts";

const PROGRAM = "systemd-notify";
/** A slower message is abandoned for now, so that a newer one can take its place. */
const TIME_LIMIT_MS = 5_000;
/** Between two attempts to send a message. */
const RETRY_MS = 1000;
/** Of the last message, which delays the end of the process. */
const STOP_TRIES = 3;
/** Errors that another try does not fix: no such program, or no permission. */
const FINAL: readonly (string | undefined)[] = ["ENOENT", "EACCES"];

type Environment = Readonly<Record<string, string | undefined>>;

/** `later`: not sent, but another try may succeed; a fault: none will. */
type NotifierEnd = "sent" | "later" | { readonly fault: string };

/** Starts the program and waits for its end. */
export type RunNotifier = (
  args: readonly string[],
  env: Environment,
  clock: Clock,
) => Promise<NotifierEnd>;

export interface SystemdOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** This process's pid: the watchdog may be meant for another process. */
  readonly pid: number;
  /** Called once, if messages cannot be sent. */
  readonly onFault: (fault: string) => void;
  readonly run?: RunNotifier;
}

/**
 * Sends one batch at a time, in order; of pending messages only the newest of each kind is sent. What could not be sent is
 * pending again: a lost READY would end the unit.
 */
export class Systemd {
  readonly #options: SystemdOptions;
  readonly #waiting = new Map<string, string>();
  #sending: Promise<void> | undefined;
  #hasFault = false;
  #stopWatchdog = () => {};
  #cancelRetry = () => {};

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

  /** Announces the end of the process. Resolves once everything is sent, or cannot be. */
  async stop(): Promise<void> {
    this.#stopWatchdog();
    this.#send("STOPPING", "1");
    await this.#sending;
    for (let tries = 1; this.#waiting.size > 0 && tries < STOP_TRIES; tries++) {
      this.#start();
      await this.#sending;
    }
    this.#cancelRetry();
  }

  #send(name: string, value: string): void {
    if (!this.#options.env.NOTIFY_SOCKET || this.#hasFault) return;
    this.#waiting.set(name, value);
    this.#start();
  }

  #start(): void {
    if (this.#waiting.size === 0 || this.#hasFault) return;
    this.#cancelRetry();
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const { env, clock, onFault, run = runNotifier } = this.#options;
    let end: NotifierEnd = "sent";
    while (this.#waiting.size > 0 && end === "sent") {
      const messages = [...this.#waiting];
      this.#waiting.clear();
      const args = messages.map(([name, value]) => `${name}=${value}`);
      end = await run(args, { PATH: env.PATH, NOTIFY_SOCKET: env.NOTIFY_SOCKET }, clock);
      if (end === "later") this.#wait(messages);
    }
    // Synchronously after the loop: a message queued in a later turn would never be sent.
    this.#sending = undefined;
    if (end === "later") this.#cancelRetry = clock.after(RETRY_MS, () => this.#start());
    if (typeof end === "string") return;
    this.#hasFault = true;
    this.#stopWatchdog();
    onFault(end.fault);
  }

  /** Makes messages pending again, unless a newer one of the same kind is. */
  #wait(messages: readonly (readonly [name: string, value: string])[]): void {
    const newer = [...this.#waiting];
    this.#waiting.clear();
    for (const [name, value] of [...messages, ...newer]) this.#waiting.set(name, value);
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

const runNotifier: RunNotifier = async (args, env, clock) => {
  const end = await runProgram({ words: [PROGRAM, ...args], env, limitMs: TIME_LIMIT_MS }, clock);
  if (end.kind === "ended" && end.code === 0) return "sent";
  if (end.kind !== "failed" || !FINAL.includes(end.error.code)) return "later";
  return { fault: end.error.code === "ENOENT" ? `there is no ${PROGRAM}` : end.error.message };
};

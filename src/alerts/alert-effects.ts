// What an alert does when it fires: a bell, a terminal notification, a program of the user.
import { OPTIONS } from "../args/options.ts";
import type { Config } from "../config/config-file.ts";
import { type ProgramEnd, runProgram } from "../system/program.ts";
import { oscSequence, remoteLabel } from "../terminal/session/osc.ts";
import type { TerminalTraits } from "../terminal/session/terminal-traits.ts";
import { visibleJson } from "../terminal/visible.ts";
import type { Clock } from "../units/clock.ts";
import { formatIsoMs } from "../units/time.ts";
import { type AlertFiring, alertMarket } from "./alert-manager.ts";
import { formatFiring, nameAccount } from "./alert-rows.ts";

const MAX_RUNNING = 4;
const TIME_LIMIT_MS = 10_000;

export type AlertEffect = (firing: AlertFiring, config: Config) => void;

/** What a fired alert does in addition to being shown; `link`: also ring the bell when the connection is lost. */
export type NotifyWay = "bell" | "notification" | "link";

const DEFAULT_WAYS: readonly NotifyWay[] = ["bell", "notification"];

/** @param emit sends sequences that draw nothing */
export function notifyEffect(
  emit: (sequences: string) => void,
  isMasked: () => boolean,
  traits: TerminalTraits,
): AlertEffect {
  return (firing, { notify = DEFAULT_WAYS }) =>
    emit(formatNotification(firing, notify, isMasked(), traits));
}

export function formatNotification(
  firing: AlertFiring,
  ways: readonly NotifyWay[],
  isMasked: boolean,
  traits: TerminalTraits,
): string {
  const value = firing.value === undefined ? undefined : remoteLabel(firing.value);
  const text = formatFiring({ ...firing, value }, isMasked);
  return [
    ways.includes("notification") ? oscSequence({ kind: "notification", text }, traits) : "",
    ways.includes("bell") ? "\x07" : "",
  ].join("");
}

export function firingJson({ alert, atWallMs, value, crossedDuringGap }: AlertFiring): string {
  const market = alertMarket(alert.rule);
  const { subject } = alert.rule;
  const event = {
    alert: alert.text,
    value: value ?? null,
    at: formatIsoMs(atWallMs),
    crossed_while_data_were_missing: crossedDuringGap,
    market: market === undefined ? null : { type: market.type, id: market.id },
    ...("account" in subject && { account: nameAccount(subject.account) }),
    firings: alert.state.firings,
  };
  return visibleJson(JSON.stringify(event));
}

/** Never passed on: the user's secrets, variables that load code into Node, and those that let a process act as this one. */
const OURS_ALONE: readonly string[] = [
  OPTIONS.header.env,
  "NODE_OPTIONS",
  "NOTIFY_SOCKET",
  "WATCHDOG_USEC",
  "WATCHDOG_PID",
];

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts the programs of alerts: without a shell, with a time limit, and only a few at a time. */
export class AlertHooks {
  readonly #clock: Clock;
  readonly #env: Environment;
  readonly #running = new Set<Promise<ProgramEnd>>();
  #runs = 0;
  #faultRun = 0;
  /** Why the last program failed; undefined after a success. */
  fault: string | undefined;

  constructor(clock: Clock, env: Environment) {
    this.#clock = clock;
    this.#env = Object.fromEntries(
      Object.entries(env).filter(([name]) => !OURS_ALONE.includes(name)),
    );
  }

  /** Resolves when no program is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Starts the alert's program, if it has one. Resolves when it has ended; never rejects. */
  async run(firing: AlertFiring): Promise<void> {
    const { exec: words = [] } = firing.alert;
    const [program] = words;
    if (program === undefined) return;
    const run = ++this.#runs;
    if (this.#running.size >= MAX_RUNNING) {
      this.#note(run, `${program}: ${MAX_RUNNING} programs run already`);
      return;
    }
    const input = `${firingJson(firing)}\n`;
    const request = { words, input, env: this.#env, limitMs: TIME_LIMIT_MS };
    const end = runProgram(request, this.#clock);
    this.#running.add(end);
    const fault = findFault(await end);
    this.#running.delete(end);
    if (fault !== undefined) this.#note(run, `${program}: ${fault}`);
    // A program started before the failed one does not clear its fault.
    else if (run > this.#faultRun) this.fault = undefined;
  }

  #note(run: number, fault: string): void {
    this.#faultRun = run;
    this.fault = fault;
  }
}

/** @returns why it failed; undefined if it succeeded */
function findFault(end: ProgramEnd): string | undefined {
  if (end.kind === "killed") return `killed after ${TIME_LIMIT_MS / 1000} s`;
  if (end.kind === "failed") return end.error.message;
  if (end.signal !== null) return `ended by ${end.signal}`;
  return end.code === 0 ? undefined : `ended with exit code ${end.code}`;
}

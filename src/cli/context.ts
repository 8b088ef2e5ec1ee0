// What a command receives: its arguments, its options and its environment.
import type { Readable, Writable } from "node:stream";
import type { Interruption, OnHangup } from "../system/interrupts.ts";
import type { Log } from "../system/log-file.ts";
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { Options } from "./options.ts";

export interface Context {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Arguments after the command's name. */
  readonly args: readonly string[];
  readonly options: Options;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log | undefined;
  /** Aborted by a signal, a stdout that no longer accepts data, or an internal error; its reason is an Interruption. */
  readonly interrupt: AbortSignal;
  readonly onHangup: OnHangup;
}

export const EXIT = { done: 0, failed: 1, usage: 2, unproven: 3 } as const;

export const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;

/** If the reader of stdout went away, it has all it needed: no failure. */
const INTERRUPTED: Readonly<Record<Interruption, number>> = {
  ...SIGNALS,
  "closed-stdout": EXIT.done,
  "failed-stdout": EXIT.failed,
  fault: EXIT.failed,
};

export function interruptedExitCode(interrupt: AbortSignal): number {
  return INTERRUPTED[interrupt.reason as Interruption];
}

/** To stop a command that goes on until it is stopped is its end. */
export function stoppedExitCode({
  interrupt,
  options,
}: Pick<Context, "interrupt" | "options">): number {
  const isEndless = !options.once && options.for === undefined;
  const isStop = interrupt.reason === "SIGINT" || interrupt.reason === "SIGTERM";
  return isEndless && isStop ? EXIT.done : interruptedExitCode(interrupt);
}

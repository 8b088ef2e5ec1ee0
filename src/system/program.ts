// A program that is started, written to and waited for: no shell, and not for ever.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Clock } from "../units/clock.ts";

/** `words`: name and arguments; `env`: the whole environment. */
export interface Program {
  readonly words: readonly string[];
  readonly input?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It is killed then, with all that it has started. */
  readonly limitMs: number;
}

export type ProgramEnd =
  | { readonly kind: "ended"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "killed" }
  | { readonly kind: "failed"; readonly error: NodeJS.ErrnoException };

/** Programs have a group of their own, so that what they have started ends with them. */
const HAS_GROUPS = process.platform !== "win32";

/** Waits for its end; this process may end before. */
export function runProgram(
  { words: [name = "", ...args], input, env, limitMs }: Program,
  clock: Clock,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let child: ChildProcessByStdio<Writable, null, null>;
    try {
      const stdio: ["pipe", "ignore", "ignore"] = ["pipe", "ignore", "ignore"];
      child = spawn(name, args, { stdio, env, shell: false, detached: HAS_GROUPS });
    } catch (error) {
      // Some faults are emitted as an event, others are thrown.
      resolve({ kind: "failed", error: error as Error });
      return;
    }
    const stopWaiting = clock.after(limitMs, () => {
      killGroup(child);
      resolve({ kind: "killed" });
    });
    const end = (how: ProgramEnd) => {
      stopWaiting();
      resolve(how);
    };
    child.on("error", (error) => end({ kind: "failed", error }));
    child.on("close", (code, signal) => end({ kind: "ended", code, signal }));
    // A program that does not read is no fault.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.unref();
  });
}

function killGroup(child: ChildProcessByStdio<Writable, null, null>): void {
  try {
    if (HAS_GROUPS && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

// Runs a program without a shell: writes its input and waits for its end, with a time limit.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Clock } from "../units/clock.ts";

/** `words`: name and arguments; `env`: the whole environment. */
export interface Program {
  readonly words: readonly string[];
  readonly input?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** After this time it is killed, with everything it has started. */
  readonly limitMs: number;
}

export type ProgramEnd =
  | { readonly kind: "ended"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "killed" }
  | { readonly kind: "failed"; readonly error: NodeJS.ErrnoException };

/** Programs get a process group of their own, so that everything they start can be killed with them. */
const HAS_GROUPS = process.platform !== "win32";

/** Waits for its end; does not keep this process alive. */
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
      // Some failures are emitted as events, others are thrown.
      resolve({ kind: "failed", error: error as Error });
      return;
    }
    const stopWaiting = clock.after(limitMs, () => {
      killGroup(child);
      resolve({ kind: "killed" });
    });
    const end = (outcome: ProgramEnd) => {
      stopWaiting();
      resolve(outcome);
    };
    child.on("error", (error) => end({ kind: "failed", error }));
    child.on("close", (code, signal) => end({ kind: "ended", code, signal }));
    // A program may ignore its input.
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

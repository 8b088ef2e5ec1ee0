// The built program as its user runs it: a process with its own streams.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Sees the output as it comes, and may end the program. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** Called when the program runs, with the means to end it. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Stop reading stdout after the first of it. */
  readonly isReaderGone?: boolean;
}

/** Runs `monitor …` to its end, with nothing of the environment that could change what it does. */
export function runMonitor(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME: "/nonexistent", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    options.onOutput?.(stdout, (signal) => child.kill(signal));
    if (options.isReaderGone) child.stdout.destroy();
  });
  options.onStart?.((signal) => child.kill(signal));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

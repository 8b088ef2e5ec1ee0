// The built program as its user runs it: a process with its own streams.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/system/system-clock.ts";

const program = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Sees the output as it comes, and may end the program by one signal. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** Ends the program by SIGTERM as soon as it has said so much. */
  readonly until?: (stdout: string, stderr: string) => boolean;
  /** Called when the program runs, with the means to end it and its process id. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void, pid: number) => void;
  /** What a shell does before it runs the program, and where it sends what the program prints. */
  readonly shell?: { readonly before?: string; readonly after?: string };
  /** Stop reading stdout after the first of it. */
  readonly isReaderGone?: boolean;
}

/** Runs `monitor …` to its end, with nothing of the environment that could change what it does. */
export function runMonitor(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { PATH = "" } = process.env;
  const [command = "", ...words] = [...shellWords(options), process.execPath, program, ...args];
  const child = spawn(command, words, {
    env: { PATH, HOME: "/dev/null", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  // Once: a second signal means something else, and output may follow the first.
  let isTold = false;
  const end = (signal: NodeJS.Signals) => {
    if (!isTold) child.kill(signal);
    isTold = true;
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    options.onOutput?.(stdout, end);
    if (options.until?.(stdout, stderr)) end("SIGTERM");
    if (options.isReaderGone) child.stdout.destroy();
  });
  options.onStart?.(end, child.pid ?? 0);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (options.until?.(stdout, stderr)) end("SIGTERM");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

function shellWords({ shell }: RunOptions): readonly string[] {
  if (shell === undefined) return [];
  const { before = ":", after = "" } = shell;
  return ["/bin/sh", "-c", `${before}; exec "$0" "$@" ${after}`];
}

const LOOK_PERIOD_MS = 50;

/** Runs `monitor …` until a file that it writes is as wanted, then ends it by SIGTERM. */
export async function runUntilFile(
  args: readonly string[],
  path: string,
  isWritten: (bytes: Buffer) => boolean,
  { env = {} }: Pick<RunOptions, "env"> = {},
): Promise<Finished> {
  let isOver = false;
  const finished = runMonitor(args, {
    env,
    onStart: async (kill) => {
      while (!isOver && !isWritten(await readFile(path).catch(() => Buffer.alloc(0)))) {
        await new Promise<void>((resolve) => systemClock.after(LOOK_PERIOD_MS, resolve));
      }
      kill("SIGTERM");
    },
  });
  return finished.finally(() => {
    isOver = true;
  });
}

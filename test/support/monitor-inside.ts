// The program inside the process of its test: everything but the process itself, in a fraction of the time.
import { Readable, Writable } from "node:stream";
import { main } from "../../src/run.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";
import type { Finished, RunOptions } from "./monitor-process.ts";
import { runSettled } from "./settled-run.ts";

/** What a run that nobody interrupted has come to. */
export interface Returned {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `monitor …` to its end, with nothing of the environment that could change what it does.
 * @param interrupt ends it before; its reason is an Interruption
 */
export async function runInside(
  args: readonly string[],
  interrupt: AbortSignal = new AbortController().signal,
  clock: Clock = systemClock,
): Promise<Returned> {
  const [stdout, stderr] = [collector(), collector()];
  const code = await main(args, {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    // An empty config file: that of whoever runs the tests says nothing here.
    env: { MONITOR_CONFIG: "/dev/null" },
    clock,
    // The shortest waits before something is tried again.
    random: () => 0,
    interrupt,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

interface InsideOptions extends Pick<RunOptions, "env" | "onOutput" | "until"> {
  readonly clock?: Clock;
  /** What it prints is for a terminal. */
  readonly isTTY?: boolean;
}

/** As `runMonitor` of a process, where the process itself is not what is tested. */
export async function runMonitor(
  args: readonly string[],
  { env, onOutput, until, clock = systemClock, isTTY = false }: InsideOptions = {},
): Promise<Finished> {
  const { PATH = "" } = process.env;
  const end = new AbortController();
  const kill = (signal: NodeJS.Signals) => end.abort(signal);
  const look = () => {
    onOutput?.(stdout.text(), kill);
    if (until?.(stdout.text(), stderr.text())) kill("SIGTERM");
  };
  const [stdout, stderr] = [collector(look), collector(look)];
  for (const { stream } of isTTY ? [stdout, stderr] : []) {
    Object.assign(stream, { isTTY, columns: 120, rows: 40 });
  }
  const code = await main(args, {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { PATH, HOME: "/dev/null", ...env },
    clock,
    random: Math.random,
    interrupt: end.signal,
  });
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

/** On a virtual clock: services that wait by a clock of their own would be overtaken. */
export const runInsideSettled = (args: readonly string[]): Promise<Returned> =>
  runSettled((clock) => runInside(args, undefined, clock));

/** As `runMonitor`, on a virtual clock. */
export const runMonitorSettled = (
  args: readonly string[],
  options: Omit<InsideOptions, "clock"> = {},
): Promise<Finished> => runSettled((clock) => runMonitor(args, { ...options, clock }));

/** @param onChunk called when something has come */
function collector(onChunk: () => void = () => {}) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
      onChunk();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

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
export const runInside = (
  args: readonly string[],
  interrupt: AbortSignal = new AbortController().signal,
  clock: Clock = systemClock,
): Promise<Returned> =>
  runMain(args, {
    // An empty config file: that of whoever runs the tests says nothing here.
    env: {
      MONITOR_CONFIG: "/dev/null",
      HOME: "/dev/null",
      XDG_DATA_HOME: process.env.XDG_DATA_HOME,
    },
    clock,
    // The shortest waits before something is tried again.
    random: () => 0,
    interrupt,
    onHangup: () => () => {},
  });

interface InsideOptions extends Pick<RunOptions, "env" | "onOutput" | "until"> {
  readonly clock?: Clock;
  /** What it prints is for a terminal. */
  readonly isTTY?: boolean;
}

/** As `runMonitor` of a process, where the process itself is not what is tested. */
export async function runMonitor(
  args: readonly string[],
  { env, onOutput, until, clock = systemClock, isTTY }: InsideOptions = {},
): Promise<Finished> {
  const { PATH = "" } = process.env;
  const end = new AbortController();
  let hangup: (() => void) | undefined;
  const kill = (signal: NodeJS.Signals) =>
    signal === "SIGHUP" && hangup !== undefined ? hangup() : end.abort(signal);
  const options = {
    env: { PATH, HOME: "/dev/null", ...env },
    clock,
    isTTY,
    random: () => 0.5,
    interrupt: end.signal,
    onHangup: (listener: () => void) => {
      hangup = listener;
      return () => {};
    },
  };
  const returned = await runMain(args, options, (stdout, stderr) => {
    onOutput?.(stdout, kill);
    if (until?.(stdout, stderr)) kill("SIGTERM");
  });
  return { ...returned, signal: null };
}

type MainOptions = Pick<
  Parameters<typeof main>[1],
  "env" | "clock" | "random" | "interrupt" | "onHangup"
>;

/** @param onOutput sees all that was printed whenever more is */
async function runMain(
  args: readonly string[],
  { isTTY = false, ...options }: MainOptions & { readonly isTTY?: boolean | undefined },
  onOutput: (stdout: string, stderr: string) => void = () => {},
): Promise<Returned> {
  const collector = () => {
    const chunks: Buffer[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
        onOutput(stdout.text(), stderr.text());
      },
    });
    if (isTTY) Object.assign(stream, { isTTY, columns: 120, rows: 40 });
    return { stream, text: () => Buffer.concat(chunks).toString() };
  };
  const [stdout, stderr] = [collector(), collector()];
  const code = await main(args, {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    ...options,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** On a virtual clock: services that wait by a clock of their own would be overtaken. */
export const runInsideSettled = (args: readonly string[]): Promise<Returned> =>
  runSettled((clock) => runInside(args, undefined, clock));

/** As `runMonitor`, on a virtual clock. */
export const runMonitorSettled = (
  args: readonly string[],
  options: Omit<InsideOptions, "clock"> = {},
): Promise<Finished> => runSettled((clock) => runMonitor(args, { ...options, clock }));

// The program inside the process of its test: everything but the process itself, in a fraction of the time.
import { Readable, Writable } from "node:stream";
import { main } from "../../src/run.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";

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

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

// The program's JSON lines, read until the market stands still and what they say does too.

import type { Clock } from "../../src/units/clock.ts";
import type { Flow } from "./flow-oracle.ts";
import type { ForeignService } from "./foreign-service.ts";
import { runMonitor } from "./monitor-inside.ts";
import type { Finished } from "./monitor-process.ts";

/** A line of `--json`, as far as it is looked at. */
export interface Shown {
  readonly scale: Readonly<Record<string, unknown>>;
  readonly bbo: { readonly bid: unknown };
  readonly orderbook: { readonly sequence: string } | null;
  readonly trades: readonly unknown[];
  readonly link: { readonly reconnects: number };
  readonly flow: Flow;
  readonly panes: Readonly<Record<string, { readonly state: string; readonly gaps: number }>>;
}

/**
 * Runs `monitor … --json` until the service has nothing more to do, two lines in a row say the same, and the last is
 * as wanted; then ends it with SIGTERM. The test's own time limit ends the wait.
 */
export async function runUntilStill(
  service: ForeignService,
  clock: Clock,
  args: readonly string[],
  isMet: (shown: Shown) => boolean,
): Promise<{ finished: Finished; shown: Shown }> {
  let shown: Shown | undefined;
  let stillFrom: number | undefined;
  const finished = await runMonitor([...args, "--json"], {
    clock,
    onOutput: (stdout, kill) => {
      if (!service.isStill || shown !== undefined) return;
      stillFrom ??= stdout.length;
      const [before, last] = linesOf(stdout.slice(stillFrom)).slice(-2);
      if (before === undefined || last === undefined) return;
      if (last.orderbook === null || contentOf(before) !== contentOf(last) || !isMet(last)) return;
      shown = last;
      kill("SIGTERM");
    },
  });
  if (shown === undefined) throw new Error(`it ended before: ${finished.stderr}`);
  return { finished, shown };
}

/** Whole lines; what comes before the first line feed may be the end of one. */
function linesOf(text: string): Shown[] {
  return text
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line) as Shown);
}

const contentOf = ({ bbo, orderbook, trades }: Shown) => JSON.stringify([bbo, orderbook, trades]);

// A terminal without a user, for a picture of the screen: no input, and all output is discarded.
import { EventEmitter } from "node:events";
import type { Context } from "../../args/context.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { TerminalOptions } from "../../terminal/open-terminal.tsx";
import { type Clock, pause } from "../../units/clock.ts";

/** Size of the picture if there is no terminal. */
const COLUMNS = 120;
const ROWS = 40;
const LOOK_EVERY_MS = 100;
const MARKET_VIEW = "market";
/** Time for received data to be drawn. */
const DRAWN_AFTER_MS = 300;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Stands in for the process, its streams and the output. */
export function createOffscreenTerminal({
  stdout: { columns, rows },
}: Pick<Context, "stdout">): Pick<TerminalOptions, "process" | "stdin" | "stdout" | "output"> {
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    read: () => null,
    setRawMode: () => stdin,
    setEncoding: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  }) as unknown as NodeJS.ReadStream;
  return {
    stdin,
    process: Object.assign(new EventEmitter(), { pid: 0, kill: () => {} }),
    stdout: Object.assign(new EventEmitter(), { columns: columns || COLUMNS, rows: rows || ROWS }),
    output: { write: (bytes, done) => done(null, bytes.length), writeSync: () => {} },
  };
}

/** Waits until every feed of the view has its first data (or never will) and is drawn. @returns labels of missing feeds */
export async function waitUntilComplete(
  dashboard: Dashboard,
  { clock, signal, timeoutMs = DEFAULT_TIMEOUT_MS }: Waiting,
): Promise<readonly string[]> {
  const until = clock.now() + timeoutMs;
  const missing = () => {
    const { market, account, view } = dashboard;
    if (view.name === MARKET_VIEW && market === undefined && account === undefined)
      return [MARKET_VIEW];
    const { feeds } = dashboard.model;
    return feeds.filter(({ status }) => status.state === "waiting").map(({ label }) => label);
  };
  const isWhole = () => dashboard.options.store.link?.state === "open" && missing().length === 0;
  while (!isWhole() && clock.now() < until) await pause(clock, LOOK_EVERY_MS, signal);
  dashboard.tick();
  await pause(clock, DRAWN_AFTER_MS, signal);
  return missing();
}

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
}

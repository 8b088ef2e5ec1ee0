// A terminal that nobody sees, for a picture of the screen: it types nothing, and takes everything.
import { EventEmitter } from "node:events";
import type { Context } from "../../args/context.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { TerminalOptions } from "../../terminal/open-terminal.tsx";
import type { Clock } from "../../units/clock.ts";
import { pause } from "../../units/clock.ts";

/** Where nothing says of what size the picture is to be. */
const COLUMNS = 120;
const ROWS = 40;
const LOOK_EVERY_MS = 100;
const MARKET_VIEW = "market";
/** Until what has come is drawn. */
const DRAWN_AFTER_MS = 300;
const DEFAULT_TIMEOUT_MS = 10_000;

class SilentInput extends EventEmitter {
  readonly isTTY = true;
  read() {
    return null;
  }
  setRawMode() {
    return this;
  }
  setEncoding() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

class UnseenOutput extends EventEmitter {
  readonly columns: number;
  readonly rows: number;

  constructor({ stdout: { columns, rows } }: Pick<Context, "stdout">) {
    super();
    this.columns = columns || COLUMNS;
    this.rows = rows || ROWS;
  }
}

class NoProcess extends EventEmitter {
  readonly pid = 0;
  kill(): void {}
}

/** In the place of the process, its streams and their output. */
export function unseenTerminal(
  context: Context,
): Pick<TerminalOptions, "process" | "stdin" | "stdout" | "output"> {
  return {
    process: new NoProcess(),
    stdin: new SilentInput() as unknown as NodeJS.ReadStream,
    stdout: new UnseenOutput(context),
    output: { write: (bytes, done) => done(null, bytes.length), writeSync: () => {} },
  };
}

/**
 * Waits until every feed of the view has its first data, or will never have any, and is drawn.
 * @returns what never came, by name
 */
export async function untilWhole(
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

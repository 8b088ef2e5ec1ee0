// A live view in each of its forms: on screen, as a line a second, or once as text or JSON; recorded with --record.
import { spawn } from "node:child_process";
import type { Context } from "../args/context.ts";
import type { MarketArgument } from "../args/targets.ts";
import type { Config } from "../config/config-file.ts";
import type { Service } from "../live/service.ts";
import type { AccountChoice } from "../select/account.ts";
import { marketChannels } from "../select/market.ts";
import type { NamedAccount } from "../select/overview.ts";
import type { EarlyStream } from "../stream/early-stream.ts";
import { terminalTraits } from "../terminal/session/terminal-traits.ts";
import { startWatcher, type Watcher } from "../terminal/session/watcher.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Scale } from "../units/scale.ts";
import type { Interval } from "../wire/channels.ts";
import { withRecording } from "./recording.ts";

export interface LiveRun {
  /** Name of the command, for the heading of a recording. */
  readonly command: string;
  readonly config: Config;
  /** Called once; may have to start the service first. */
  readonly findService: () => Promise<Service>;
  /** True for the built-in exchange: every view shows that it is simulated. */
  readonly isSimulated: boolean;
  /** Undefined if only an account is shown. */
  readonly market: MarketArgument | undefined;
  readonly account?: AccountChoice | undefined;
  /** Accounts named by the user, whose subaccounts are shown. */
  readonly accounts?: readonly NamedAccount[];
  /** Candle interval; with an account, that of markets opened from it. */
  readonly interval: Interval;
  /** Scales given in the config, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  /** Name of the first view; the market by default. */
  readonly start?: string;
  /** Only REST listings are available: the address of the stream is not known. */
  readonly isListingOnly?: boolean;
}

/**
 * @param print the headless form of the view
 * @throws {UsageError} when options contradict each other, or the terminal cannot show a screen; what ends the view: no such
 *   market, no WebSocket at that address; the recording's failure
 */
export function runLive<R extends LiveRun>(
  context: Context,
  run: R,
  print: (run: R) => Promise<number>,
): Promise<number> {
  const { record, once, for: forMs } = context.options;
  return withRecording(context, record, run.findService, run, async (findService) => {
    if (once && forMs !== undefined) {
      throw new UsageError("--once and --for exclude each other", "give one of them");
    }
    refuseMaskedJson(context);
    if (!isHeadless(context)) return runOnScreen(context, { ...run, findService });
    refuseAlerts(context);
    await checkPreferences(context, run.config);
    return print({ ...run, findService });
  });
}

/** Rejects invalid screen options in headless runs too, so that a script fails early. @throws {UsageError} */
export async function checkPreferences(context: Context, config: Config): Promise<void> {
  if (context.options.theme === undefined) return;
  const { resolvePreferences } = await import("./preferences.ts");
  resolvePreferences(context, config);
}

/** @throws {UsageError} when the terminal cannot show a screen; what ends the view */
export async function runOnScreen(context: Context, run: LiveRun): Promise<number> {
  requireScreen(context);
  const watcher = watchTerminal(context);
  if (run.isListingOnly || run.isSimulated) return showDashboard(context, run, watcher);
  const service = await run.findService();
  // A recording begins with the session, which an early stream would precede.
  const early = service.recorder === undefined ? await openEarly(context, run, service) : undefined;
  try {
    const findService = async () => ({ ...service, early });
    return await showDashboard(context, { ...run, findService }, watcher);
  } finally {
    early?.close();
  }
}

async function showDashboard(context: Context, run: LiveRun, watcher: Watcher | undefined) {
  await turn(context.clock);
  const { runDashboard } = await import("./screen/dashboard.ts");
  return runDashboard(context, run, watcher);
}

/** Lets a pending connection send its handshake: two turns, since the current poll phase may already have passed it. */
function turn(clock: Context["clock"]): Promise<void> {
  return new Promise((resolve) => {
    clock.soon(() => clock.soon(resolve));
  });
}

/** Connection, hello and the first subscriptions take several round trips: they proceed while the screen is loaded. */
async function openEarly(
  { clock, random }: Context,
  run: LiveRun,
  service: Service,
): Promise<EarlyStream> {
  const [{ openEarlyStream }, { createWsSocket }] = await Promise.all([
    import("../stream/early-stream.ts"),
    import("../stream/ws-socket.ts"),
  ]);
  const openSocket = createWsSocket({ ...service, clock });
  return openEarlyStream({ openSocket, clock, random }, getHeadChannels(run));
}

function getHeadChannels({ market, interval }: LiveRun): readonly string[] {
  if (market === undefined) return [];
  if ("symbol" in market) return ["markets"];
  const { bbo, marketStats } = marketChannels(market, interval);
  return [bbo, marketStats, "markets"];
}

/** Called early, to read the terminal's settings before they change. Undefined without a terminal, and on Windows. */
export function watchTerminal(context: Context): Watcher | undefined {
  const { stdin, stdout, env } = context;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  if (!isTerminal || process.platform === "win32") return undefined;
  return startWatcher(spawn, env.PATH, {
    hasTitle: terminalTraits(env).hasTitle,
  });
}

type Asked = Pick<Context, "options" | "env" | "stdout">;

/** Values of INK_SCREEN_READER that mean off. */
const OFF = new Set([undefined, "", "0", "false"]);

/** True if output is lines, text or JSON although there may be a terminal. */
export function isHeadless({ options, env, stdout }: Asked): boolean {
  const { once, for: forMs, json, plain } = options;
  const isPlain = plain === true || !OFF.has(env.INK_SCREEN_READER);
  return isPlain || once === true || json === true || forMs !== undefined || stdout.isTTY !== true;
}

/** @throws {UsageError} when alerts are given: headless forms cannot show them */
export function refuseAlerts({ options }: Pick<Context, "options">): void {
  if (options.alert === undefined) return;
  throw new UsageError(
    "--alert needs the screen",
    "leave out --once, --for, --json and --plain, on a terminal",
  );
}

/** @throws {UsageError} when the terminal cannot show a screen */
export function requireScreen({ env }: Pick<Context, "env">): void {
  if (env.TERM !== "dumb") return;
  throw new UsageError(
    "this terminal cannot show a screen (TERM=dumb)",
    "give --plain: lines of words instead; or --once, or --for",
  );
}

/** JSON contains records exactly as received, so nothing in it can be masked. @throws {UsageError} */
export function refuseMaskedJson({ options }: Pick<Context, "options">): void {
  if (!options.json || !options.mask) return;
  throw new UsageError(
    "--json prints records as received, and --mask would hide parts of them",
    "leave one of them out",
  );
}

// The forms of a live view: on the screen, as a line a second, or once as text or JSON.

import type { Context } from "../args/context.ts";
import type { MarketArgument } from "../args/market-argument.ts";
import type { Service } from "../config/service.ts";
import type { AccountChoice } from "../select/account.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Scale } from "../units/scale.ts";
import type { Interval } from "../wire/channels.ts";
import { isHeadless, refuseAlerts, refuseMaskedJson, requireScreen } from "./plain.ts";
import { watchTerminal } from "./screen/terminal-watcher.ts";

/** What a live view is made from: a market, an account, or both. */
export interface LiveRun {
  /** Called once, when the first frame is on the screen: it may have to start the service first. */
  readonly findService: () => Promise<Service>;
  /** True for the built-in exchange: every view says so. */
  readonly isSimulated: boolean;
  /** Undefined where only an account is shown. */
  readonly market: MarketArgument | undefined;
  /** The subaccount that is watched beside the market. */
  readonly account?: AccountChoice | undefined;
  /** Candle interval. */
  readonly interval: Interval;
  /** Scales that the config gives, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  /** Name of the view to begin with; the market without it. */
  readonly start?: string;
  /** There are only listings, and no stream: its address is not known. */
  readonly isListingOnly?: boolean;
}

/**
 * Runs until it has printed, until the user leaves, or until it is interrupted. Answers the exit code.
 * @param print the view without a screen
 * @param run what the dashboard shows, where there is one
 * @throws {UsageError} when options contradict each other, or the terminal cannot show a screen
 */
export async function runLive(
  context: Context,
  print: () => Promise<number>,
  run: LiveRun,
): Promise<number> {
  const { once, for: forMs } = context.options;
  if (once && forMs !== undefined) {
    throw new UsageError("--once and --for exclude each other", "give one of them");
  }
  refuseMaskedJson(context);
  if (isHeadless(context)) {
    refuseAlerts(context);
    return print();
  }
  requireScreen(context);
  const watcher = watchTerminal(context);
  const { runDashboard } = await import("./screen/dashboard.ts");
  return runDashboard(context, run, watcher);
}

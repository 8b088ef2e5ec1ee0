// The view of a subaccount in each of its forms: on the screen, as a line a second, or once as text or JSON.
import type { Interval } from "../protocol/channel.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Scale } from "../units/scale.ts";
import type { AccountChoice } from "../view/account.ts";
import type { Context } from "./context.ts";
import { isHeadless, refuseAlerts, requireScreen } from "./plain.ts";
import { maskedJson, type Service } from "./run-market.ts";
import { watchTerminal } from "./terminal-watcher.ts";

export interface AccountRun {
  /** Called once, when the first frame is on the screen. */
  readonly findService: () => Promise<Service>;
  readonly account: AccountChoice;
  /** Scales that the config gives, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  /** Candle interval of a market that is opened from the account. */
  readonly interval: Interval;
}

/** Runs until it has printed, until the user leaves, or until it is interrupted. Answers the exit code. */
export async function runAccount(context: Context, run: AccountRun): Promise<number> {
  const { once, for: forMs, json, mask } = context.options;
  if (once && forMs !== undefined) {
    throw new UsageError("--once and --for exclude each other", "give one of them");
  }
  if (json && mask) throw maskedJson();
  if (isHeadless(context)) {
    refuseAlerts(context);
    const { runHeadlessAccount } = await import("./headless-account.ts");
    return runHeadlessAccount(context, run);
  }
  requireScreen(context);
  const watcher = watchTerminal(context);
  const { runDashboard } = await import("./dashboard.ts");
  return runDashboard(
    context,
    { ...run, market: undefined, isSimulated: false, start: "account" },
    watcher,
  );
}

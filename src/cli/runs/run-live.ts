// The forms of a live view: on the screen, as a line a second, or once as text or JSON.
import { UsageError } from "../../units/monitor-error.ts";
import type { Context } from "../context.ts";
import { watchTerminal } from "../dashboard/terminal-watcher.ts";
import { isHeadless, refuseAlerts, requireScreen } from "./plain.ts";
import type { DashboardRun } from "./run-market.ts";

/**
 * Runs until it has printed, until the user leaves, or until it is interrupted. Answers the exit code.
 * @param print the view without a screen
 * @param run the dashboard, where there is one
 */
export async function runLive(
  context: Context,
  print: () => Promise<number>,
  run: DashboardRun,
): Promise<number> {
  const { once, for: forMs, json, mask } = context.options;
  if (once && forMs !== undefined) {
    throw new UsageError("--once and --for exclude each other", "give one of them");
  }
  if (json && mask) throw maskedJson();
  if (isHeadless(context)) {
    refuseAlerts(context);
    return print();
  }
  requireScreen(context);
  const watcher = watchTerminal(context);
  const { runDashboard } = await import("../dashboard/dashboard.ts");
  return runDashboard(context, run, watcher);
}

/** JSON carries what the service sent, letter by letter: nothing can be hidden in it. */
export function maskedJson(): UsageError {
  return new UsageError(
    "--json carries records as they came, and --mask would hide parts of them",
    "leave one of them out",
  );
}

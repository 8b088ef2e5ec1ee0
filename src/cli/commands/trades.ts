// monitor trades: see runs/run-history.ts.
import type { Context } from "../context.ts";
import { runHistory } from "../runs/run-history.ts";

/**
 * Answers the exit code.
 * @throws as `runHistory`
 */
export function run(context: Context): Promise<number> {
  return runHistory(context, "trades");
}

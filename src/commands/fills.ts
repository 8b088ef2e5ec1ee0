// monitor fills: see runs/run-history.ts.
import type { Context } from "../args/context.ts";
import { runHistory } from "./run-history.ts";

/**
 * Answers the exit code.
 * @throws as `runHistory`
 */
export function run(context: Context): Promise<number> {
  return runHistory(context, "fills");
}

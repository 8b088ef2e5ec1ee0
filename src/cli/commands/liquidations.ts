// monitor liquidations: see run-history.ts.
import type { Context } from "../context.ts";
import { runHistory } from "../runs/run-history.ts";

/** Answers the exit code. */
export function run(context: Context): Promise<number> {
  return runHistory(context, "liquidations");
}

// monitor trades: see run-history.ts.
import type { Context } from "../context.ts";
import { runHistory } from "../run-history.ts";

export function run(context: Context): Promise<number> {
  return runHistory(context, "trades");
}

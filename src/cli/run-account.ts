// The view of a subaccount in each of its forms: on the screen, as a line a second, or once as text or JSON.
import { UsageError } from "../units/monitor-error.ts";
import type { AccountArgument } from "./account-argument.ts";
import type { Context } from "./context.ts";
import type { Service } from "./run-market.ts";

export interface AccountRun {
  /** Called once, when the first frame is on the screen. */
  readonly findService: () => Promise<Service>;
  readonly account: AccountArgument;
}

/** Runs until it has printed, until the user leaves, or until it is interrupted. Answers the exit code. */
export async function runAccount(context: Context, run: AccountRun): Promise<number> {
  const { once, for: forMs } = context.options;
  if (once && forMs !== undefined) {
    throw new UsageError("--once and --for exclude each other", "give one of them");
  }
  const { runHeadlessAccount } = await import("./headless-account.ts");
  return runHeadlessAccount(context, run);
}

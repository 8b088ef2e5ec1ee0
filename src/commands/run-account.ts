// The view of a subaccount in each of its forms: on the screen, as a line a second, or once as text or JSON.

import type { Context } from "../args/context.ts";
import type { AccountChoice } from "../select/account.ts";
import { type LiveRun, runLive } from "./run-live.ts";

/** What the view of a subaccount is made from. The interval is that of a market that is opened from it. */
export interface AccountRun extends Pick<LiveRun, "findService" | "interval" | "knownScales"> {
  readonly account: AccountChoice;
}

/**
 * The view of a subaccount. Answers the exit code.
 * @throws as `runLive`, and what ends the view: no WebSocket at that address
 */
export function runAccount(context: Context, run: AccountRun): Promise<number> {
  const print = async () => {
    const { runHeadlessAccount } = await import("../print/headless-account.ts");
    return runHeadlessAccount(context, run);
  };
  return runLive(context, print, {
    ...run,
    market: undefined,
    isSimulated: false,
    start: "account",
  });
}

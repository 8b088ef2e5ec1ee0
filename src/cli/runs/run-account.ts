// The view of a subaccount in each of its forms: on the screen, as a line a second, or once as text or JSON.
import type { Interval } from "../../protocol/channel.ts";
import type { Scale } from "../../units/scale.ts";
import type { AccountChoice } from "../../view/account.ts";
import type { Context } from "../context.ts";
import { runLive } from "./run-live.ts";
import type { Service } from "./run-market.ts";

/** What the view of a subaccount is made from. */
export interface AccountRun {
  /** Called once, when the first frame is on the screen. */
  readonly findService: () => Promise<Service>;
  readonly account: AccountChoice;
  /** Scales that the config gives, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  /** Candle interval of a market that is opened from the account. */
  readonly interval: Interval;
}

/** The view of a subaccount. Answers the exit code. */
export function runAccount(context: Context, run: AccountRun): Promise<number> {
  const print = async () => {
    const { runHeadlessAccount } = await import("../headless/headless-account.ts");
    return runHeadlessAccount(context, run);
  };
  return runLive(context, print, {
    ...run,
    market: undefined,
    isSimulated: false,
    start: "account",
  });
}

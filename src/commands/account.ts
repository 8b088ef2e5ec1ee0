// monitor account <address>... [subaccount_id]: live view of one subaccount, or all of several; also headless.

import type { Context } from "../args/context.ts";
import { chosenOwner, parseAccounts } from "../args/targets.ts";
import { chosenSubaccount } from "../select/account.ts";
import { runLive } from "./live-run.ts";
import { liveService, prepare } from "./prepare.ts";

/** @throws {UsageError} on an invalid argument; as `prepare` and `runLive` */
export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const accounts = parseAccounts(context.args, settings.accounts);
  const [first, ...others] = accounts;
  const chosen = first && others.length === 0 ? chosenSubaccount(first) : undefined;
  const account = chosen ?? (others.length === 0 ? first : undefined);
  const { interval, knownScales } = settings;
  const owner = chosenOwner(context.options, accounts);
  const service = { ...liveService(settings), owner };
  const live = {
    command: "account",
    config: file.config,
    account,
    accounts,
    interval,
    knownScales,
    market: undefined,
    isSimulated: false,
    start: "account",
    findService: async () => service,
  };
  return runLive(context, live, async (run) => {
    if (chosen === undefined) {
      const { printOverview } = await import("../print/overview.ts");
      return printOverview(context, run);
    }
    const { printAccount } = await import("../print/account.ts");
    return printAccount(context, { ...run, account: chosen });
  });
}

// monitor account <address> [subaccount_id]: the live view of one subaccount, or its headless forms.

import type { Context } from "../args/context.ts";
import { parseAddress, parseSubaccountId } from "../args/targets.ts";
import { runLive } from "./live-run.ts";
import { liveService, prepare } from "./prepare.ts";

/** @throws {UsageError} when a word is wrong; as `prepare` and `runLive` */
export async function run(context: Context): Promise<number> {
  const [address = "", id] = context.args;
  const account = {
    address: parseAddress(address),
    subaccountId: id === undefined ? undefined : parseSubaccountId(id),
  };
  const { file, settings } = await prepare(context);
  const { interval, knownScales } = settings;
  const service = liveService(settings);
  const live = {
    ...{ command: "account", config: file.config, account, interval, knownScales },
    ...{ market: undefined, start: "account", isSimulated: false },
    findService: async () => service,
  };
  return runLive(context, live, async (run) => {
    const { printAccount } = await import("../print/headless-account.ts");
    return printAccount(context, run);
  });
}

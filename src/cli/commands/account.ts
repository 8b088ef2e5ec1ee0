// monitor account <address>... [subaccount_id]: one subaccount, or all of several addresses; live, or printed.

import type { Shown } from "../../timeline/entry.ts";
import type { Settings } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { liveService } from "../live.ts";
import { prepare } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { type AccountChoice, chosenOwner, parseAccounts } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const accounts = parseAccounts(context.args, settings.accounts);
  const shown = accountsShown(accounts, settings);
  const { account, addresses } = shown;
  const catalogues = addresses.map((address) => `accounts/${address}`);
  const own = account === undefined ? [] : [`account/${account}`];
  const owner = chosenOwner(context.options, accounts);
  const service = { ...liveService(context, settings), owner };
  const channels = [...own, ...catalogues, "markets"];
  return runView(context, { service, config: file.config, channels }, () => shown);
}

/** One subaccount, or all of the addresses. */
function accountsShown(
  accounts: readonly AccountChoice[],
  { interval }: Pick<Settings, "interval">,
): Shown {
  const addresses = [...new Set(accounts.map(({ address }) => address))];
  const [first, ...others] = accounts;
  const account =
    others.length === 0 && first?.subaccountId !== undefined
      ? `${first.address}/${first.subaccountId}`
      : undefined;
  return { view: "account", account, addresses, interval };
}

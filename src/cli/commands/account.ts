// monitor account <address>... [subaccount_id]: one subaccount, or all of several addresses; live, or printed.

import type { Context } from "../context.ts";
import { prepare } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { chosenOwner, parseAccounts } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const task = await prepare(context);
  const { settings, options, args } = task;
  const accounts = parseAccounts(args, settings.config.accounts ?? {});
  const owner = chosenOwner(options, accounts);
  const addresses = [...new Set(accounts.map(({ address }) => address))];
  const [first, ...others] = accounts;
  const account =
    others.length === 0 && first?.subaccountId !== undefined
      ? `${first.address}/${first.subaccountId}`
      : undefined;
  const channels = [
    ...(account === undefined ? [] : [`account/${account}`]),
    ...addresses.map((address) => `accounts/${address}`),
    "markets",
  ];
  const { interval } = settings;
  return runView({ ...task, settings: { ...settings, owner } }, channels, () => ({
    ...{ view: "account", account, addresses, interval },
  }));
}

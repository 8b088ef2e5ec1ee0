// monitor account <address>... [subaccount_id]: one subaccount, or all of several addresses; live, or printed.

import { headlessView } from "../../print/headless-view.ts";
import type { Shown } from "../../timeline/entry.ts";
import type { Settings } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { isHeadless, runHeadless } from "../headless.ts";
import { liveService, openLive } from "../live.ts";
import { printOptions } from "../preferences.ts";
import { prepare } from "../prepare.ts";
import { type AccountChoice, chosenOwner, parseAccounts } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const accounts = parseAccounts(context.args, settings.accounts);
  const shown = accountsShown(accounts, settings);
  const { account, addresses } = shown;
  const view = headlessView(shown, printOptions(context, file.config));
  const isPrinted = isHeadless(context);
  const catalogues = addresses.map((address) => `accounts/${address}`);
  const own = account === undefined ? [] : [`account/${account}`];
  const owner = chosenOwner(context.options, accounts);
  const service = { ...liveService(context, settings), owner };
  const live = openLive(context, service, [...own, ...catalogues, "markets"]);
  try {
    live.begin(shown);
    if (isPrinted) return await runHeadless(context, live, view);
    const { showDashboard } = await import("../show.ts");
    return await showDashboard(context, live, { config: file.config, shown });
  } finally {
    await live.close();
  }
}

/** One subaccount, or all of the addresses. */
export function accountsShown(
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

// monitor account <address>... [subaccount_id]: one subaccount, or all of several addresses; live, or printed.

import { accountJson, accountsJson } from "../../live/json.ts";
import { overviewChannels } from "../../rows/overview.ts";
import { ACCOUNT } from "../../views/account.ts";
import type { Context } from "../context.ts";
import { isHeadless, runHeadless } from "../headless.ts";
import { liveService, openLive } from "../live.ts";
import { prepare } from "../prepare.ts";
import { printed } from "../printed.ts";
import { parseAccounts } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const accounts = parseAccounts(context.args, settings.accounts);
  const addresses = [...new Set(accounts.map(({ address }) => address))];
  const [first, ...others] = accounts;
  const account =
    others.length === 0 && first?.subaccountId !== undefined
      ? `${first.address}/${first.subaccountId}`
      : undefined;
  const { config } = file;
  const isPrinted = isHeadless(context);
  const catalogues = addresses.map((address) => `accounts/${address}`);
  const own = account === undefined ? [] : [`account/${account}`];
  const service = liveService(context, settings);
  const live = openLive(context, service, [...own, ...catalogues, "markets"]);
  const { store } = live.session;
  try {
    if (!isPrinted) {
      const { showDashboard } = await import("../show.ts");
      const market = "perp/1";
      return await showDashboard(context, live, {
        config,
        view: ACCOUNT,
        market,
        account,
        addresses,
      });
    }
    const overviews = (nowMs: number) =>
      addresses.map((address) => accountsJson({ store, nowMs }, address));
    return await runHeadless(context, live, {
      needed: () =>
        account === undefined ? [...catalogues, ...overviewChannels(store, addresses)] : own,
      besides: () => (account === undefined ? ["markets"] : [...catalogues, "markets"]),
      ...printed(context, { config, views: [ACCOUNT], account, addresses }),
      json(moment) {
        if (account !== undefined) return accountJson(moment, account);
        const all = overviews(moment.nowMs);
        return all.length === 1 ? (all[0] ?? {}) : all;
      },
    });
  } finally {
    live.close();
  }
}

// monitor markets: all markets with their figures, on the screen or printed.

import { marketsJson } from "../../live/json.ts";
import { MARKETS } from "../../views/markets.ts";
import type { Context } from "../context.ts";
import { isHeadless, runHeadless } from "../headless.ts";
import { liveService, openLive } from "../live.ts";
import { prepare } from "../prepare.ts";
import { printed } from "../printed.ts";
import { listNamedAccounts } from "../targets.ts";

export async function run(given: Context): Promise<number> {
  const { options, stdout } = given;
  const isOnce = !stdout.isTTY && options.for === undefined && !options.json && !options.plain;
  const context = isOnce ? { ...given, options: { ...options, once: true } } : given;
  const { file, settings } = await prepare(context);
  const { config } = file;
  const addresses = listNamedAccounts(settings.accounts).map(({ address }) => address);
  const isPrinted = isHeadless(context);
  const stats = ["market-stats/perp", "market-stats/spot"];
  const live = openLive(context, liveService(context, settings), ["markets", ...stats]);
  try {
    if (!isPrinted) {
      const { showDashboard } = await import("../show.ts");
      const market = "perp/1";
      const shown = { config, view: MARKETS, market, account: undefined, addresses };
      return await showDashboard(context, live, shown);
    }
    return await runHeadless(context, live, {
      needed: () => ["markets"],
      besides: () => stats,
      ...printed(context, { config, views: [MARKETS], addresses }),
      json: marketsJson,
    });
  } finally {
    live.close();
  }
}

// monitor markets: all markets with their figures, on the screen or printed once.

import { ALL_STATS, headlessView } from "../../print/headless-view.ts";
import type { Shown } from "../../timeline/entry.ts";
import type { Context } from "../context.ts";
import { isHeadless, runHeadless } from "../headless.ts";
import { liveService, openLive } from "../live.ts";
import { printOptions } from "../preferences.ts";
import { prepare } from "../prepare.ts";
import { listNamedAccounts } from "../targets.ts";

export async function run(given: Context): Promise<number> {
  const { options } = given;
  const isOnce = options.for === undefined && isHeadless(given);
  const context = isOnce ? { ...given, options: { ...options, once: true } } : given;
  const { file, settings } = await prepare(context);
  const addresses = listNamedAccounts(settings.accounts).map(({ address }) => address);
  const shown: Shown = { view: "markets", addresses, interval: settings.interval };
  const view = headlessView(shown, printOptions(context, file.config));
  const live = openLive(context, liveService(context, settings), ["markets", ...ALL_STATS]);
  try {
    live.begin(shown);
    if (isHeadless(context)) return await runHeadless(context, live, view);
    const { showDashboard } = await import("../show.ts");
    return await showDashboard(context, live, { config: file.config, shown });
  } finally {
    await live.close();
  }
}

// monitor markets: all markets with their figures, on the screen or printed once.

import { ALL_STATS } from "../../rows/market.ts";
import type { Context } from "../context.ts";
import { isHeadless } from "../headless.ts";
import { liveService } from "../live.ts";
import { prepare } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { listNamedAccounts } from "../targets.ts";

export async function run(given: Context): Promise<number> {
  const { options } = given;
  const isOnce = options.for === undefined && isHeadless(given);
  const context = isOnce ? { ...given, options: { ...options, once: true } } : given;
  const { file, settings } = await prepare(context);
  const { interval } = settings;
  const addresses = listNamedAccounts(settings.accounts).map(({ address }) => address);
  const service = liveService(context, settings);
  const channels = ["markets", ...ALL_STATS];
  return runView(context, { service, config: file.config, channels }, () => ({
    ...{ view: "markets", addresses, interval },
  }));
}

// monitor markets: all markets with their figures, on the screen or printed once.
import type { Context } from "../args/context.ts";
import { listNamedAccounts } from "../args/targets.ts";
import { runLive } from "./live-run.ts";
import { liveService, prepare } from "./prepare.ts";

/** @throws as `prepare` and `runLive` */
export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const { interval, knownScales } = settings;
  const service = liveService(settings);
  const live = {
    command: "markets",
    config: file.config,
    interval,
    knownScales,
    market: undefined,
    start: "markets",
    isSimulated: false,
    accounts: listNamedAccounts(settings.accounts),
    findService: async () => service,
  };
  return runLive(context, live, async (run) => {
    const { printMarkets } = await import("../print/markets.ts");
    return printMarkets(context, run);
  });
}

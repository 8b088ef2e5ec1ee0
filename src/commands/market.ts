// monitor <market>: the live dashboard of one market, or its headless forms.
import type { Context } from "../args/context.ts";
import { chosenAccount, chosenOwner, listNamedAccounts, parseMarket } from "../args/targets.ts";
import { type LiveRun, runLive } from "./live-run.ts";
import { liveService, prepare } from "./prepare.ts";

/** @throws as `prepare` and `runLive` */
export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const account = chosenAccount(context.options, settings.accounts);
  const market = parseMarket(context.args[0] ?? "", settings.aliases);
  const { interval, knownScales } = settings;
  const owner = chosenOwner(context.options, [account]);
  const service = { ...liveService(settings), owner };
  return runMarket(context, {
    command: "market",
    config: file.config,
    market,
    account,
    interval,
    knownScales,
    accounts: listNamedAccounts(settings.accounts),
    findService: async () => service,
    isSimulated: false,
  });
}

export function runMarket(
  context: Context,
  run: LiveRun & { readonly market: NonNullable<LiveRun["market"]> },
): Promise<number> {
  return runLive(context, run, async (live) => {
    const { printMarket } = await import("../print/market.ts");
    return printMarket(context, live);
  });
}

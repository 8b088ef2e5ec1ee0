// monitor <market>: the live dashboard of one market, or its headless forms.
import { chosenAccount } from "../args/account-argument.ts";
import type { Context } from "../args/context.ts";
import { parseInterval, parseMarket } from "../args/market-argument.ts";
import { loadSettings, requireWsUrl } from "../config/load-settings.ts";
import { withRecording } from "./recording.ts";
import { runMarket } from "./run-market.ts";

/**
 * Answers the exit code.
 * @throws {UsageError} when a word or a setting is wrong; {ServiceError} when the first connection cannot be made
 */
export async function run(context: Context): Promise<number> {
  const settings = await loadSettings(context);
  const interval = parseInterval(context.options.interval ?? settings.interval);
  const market = parseMarket(context.args[0] ?? "", settings.aliases);
  const account = chosenAccount(context.options);
  const { baseUrl, headers, audit, restRate, knownScales, fields, words } = settings;
  const service = { url: requireWsUrl(settings), baseUrl, headers, audit, restRate, fields, words };
  const facts = { command: "market", interval, knownScales };
  return withRecording(
    context,
    async () => service,
    facts,
    (findService) =>
      runMarket(context, {
        findService,
        interval,
        market,
        account,
        knownScales,
        isSimulated: false,
      }),
  );
}

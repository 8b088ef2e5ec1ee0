// monitor account <address> [subaccount_id]: the live view of one subaccount, or its headless forms.
import { parseAddress, parseSubaccountId } from "../args/account-argument.ts";
import type { Context } from "../args/context.ts";
import { parseInterval } from "../args/market-argument.ts";
import { loadSettings, requireWsUrl } from "../config/load-settings.ts";
import { withRecording } from "./recording.ts";
import { runAccount } from "./run-account.ts";

/**
 * Answers the exit code.
 * @throws {UsageError} when a word or a setting is wrong; {ServiceError} when the first connection cannot be made
 */
export async function run(context: Context): Promise<number> {
  const [address = "", id] = context.args;
  const account = {
    address: parseAddress(address),
    subaccountId: id === undefined ? undefined : parseSubaccountId(id),
  };
  const settings = await loadSettings(context);
  const { baseUrl, headers, audit, restRate, knownScales, fields, words } = settings;
  const service = { url: requireWsUrl(settings), baseUrl, headers, audit, restRate, fields, words };
  const interval = parseInterval(settings.interval);
  const facts = { command: "account", interval, knownScales };
  return withRecording(
    context,
    async () => service,
    facts,
    (findService) => runAccount(context, { findService, account, knownScales, interval }),
  );
}

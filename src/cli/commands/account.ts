// monitor account <address> [subaccount_id]: the live view of one subaccount, or its headless forms.
import { parseAddress, parseSubaccountId } from "../arguments/account-argument.ts";
import { parseInterval } from "../arguments/market-argument.ts";
import type { Context } from "../context.ts";
import { withRecording } from "../recording/recording.ts";
import { runAccount } from "../runs/run-account.ts";
import { loadSettings, requireWsUrl } from "../settings/load-settings.ts";

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

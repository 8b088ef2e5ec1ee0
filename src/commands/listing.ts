// monitor trades, liquidations, fills: the newest rows of a listing on screen, as text, or as JSON.

import { type Context, interruptedExitCode } from "../args/context.ts";
import { type ListingArgument, parseListing } from "../args/targets.ts";
import { resolveListing, unknownSymbol } from "../live/find-symbol.ts";
import { UsageError } from "../units/monitor-error.ts";
import {
  checkPreferences,
  isHeadless,
  refuseAlerts,
  refuseMaskedJson,
  requireScreen,
  runOnScreen,
} from "./live-run.ts";
import { prepare, requireBaseUrl } from "./prepare.ts";

/** @throws {UsageError} on an invalid argument or setting; {HistoryError} when a headless listing fails */
export async function run(context: Context, kind: ListingArgument["kind"]): Promise<number> {
  refuseMaskedJson(context);
  const { file, settings } = await prepare(context);
  const argument = parseListing([kind, ...context.args], settings.aliases);
  const baseUrl = requireBaseUrl(settings);
  if (isHeadless(context)) {
    refuseAlerts(context);
    await checkPreferences(context, file.config);
    const found = await resolveListing(context, settings, argument);
    if (found === undefined) return interruptedExitCode(context.interrupt);
    const { printListing } = await import("../print/listing.ts");
    return printListing(context, found, { baseUrl, headers: settings.headers });
  }
  refuseBounds(context);
  const { wsUrl, interval, knownScales } = settings;
  if ("symbol" in argument && wsUrl === undefined) {
    requireScreen(context);
    throw unknownSymbol(argument);
  }
  const owner = "owner" in argument ? argument.owner : undefined;
  const listed = "market" in argument ? argument.market : undefined;
  // The symbol is resolved once the screen is up.
  const market = "symbol" in argument ? { symbol: argument.symbol } : listed;
  return runOnScreen(context, {
    command: kind,
    config: file.config,
    interval,
    knownScales,
    isSimulated: false,
    findService: async () => ({ ...settings, url: wsUrl ?? "", owner }),
    isListingOnly: wsUrl === undefined,
    market,
    start: kind,
  });
}

/** @throws {UsageError} if an option bounds the rows: the screen has a key for a time, and loads older rows while scrolling */
function refuseBounds({ options }: Context): void {
  const bound = (["max", "since", "until"] as const).find((key) => options[key] !== undefined);
  if (bound === undefined) return;
  throw new UsageError(
    `--${bound} has no meaning on the screen`,
    "add --once or --json; on the screen, t goes to a time",
  );
}

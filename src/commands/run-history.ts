// monitor trades, liquidations, fills: the newest rows of a listing on the screen, as text, or as JSON.

import { type Context, interruptedExitCode } from "../args/context.ts";
import {
  type ListingArgument,
  parseListing,
  type SymbolListing,
} from "../args/listing-argument.ts";
import { type MarketArgument, parseInterval } from "../args/market-argument.ts";
import { loadSettings, requireBaseUrl } from "../config/load-settings.ts";
import { resolveListing, unknownSymbol } from "../live/look-up-market.ts";
import { UsageError } from "../units/monitor-error.ts";
import { isHeadless, refuseAlerts, refuseMaskedJson, requireScreen } from "./plain.ts";
import { watchTerminal } from "./screen/terminal-watcher.ts";

/**
 * Runs one of the three commands. Answers the exit code.
 * @throws {UsageError} when a word or a setting is wrong; {HistoryError} when the listing fails without a screen
 */
export async function runHistory(context: Context, kind: ListingArgument["kind"]): Promise<number> {
  refuseMaskedJson(context);
  if (context.options.for !== undefined) {
    throw new UsageError(
      `--for has no meaning with ${kind}`,
      "a listing is asked for once: --once",
    );
  }
  const settings = await loadSettings(context);
  const wanted = parseListing([kind, ...context.args], settings.aliases);
  const baseUrl = requireBaseUrl(settings);
  if (isHeadless(context)) {
    refuseAlerts(context);
    const found = await resolveListing(context, settings, wanted);
    if (found === undefined) return interruptedExitCode(context.interrupt);
    const { printHistory } = await import("../print/headless-listing.ts");
    return printHistory(context, found, { baseUrl, headers: settings.headers });
  }
  requireScreen(context);
  const watcher = watchTerminal(context);
  const { runDashboard } = await import("./screen/dashboard.ts");
  const { wsUrl, headers, audit, restRate, fields, words, knownScales } = settings;
  if ("symbol" in wanted && wsUrl === undefined) throw unknownSymbol(wanted);
  const owner = wanted.kind === "fills" ? wanted.owner : undefined;
  const service = { url: wsUrl ?? "", baseUrl, headers, audit, restRate, fields, words, owner };
  const run = {
    findService: async () => service,
    isListingOnly: wsUrl === undefined,
    market: marketOf(wanted),
    start: kind,
    interval: parseInterval(settings.interval),
    knownScales,
    isSimulated: false,
  };
  return runDashboard(context, run, watcher);
}

/** A symbol is looked up while the screen is there already. */
function marketOf(wanted: ListingArgument | SymbolListing): MarketArgument | undefined {
  if ("symbol" in wanted) return { symbol: wanted.symbol };
  return wanted.kind === "fills" ? undefined : wanted.market;
}

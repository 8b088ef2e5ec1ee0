// A listing as the user names it. Where that is by symbol, a short session asks the stream what it is.

import { UsageError } from "../units/monitor-error.ts";
import type { Settings } from "./config/settings.ts";
import type { Context } from "./context.ts";
import { findMarket } from "./find-market.ts";
import { liveService, withLive } from "./live.ts";
import { type ListingArgument, marketListing, parseListing } from "./targets.ts";

/**
 * @throws {UsageError} on an invalid argument, or a symbol that is unknown; {ServiceError} when the list of markets does not come; the reason of an interruption
 */
export async function findListing(
  context: Context,
  settings: Settings,
  words: readonly string[],
): Promise<ListingArgument> {
  const named = parseListing(words, settings.aliases);
  if (!("symbol" in named)) return named;
  if (settings.wsUrl === undefined) {
    throw new UsageError(
      `only the stream says what ${named.symbol} is, and its address is not known`,
      "give --ws-url, or the market by type and id: perp/1",
    );
  }
  const service = liveService(context, settings);
  const found = await withLive(context, service, ["markets"], (live) =>
    findMarket(context, live, named),
  );
  const [type, id = ""] = found.split("/");
  return marketListing(named.kind, type === "spot" ? type : "perp", id);
}

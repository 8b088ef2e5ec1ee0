// From a symbol on the command line to a market, by the list that the stream sends: for commands without a screen.

import type { Context } from "../args/context.ts";
import {
  type ListingArgument,
  type MarketArgument,
  marketListing,
  type SymbolListing,
} from "../args/targets.ts";
import type { Settings } from "../config/settings.ts";
import type { Market } from "../select/market.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { findSymbol, REST_OF_LIST_MS } from "./find-symbol.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "./headless-session.ts";

/**
 * The market that is meant.
 * @returns undefined when the command was interrupted
 * @throws {UsageError} when the service lists no such symbol; {ServiceError} when its list does not come
 */
export async function resolveMarket(
  { options }: Context,
  session: HeadlessSession,
  market: MarketArgument,
): Promise<Market | undefined> {
  if (!("symbol" in market)) return market;
  const { store, stream } = session.live;
  const release = stream.subscribe("markets");
  let found: Market | undefined;
  let missing: unknown;
  const look = () => {
    try {
      missing = undefined;
      found = findSymbol(store, market.symbol);
    } catch (error) {
      missing = error;
    }
    return found !== undefined;
  };
  const hasCome = () => look() || missing !== undefined;
  const timeoutMs = options.timeout ?? DEFAULT_TIMEOUT_MS;
  let end = await session.until(hasCome, timeoutMs);
  // The list may come in several frames, and the first of them may be empty.
  if (missing !== undefined) end = await session.until(look, Math.min(REST_OF_LIST_MS, timeoutMs));
  release();
  if (found === undefined && missing !== undefined && end === "timeout") throw missing;
  if (end !== "timeout") return found;
  throw new ServiceError(
    "no-markets",
    `the list of markets, which would say what ${market.symbol} is, did not come`,
    { advice: "name the market by type and id: perp/1" },
  );
}

/**
 * The listing that is meant; connects to the stream only where a symbol has to be looked up.
 * @returns undefined when the command was interrupted
 * @throws as `resolveMarket`; {UsageError} when no address of the stream is known
 */
export async function resolveListing(
  context: Context,
  { wsUrl, headers, fields, words }: Settings,
  argument: ListingArgument | SymbolListing,
): Promise<ListingArgument | undefined> {
  if (!("symbol" in argument)) return argument;
  if (wsUrl === undefined) throw unknownSymbol(argument);
  const session = new HeadlessSession(context, {
    url: wsUrl,
    headers,
    fields,
    words,
    audit: false,
  });
  try {
    const market = await resolveMarket(context, session, argument);
    return market && marketListing(argument.kind, market.type, market.id);
  } finally {
    session.close();
  }
}

/** Only the stream knows symbols. */
export function unknownSymbol({ symbol }: SymbolListing): UsageError {
  return new UsageError(
    `the listings know markets by number only, and no stream is known that could say what ${symbol} is`,
    "give --ws-url too, or name the market: perp/1, spot/2, 1 (= perp/1), or a name from [aliases]",
  );
}

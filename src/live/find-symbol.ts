// Looks up the market of a symbol in the service's list of markets.
import type { Context } from "../args/context.ts";
import {
  type ListingArgument,
  type MarketArgument,
  marketListing,
  type SymbolListing,
} from "../args/targets.ts";
import type { Settings } from "../config/settings.ts";
import { type Market, parseMarketRecords, selectStat } from "../select/market.ts";
import type { Aliases } from "../state/aliases.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import type { OpenRecord } from "../wire/update.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "./headless-session.ts";

/**
 * Ignores case.
 * @returns undefined until the list is received
 * @throws {UsageError} when the symbol is not in the list, or is in it twice; {ServiceError} when the list was cut
 */
export function findSymbol(store: Store, symbol: string): Market | undefined {
  const { feed, data } = store.slice("markets", "markets");
  if (feed.frames === 0) return undefined;
  const wanted = symbol.toLowerCase();
  const named = parseMarketRecords(data.records, store.aliases);
  const markets = data.records.flatMap((record, i) => {
    const isWanted = selectStat(record, "symbol", store.aliases)?.toLowerCase() === wanted;
    return (isWanted ? named[i] : undefined) ?? [];
  });
  const [market, other] = markets;
  if (market !== undefined && other === undefined) return market;
  if (other === undefined && data.isCut) {
    throw new ServiceError(
      "list-cut",
      `${symbol} is not among the ${data.records.length} markets that are held, and the service lists more`,
      { advice: "name the market by type and id: perp/1" },
    );
  }
  throw new UsageError(
    other === undefined
      ? `the service lists no market ${symbol}`
      : `${symbol} names several markets`,
    `expected: perp/1, spot/2, or a symbol of its list${formatList(data.records, store.aliases)}`,
  );
}

/** How long to wait for further frames of the list. */
const REST_OF_LIST_MS = 1000;

/** A symbol missing from the first frame of the list may be in a later one. */
export class RestOfList {
  readonly #clock: Clock;
  readonly #again: () => void;
  #cancel: (() => void) | undefined;
  #isOver = false;

  /** @param again looks it up again, for the last time */
  constructor(clock: Clock, again: () => void) {
    this.#clock = clock;
    this.#again = again;
  }

  /** @returns the error once the wait is over */
  fail(error: unknown): unknown {
    if (this.#isOver) return error;
    this.#cancel ??= this.#clock.after(REST_OF_LIST_MS, () => {
      this.#isOver = true;
      this.#again();
    });
    return undefined;
  }

  stop(): void {
    this.#cancel?.();
  }
}

const MAX_LISTED = 8;

function formatList(records: readonly OpenRecord[], aliases: Aliases): string {
  const symbols = records.flatMap((record) => selectStat(record, "symbol", aliases) ?? []);
  if (symbols.length === 0) return "";
  const more = symbols.length > MAX_LISTED ? " …" : "";
  return `: ${symbols.slice(0, MAX_LISTED).join(", ")}${more}`;
}

// For commands without a screen.

/**
 * @returns undefined when the command was interrupted
 * @throws {UsageError} when the service lists no such symbol; {ServiceError} when its list is not received
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
  const isReceived = () => look() || missing !== undefined;
  const timeoutMs = options.timeout ?? DEFAULT_TIMEOUT_MS;
  let end = await session.until(isReceived, timeoutMs);
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
 * Connects to the stream only if a symbol has to be looked up.
 * @returns undefined when the command was interrupted
 * @throws as `resolveMarket`; {UsageError} when no stream address is known
 */
export async function resolveListing(
  context: Context,
  { wsUrl, headers }: Settings,
  argument: ListingArgument | SymbolListing,
): Promise<ListingArgument | undefined> {
  if (!("symbol" in argument)) return argument;
  if (wsUrl === undefined) throw unknownSymbol(argument);
  const session = new HeadlessSession(context, {
    url: wsUrl,
    headers,
    audit: false,
  });
  try {
    const market = await resolveMarket(context, session, argument);
    return market && marketListing(argument.kind, market.type, market.id);
  } finally {
    session.close();
  }
}

/** Symbols are known on the stream only. */
export function unknownSymbol({ symbol }: SymbolListing): UsageError {
  return new UsageError(
    `the listings know markets by number only, and no stream is known that could say what ${symbol} is`,
    "give --ws-url too, or name the market: perp/1, spot/2, 1 (= perp/1), or a name from [aliases]",
  );
}

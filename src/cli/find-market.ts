// Markets by symbol, and listings of them: the service's list says what they are.

import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import {
  marketCalled,
  marketName,
  parseMarketName,
  readMarket,
  selectListedMarkets,
} from "../rows/market.ts";
import type { Store } from "../state/store.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { nearest } from "../units/nearest.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Settings } from "./config/settings.ts";
import type { Context } from "./context.ts";
import { DEFAULT_TIMEOUT_MS, type Live, liveService, withLive } from "./live.ts";
import { type MarketArgument, parseFillsOwner, parseMarket } from "./targets.ts";

/** The list may come in several frames, and the first of them may be empty. */
export const REST_OF_LIST_MS = 1000;

/**
 * @param live subscribed to `markets` where the argument is a symbol
 * @returns `perp/1`
 * @throws {UsageError} when the service lists no such symbol; {ServiceError} when its list does not come; the reason of an interruption
 */
export async function findMarket(
  { options, interrupt }: Pick<Context, "options" | "interrupt">,
  { session, until }: Live,
  market: MarketArgument,
): Promise<string> {
  if (!("symbol" in market)) return marketName(market);
  const { store } = session;
  const { symbol } = market;
  const timeoutMs = options.timeout ?? DEFAULT_TIMEOUT_MS;
  const isFound = () => marketCalled(store, symbol) !== undefined;
  const isListed = () => isFound() || selectListedMarkets(store).length > 0;
  if ((await until(isListed, timeoutMs)) === "timeout") {
    throw new ServiceError(
      "no-markets",
      `the list of markets, which would say what ${symbol} is, did not come`,
      { advice: "name the market by type and id: perp/1" },
    );
  }
  await until(isFound, REST_OF_LIST_MS);
  interrupt.throwIfAborted();
  const found = marketCalled(store, symbol);
  if (found === undefined) throw unknownMarket(symbol, store);
  return found;
}

/** `perp/1` for a market as the user names it. Where that is by symbol, a short session asks the stream. @throws as `findMarket`; {UsageError} for what names no market */
export function askMarket(context: Context, settings: Settings, text: string): Promise<string> {
  const market = parseMarket(text, settings.aliases);
  if (!("symbol" in market)) return Promise.resolve(marketName(market));
  const service = liveService(context, settings);
  return withLive(context, service, ["markets"], (live) => findMarket(context, live, market));
}

/** A listing, and its name as the user wrote it, such as `trades perp/1`. */
interface Listed<Kind extends string, T> {
  readonly kind: Kind;
  readonly name: string;
  readonly listing: Listing<T>;
}

export type ListingArgument =
  | (Listed<"trades", TradeRecord> & { readonly market: string })
  | (Listed<"liquidations", LiquidationRecord> & { readonly market: string })
  | (Listed<"fills", TradeRecord> & { readonly owner: FillsOwner });

/** @throws as `askMarket` */
export async function findListing(
  context: Context,
  settings: Settings,
  [kind = "", ...words]: readonly string[],
): Promise<ListingArgument> {
  if (kind === "fills") {
    const owner = parseFillsOwner(words);
    const name = `fills ${owner.owner} ${owner.subaccountId}`;
    return { kind, name, listing: fillsListing(owner.owner, owner.subaccountId), owner };
  }
  if (kind !== "trades" && kind !== "liquidations")
    throw new UsageError(`no such listing: ${kind}`, "expected: trades, liquidations or fills");
  const [word = "", ...more] = words;
  if (more.length > 0) throw new UsageError("a word is too many", `expected: ${kind} <market>`);
  const market = await askMarket(context, settings, word);
  const ref = parseMarketName(market);
  if (ref === undefined) throw new UsageError(`not a market: ${market}`);
  return kind === "trades"
    ? { kind, market, name: `trades ${market}`, listing: tradesListing(ref) }
    : { kind, market, name: `liquidations ${ref.id}`, listing: liquidationsListing(ref.id) };
}

/** Without waiting: a market by type and id, an alias of the config file, or a symbol of the list if that has come. */
export function knownMarket(
  store: Store,
  aliases: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const called = (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
  const market = readMarket(called);
  return market === undefined ? marketCalled(store, called) : marketName(market);
}

const MAX_LISTED = 8;

export function unknownMarket(symbol: string, store: Store): UsageError {
  const symbols = selectListedMarkets(store).map((each) => each.symbol ?? each.name);
  const byCase = new Map(symbols.map((each) => [each.toUpperCase(), each]));
  const near = startOf(symbol, byCase) ?? nearest(symbol.toUpperCase(), [...byCase.keys()]);
  const more = symbols.length > MAX_LISTED ? " …" : "";
  return new UsageError(
    `the service lists no market ${symbol}`,
    near === undefined
      ? `expected: perp/1, spot/2, or a symbol of its list: ${symbols.slice(0, MAX_LISTED).join(", ")}${more}`
      : `did you mean ${byCase.get(near)}?`,
  );
}

/** `btc` is most of `BTC-PERP`, though many letters apart. */
function startOf(symbol: string, byCase: ReadonlyMap<string, string>): string | undefined {
  return [...byCase.keys()].find((each) => each.startsWith(symbol.toUpperCase()));
}

// Markets by symbol: the service's list says what they are.

import { marketCalled, marketName, readMarket, selectListedMarkets } from "../rows/market.ts";
import type { Store } from "../state/store.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { nearest } from "../units/nearest.ts";
import type { Context } from "./context.ts";
import { DEFAULT_TIMEOUT_MS, type Live } from "./live.ts";
import type { MarketArgument } from "./targets.ts";

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
  if (!("symbol" in market)) return `${market.type}/${market.id}`;
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

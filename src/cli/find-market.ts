// Markets by symbol, and listings of them: the service's list says what they are.

import { fillsListing, liquidationsListing, tradesListing } from "../listing/listing.ts";
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
import type { Context } from "./context.ts";
import { DEFAULT_TIMEOUT_MS, type Live, withLive } from "./live.ts";
import type { Task } from "./prepare.ts";
import { parseFillsOwner, parseMarket } from "./targets.ts";

/** The list may come in several frames, and the first of them may be empty. */
export const REST_OF_LIST_MS = 1000;

/**
 * @param live subscribed to `markets` where a symbol is called
 * @returns `perp/1`
 * @throws {UsageError} when the service lists no such symbol; {ServiceError} when its list does not come; the reason of an interruption
 */
export async function findMarket(
  { options, interrupt }: Pick<Context, "options" | "interrupt">,
  { session: { store }, until }: Live,
  called: string,
): Promise<string> {
  const isFound = () => knownMarket(store, called) !== undefined;
  const isListed = () => isFound() || selectListedMarkets(store).length > 0;
  if ((await until(isListed, options.timeout ?? DEFAULT_TIMEOUT_MS)) === "timeout")
    throw new ServiceError("no-markets", `no list of markets came, to say what ${called} is`, {
      advice: "name the market by type and id: perp/1",
    });
  await until(isFound, REST_OF_LIST_MS);
  interrupt.throwIfAborted();
  const found = knownMarket(store, called);
  if (found === undefined) throw unknownMarket(called, store);
  return found;
}

/** `perp/1` for a market as the user names it. Where that is by symbol, a short session asks the stream. @throws as `findMarket`; {UsageError} for what names no market */
export async function askMarket(task: Task, text: string): Promise<string> {
  const called = parseMarket(text, task.settings.config.aliases);
  if (readMarket(called) !== undefined) return called;
  return withLive(task, ["markets"], (live) => findMarket(task, live, called));
}

export type ListingArgument = Awaited<ReturnType<typeof findListing>>;

/** @throws as `askMarket` */
export async function findListing(task: Task, [kind = "", ...words]: readonly string[]) {
  if (kind === "fills") {
    const owner = parseFillsOwner(words);
    return { kind, listing: fillsListing(owner.owner, owner.subaccountId), owner } as const;
  }
  if (kind !== "trades" && kind !== "liquidations")
    throw new UsageError(`no such listing: ${kind}`, "expected: trades, liquidations or fills");
  const [word = "", ...more] = words;
  if (more.length > 0) throw new UsageError("a word is too many", `expected: ${kind} <market>`);
  const market = await askMarket(task, word);
  const ref = parseMarketName(market);
  if (ref === undefined) throw new UsageError(`not a market: ${market}`);
  return kind === "trades"
    ? ({ kind, market, listing: tradesListing(ref) } as const)
    : ({ kind, market, listing: liquidationsListing(ref.id) } as const);
}

/** Without waiting: a market by type and id, an alias of the config file, or a symbol of the list if that has come. */
export function knownMarket(
  store: Store,
  name: string,
  aliases: Readonly<Record<string, string>> = {},
): string | undefined {
  const called = (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
  const market = readMarket(called);
  return market === undefined ? marketCalled(store, called) : marketName(market);
}

export function unknownMarket(symbol: string, store: Store): UsageError {
  const symbols = selectListedMarkets(store).map((each) => each.symbol ?? each.name);
  const upper = symbols.map((each) => each.toUpperCase());
  const wanted = symbol.toUpperCase();
  // `btc` is most of `BTC-PERP`, though many letters apart.
  const near = upper.find((each) => each.startsWith(wanted)) ?? nearest(wanted, upper);
  return new UsageError(
    `the service lists no market ${symbol}`,
    near === undefined
      ? "monitor markets names those that it lists"
      : `did you mean ${symbols[upper.indexOf(near)]}?`,
  );
}

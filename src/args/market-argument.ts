// <market> and --interval on the command line.

import { type Market, readMarket, readMarketName } from "../select/market.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32 } from "../units/uint.ts";
import { INTERVALS, type Interval } from "../wire/channels.ts";

/** A market, or the symbol that names one in the service's own list. */
export type MarketArgument = Market | { readonly symbol: string };

const FORMS = "expected: perp/1, spot/2, 1 (= perp/1), or a symbol such as BTC-PERP";

/**
 * Reads a market argument; an alias of the config file stands for what it says.
 * @throws {UsageError} when it is neither a market nor a symbol
 */
export function parseMarket(
  text: string,
  aliases: Readonly<Record<string, string>> = {},
): MarketArgument {
  const alias = Object.hasOwn(aliases, text) ? aliases[text] : undefined;
  const market = readMarket(alias ?? text);
  if (market !== undefined) return market;
  if (readMarketName(alias ?? text) !== undefined) {
    throw new UsageError(`market id out of range: ${text}`, `expected: 0 to ${MAX_INT32}`);
  }
  if (alias !== undefined) throw new UsageError(`alias ${text} is not a market: ${alias}`, FORMS);
  const isSymbol = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9._:/-]{0,39}$/.test(text);
  // A type that does not exist, or a type without a number, is a mistake and no symbol.
  if (!isSymbol || /^(?:perp|spot)(?:\/|$)/i.test(text) || /^[a-z]+\/[0-9]+$/.test(text)) {
    throw new UsageError(`not a market: ${text}`, FORMS);
  }
  return { symbol: text };
}

/** @throws {UsageError} when it is no period of the interface */
export function parseInterval(text = "1m"): Interval {
  const interval = INTERVALS.find((each) => each === text);
  if (interval !== undefined) return interval;
  throw new UsageError(
    `--interval cannot be ${JSON.stringify(text)}`,
    `expected: one of ${INTERVALS.join(", ")}`,
  );
}

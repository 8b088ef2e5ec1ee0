// Figures of a market that come in records whose fields the document does not list: found by the names
// that such fields usually have, and left out when none is there.

import type { Aliases, Meaning } from "../state/aliases.ts";
import { parseDecimal } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";
import { isSameMarket, type Market, marketOf } from "./market.ts";

/** A figure that is shown of a market. */
export type StatName = Extract<
  Meaning,
  | "symbol"
  | "markPrice"
  | "indexPrice"
  | "lastPrice"
  | "change24h"
  | "changePercent24h"
  | "high24h"
  | "low24h"
  | "volumeBase24h"
  | "volumeQuote24h"
  | "openInterest"
  | "fundingRate"
>;

/** @returns the figure as it came (numbers only as exact text), or undefined when it is not there. Never throws. */
export function selectStat(
  record: OpenRecord | undefined,
  name: StatName,
  aliases: Aliases,
): string | undefined {
  const text = record === undefined ? undefined : aliases.text(record, name);
  if (text === undefined || name === "symbol") return text;
  return parseDecimal(text) === undefined ? undefined : text;
}

/** The record of one market among those of its kind; ids are compared as text. Never throws. */
export function findMarketRecord(
  records: readonly OpenRecord[],
  market: Market,
  aliases: Aliases,
): OpenRecord | undefined {
  return records.find((record) => {
    const found = marketOf(record, aliases, market.type, "marketRecord");
    return found !== undefined && isSameMarket(found, market);
  });
}

/** The record of a market on a channel of its own, where it need not say of which market it is. Never throws. */
export function findOwnRecord(
  records: readonly OpenRecord[],
  market: Market,
  aliases: Aliases,
): OpenRecord | undefined {
  return findMarketRecord(records, market, aliases) ?? records[0];
}

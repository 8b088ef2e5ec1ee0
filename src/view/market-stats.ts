// Figures of a market that come in records whose fields the document does not list: found by the names
// that such fields usually have, and left out when none is there.
import type { OpenRecord } from "../protocol/channels/update.ts";
import { parseDecimal } from "../units/decimal.ts";

/** A figure, and the names under which it is looked for, the likeliest first. */
const ALIASES = {
  symbol: ["symbol", "name", "ticker"],
  markPrice: ["mark_price", "mark", "mark_px"],
  indexPrice: ["index_price", "oracle_price", "index", "oracle_px"],
  lastPrice: ["last_price", "last", "last_px"],
  change24h: ["price_change_24h", "change_24h", "price_change"],
  changePercent24h: ["price_change_percent_24h", "change_percent_24h", "price_change_pct_24h"],
  high24h: ["high_24h", "price_high_24h", "high"],
  low24h: ["low_24h", "price_low_24h", "low"],
  volumeBase24h: ["volume_base_24h", "volume_24h_base", "base_volume_24h", "volume_24h"],
  volumeQuote24h: ["volume_quote_24h", "volume_24h_quote", "quote_volume_24h"],
  openInterest: ["open_interest", "open_interest_base"],
  fundingRate: ["funding_rate", "current_funding_rate"],
} as const;

export type StatName = keyof typeof ALIASES;

/** @returns the figure as it came (numbers only as exact text), or undefined when it is not there. Never throws. */
export function selectStat(record: OpenRecord | undefined, name: StatName): string | undefined {
  if (record === undefined) return undefined;
  for (const alias of ALIASES[name]) {
    const value = record[alias];
    if (typeof value === "string" && value !== "") {
      if (name === "symbol" || parseDecimal(value) !== undefined) return value;
    }
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

/** The record of one market among those of its kind; ids are compared as text. */
export function findMarketRecord(
  records: readonly OpenRecord[],
  { type, id }: { readonly type: string; readonly id: string },
): OpenRecord | undefined {
  return records.find((record) => {
    const recordId = record.market_id ?? record.id;
    const recordType = record.market_type ?? record.type;
    return String(recordId) === id && (recordType === undefined || recordType === type);
  });
}

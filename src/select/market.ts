// A market and the channels that show it.

import type { Aliases, Meaning } from "../state/aliases.ts";
import { parseId, stripZeros } from "../units/uint.ts";
import { formatChannel, type Interval, type MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";

/** A market by type and id, as channel names carry it: digit text without zeros before it. */
export interface Market {
  readonly type: MarketType;
  readonly id: string;
}

/** `perp/1`, `spot/2`, or an id alone. */
const NAME = /^(?:(perp|spot)\/)?([0-9]{1,39})$/;

/** The name of a market as the command line takes it: `perp/1`. Never throws. */
export function formatMarket({ type, id }: Market): string {
  return `${type}/${id}`;
}

/**
 * Reads a market as it is typed: `perp/1`, `spot/2`, or `1` for `perp/1`; `perp/007` is `perp/7`. Interpretation:
 * docs/adr/0026.
 * @returns undefined when the text names no market by type and id, or no id of the interface (int32). Never throws.
 */
export function readMarket(text: string): Market | undefined {
  const market = readMarketName(text);
  return market !== undefined && parseId(market.id) !== undefined ? market : undefined;
}

/**
 * Reads what `formatMarket` has made of a market of the service, whose ids may be of any size.
 * @returns undefined for other text. Never throws.
 */
export function readMarketName(text: string): Market | undefined {
  const [, type = "perp", id] = NAME.exec(text) ?? [];
  return id === undefined ? undefined : { type: type as MarketType, id: stripZeros(id) };
}

/**
 * The market that a record names, in whatever words: type and id, or `perp/1`.
 * @param usualType the type where the record names none
 * @returns undefined when it names no market in this way. Never throws.
 */
export function marketOf(
  record: OpenRecord,
  aliases: Aliases,
  usualType: MarketType = "perp",
  meaning: Meaning = "market",
): Market | undefined {
  const text = aliases.text(record, meaning);
  const [, named, id] = NAME.exec(text ?? "") ?? [];
  if (id === undefined) return undefined;
  const type = readMarketType(named ?? aliases.text(record, "marketType") ?? "");
  return { type: type ?? usualType, id: stripZeros(id) };
}

/** `perp` and `spot` in the words of any service: `perpetual`, `PERP` … Undefined for other words. Never throws. */
function readMarketType(word: string): MarketType | undefined {
  if (/^perp/i.test(word)) return "perp";
  return /^spot/i.test(word) ? "spot" : undefined;
}

/** Type and id are the same, letter by letter. Never throws. */
export function isSameMarket(a: Market, b: Market): boolean {
  return a.type === b.type && a.id === b.id;
}

/** Channels that show one market, by what they are for. */
export interface MarketChannels {
  readonly bbo: string;
  readonly orderbook: string;
  readonly trades: string;
  readonly candles: string;
  /** Perpetuals only. */
  readonly markCandles: string | undefined;
  readonly marketStats: string;
  /** Perpetuals only. */
  readonly fundingRates: string | undefined;
  readonly markets: string;
}

/** The channels of one market, with candles of this interval. Never throws. */
export function marketChannels({ type, id }: Market, interval: Interval): MarketChannels {
  const market = { marketType: type, marketId: id };
  return {
    bbo: formatChannel({ kind: "bbo", ...market }),
    orderbook: formatChannel({ kind: "orderbook", ...market }),
    trades: formatChannel({ kind: "trades", ...market }),
    candles: formatChannel({ kind: "candles", ...market, interval }),
    markCandles:
      type === "perp" ? formatChannel({ kind: "mark-candles", marketId: id, interval }) : undefined,
    marketStats: formatChannel({ kind: "market-stats", ...market }),
    fundingRates:
      type === "perp" ? formatChannel({ kind: "funding-rates", marketId: id }) : undefined,
    markets: formatChannel({ kind: "markets" }),
  };
}

/** `marketChannels` for whoever asks again and again for the same market: keeps the last answer. Never throws. */
export function createMarketChannels(): typeof marketChannels {
  let last: { market: Market; interval: Interval; channels: MarketChannels } | undefined;
  return (market, interval) => {
    if (last?.market !== market || last.interval !== interval) {
      last = { market, interval, channels: marketChannels(market, interval) };
    }
    return last.channels;
  };
}

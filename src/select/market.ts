// A market and its channels.
import type { Aliases, Meaning } from "../state/aliases.ts";
import type { Store } from "../state/store.ts";
import { parseId, stripZeros } from "../units/uint.ts";
import { formatChannel, type Interval, type MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readDecimalText } from "./fields.ts";

/** A market by type and id, as in channel names: digits without leading zeros. */
export interface Market {
  readonly type: MarketType;
  readonly id: string;
}

/** `perp/1`, `spot/2`, or an id alone. */
const NAME = /^(?:(perp|spot)\/)?([0-9]{1,39})$/;

/** The name of a market, as on the command line: `perp/1`. */
export function formatMarket({ type, id }: Market): string {
  return `${type}/${id}`;
}

/**
 * Parses a market as it is typed: `perp/1`, `spot/2`, or `1` for `perp/1`; `perp/007` is `perp/7`.
 * @returns undefined if the text names no market by type and id, or the id is out of the interface's range (int32)
 */
export function readMarket(text: string): Market | undefined {
  const market = readMarketName(text);
  return market !== undefined && parseId(market.id) !== undefined ? market : undefined;
}

/**
 * Parses what `formatMarket` returns for a market of the service, whose id may have any size.
 * @returns undefined for other text
 */
export function readMarketName(text: string): Market | undefined {
  const [, type = "perp", id] = NAME.exec(text) ?? [];
  return id === undefined ? undefined : { type: type as MarketType, id: stripZeros(id) };
}

/**
 * The market that a record names, in any form: type and id, or `perp/1`.
 * @param defaultType used if the record names no type
 * @returns undefined if it names no market in this way
 */
export function parseMarketRecord(
  record: OpenRecord,
  aliases: Aliases,
  defaultType: MarketType = "perp",
  meaning: Meaning = "market",
): Market | undefined {
  const text = aliases.text(record, meaning);
  const [, named, id] = NAME.exec(text ?? "") ?? [];
  if (id === undefined) return undefined;
  return { type: readType(record, aliases, named) ?? defaultType, id: stripZeros(id) };
}

/** `perp/1` of the market that a record names. */
export function readRecordMarket(record: OpenRecord, aliases: Aliases): string | undefined {
  const market = parseMarketRecord(record, aliases);
  return market && formatMarket(market);
}

/** True for a record of this market; without a type, it is taken to be of the market's type. */
export function isOfMarket(record: OpenRecord, market: Market, aliases: Aliases): boolean {
  const named = parseMarketRecord(record, aliases, market.type);
  return named !== undefined && isSameMarket(named, market);
}

function readType(record: OpenRecord, aliases: Aliases, named?: string): MarketType | undefined {
  // In the words of any service: `perpetual`, `PERP` …
  const [, type] = /^(perp|spot)/i.exec(named ?? aliases.text(record, "marketType") ?? "") ?? [];
  if (type !== undefined) return type.toLowerCase() as MarketType;
  for (const [name, type, other] of TYPE_FLAGS) {
    const flag = record[name];
    if (typeof flag === "boolean") return flag ? type : other;
  }
  return undefined;
}

const TYPE_FLAGS: readonly (readonly [name: string, type: MarketType, other: MarketType])[] = [
  ["is_spot", "spot", "perp"],
  ["is_perp", "perp", "spot"],
  ["is_perpetual", "perp", "spot"],
];

/** Compares type and id as text. */
export function isSameMarket(a: Market, b: Market): boolean {
  return a.type === b.type && a.id === b.id;
}

export interface MarketChannels {
  readonly bbo: string;
  readonly orderbook: string;
  readonly trades: string;
  readonly candles: string;
  /** Perpetuals only. */
  readonly markCandles: string | undefined;
  readonly markets: string;
  readonly marketStats: string;
  /** Perpetuals only. */
  readonly fundingRates: string | undefined;
}

export function marketChannels({ type, id }: Market, interval: Interval): MarketChannels {
  const market = { marketType: type, marketId: id };
  return {
    bbo: formatChannel({ kind: "bbo", ...market }),
    orderbook: formatChannel({ kind: "orderbook", ...market }),
    trades: formatChannel({ kind: "trades", ...market }),
    candles: formatChannel({ kind: "candles", ...market, interval }),
    markCandles:
      type === "perp" ? formatChannel({ kind: "mark-candles", marketId: id, interval }) : undefined,
    markets: formatChannel({ kind: "markets" }),
    marketStats: formatChannel({ kind: "market-stats", ...market }),
    fundingRates:
      type === "perp" ? formatChannel({ kind: "funding-rates", marketId: id }) : undefined,
  };
}

export type StatName = Extract<
  Meaning,
  | "symbol"
  | "baseAsset"
  | "quoteAsset"
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

const WORDS: readonly StatName[] = ["symbol", "baseAsset", "quoteAsset"];

/** @returns the exact figure (numbers as text without an exponent), or undefined if it is missing */
export function selectStat(
  record: OpenRecord | undefined,
  name: StatName,
  aliases: Aliases,
): string | undefined {
  if (record === undefined) return undefined;
  return WORDS.includes(name) ? aliases.text(record, name) : readDecimalText(record, name, aliases);
}

/**
 * The record of one market among those of its kind; ids are compared as text. A record without a type matches only if no
 * other such record has its id, since a spot and a perpetual market may share one. If two records name the same type, none
 * matches.
 */
export function findMarketRecord(
  records: readonly OpenRecord[],
  market: Market,
  aliases: Aliases,
): OpenRecord | undefined {
  let [untyped, typed]: (OpenRecord | undefined)[] = [];
  let [count, typedCount] = [0, 0];
  for (const record of records) {
    const named = parseMarketRecord(record, aliases, market.type, "marketRecord");
    if (named?.id !== market.id) continue;
    if (!hasType(record, aliases)) {
      untyped = record;
      count++;
    } else if (named.type === market.type) {
      typed = record;
      typedCount++;
    }
  }
  if (typedCount > 0) return typedCount === 1 ? typed : undefined;
  return count === 1 ? untyped : undefined;
}

/** From the list of markets, as far as it is held; the text is the service's. */
export function findSymbol(store: Store, market: Market): string | undefined {
  const { records } = store.slice("markets", formatChannel({ kind: "markets" })).data;
  return selectStat(findMarketRecord(records, market, store.aliases), "symbol", store.aliases);
}

/** The market of each record; undefined if it names none, or is one of several with its id and without a type. */
export function parseMarketRecords(
  records: readonly OpenRecord[],
  aliases: Aliases,
): readonly (Market | undefined)[] {
  const markets = records.map((record) =>
    parseMarketRecord(record, aliases, "perp", "marketRecord"),
  );
  const isTyped = records.map((record) => hasType(record, aliases));
  const untyped = new Map<string, number>();
  for (const [i, market] of markets.entries())
    if (market !== undefined && !isTyped[i])
      untyped.set(market.id, (untyped.get(market.id) ?? 0) + 1);
  return markets.map((market, i) =>
    isTyped[i] || market === undefined || untyped.get(market.id) === 1 ? market : undefined,
  );
}

/** True if a record names a known type. */
export function hasType(record: OpenRecord, aliases: Aliases): boolean {
  const [, named] = NAME.exec(aliases.text(record, "marketRecord") ?? "") ?? [];
  return readType(record, aliases, named) !== undefined;
}

/**
 * The record of a market on its own channel, where a single record need not name its market. A record of another market, by
 * id or by symbol, never matches.
 */
export function findOwnRecord(
  records: readonly OpenRecord[],
  market: Market,
  { aliases, listed }: Listed,
): OpenRecord | undefined {
  const [only, ...others] = records;
  const isUnnamed =
    only !== undefined &&
    others.length === 0 &&
    parseMarketRecord(only, aliases, market.type, "marketRecord") === undefined;
  if (!isUnnamed) return findMarketRecord(records, market, aliases);
  return isOfOtherSymbol(only, market, { aliases, listed }) ? undefined : only;
}

/** The list of markets; empty if it was not received. */
export interface Listed {
  readonly aliases: Aliases;
  readonly listed: readonly OpenRecord[];
}

export function listedIn(store: Store): Listed {
  return { aliases: store.aliases, listed: store.slice("markets", "markets").data.records };
}

/**
 * True if the symbol of a record is that of another market: according to the list of markets, or because it has nothing in
 * common with the same field there. Symbols may be written in several ways, `BTC` and `BTC-PERP`.
 */
export function isOfOtherSymbol(
  record: OpenRecord,
  market: Market,
  { aliases, listed }: Listed,
): boolean {
  if (listed.length === 0) return false;
  // The market may be named by its symbol.
  const meaning = aliases.columnOf(record, "symbol") === undefined ? "market" : "symbol";
  const column = aliases.columnOf(record, meaning);
  const symbol = aliases.text(record, meaning);
  if (column === undefined || symbol === undefined || NAME.test(symbol)) return false;
  const own = findListed(listed, market, aliases);
  const ownSymbol = own && aliases.text(own, "symbol");
  if (symbol === ownSymbol) return false;
  const isOthers = listed.some((each) => each !== own && aliases.text(each, "symbol") === symbol);
  const ownText = meaning === "market" ? ownSymbol : own?.[column];
  if (isOthers || typeof ownText !== "string") return isOthers;
  const [a, b] = [squeeze(symbol), squeeze(ownText)];
  return !a.startsWith(b) && !b.startsWith(a);
}

/** `BTC-PERP`, `btc_perp` and `BTCPERP` are equal. */
function squeeze(symbol: string): string {
  return symbol.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "");
}

const found = new WeakMap<readonly OpenRecord[], Map<string, OpenRecord | undefined>>();

/** Cached for each list and market: needed in each frame, and lists may be long. */
function findListed(
  listed: readonly OpenRecord[],
  market: Market,
  aliases: Aliases,
): OpenRecord | undefined {
  const byMarket = found.get(listed) ?? new Map<string, OpenRecord | undefined>();
  found.set(listed, byMarket);
  const name = formatMarket(market);
  if (!byMarket.has(name)) byMarket.set(name, findMarketRecord(listed, market, aliases));
  return byMarket.get(name);
}

/** The symbols of markets that are shown or watched, for the whole session. */
export class MarketSymbols {
  readonly #held = new Map<
    string,
    { symbol: string | undefined; column: string | undefined; version: number }
  >();

  /**
   * Checks the newest list of markets.
   * @returns `perp/1 is now ETH-PERP, no longer BTC-PERP`, once for each change; undefined if it is unchanged, or not in
   *   the list
   */
  check(store: Store, market: Market): string | undefined {
    const name = formatMarket(market);
    const { version, data } = store.slice("markets", "markets");
    const held = this.#held.get(name);
    if (held?.version === version) return undefined;
    const record = findMarketRecord(data.records, market, store.aliases);
    const symbol = selectStat(record, "symbol", store.aliases);
    const column = record && store.aliases.columnOf(record, "symbol");
    // A record may hold only some fields, and name the market by another one: that is not another symbol.
    const isKnown = symbol !== undefined && (held?.symbol === undefined || held.column === column);
    this.#held.set(name, {
      symbol: held?.symbol,
      column: held?.column,
      ...(isKnown && { symbol, column }),
      version,
    });
    if (!isKnown || held?.symbol === undefined || squeeze(held.symbol) === squeeze(symbol)) {
      return undefined;
    }
    return `${name} is now ${symbol}, no longer ${held.symbol}`;
  }
}

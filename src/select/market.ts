// A market and the channels that show it.
import type { Aliases, Meaning } from "../state/aliases.ts";
import type { Store } from "../state/store.ts";
import { formatDecimal, parseDecimal } from "../units/decimal.ts";
import { parseId, stripZeros } from "../units/uint.ts";
import { formatChannel, type Interval, type MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readNumber } from "./fields.ts";

/** A market by type and id, as channel names carry it: digit text without zeros before it. */
export interface Market {
  readonly type: MarketType;
  readonly id: string;
}

/** `perp/1`, `spot/2`, or an id alone. */
const NAME = /^(?:(perp|spot)\/)?([0-9]{1,39})$/;

/** The name of a market as the command line takes it: `perp/1`. */
export function formatMarket({ type, id }: Market): string {
  return `${type}/${id}`;
}

/**
 * Reads a market as it is typed: `perp/1`, `spot/2`, or `1` for `perp/1`; `perp/007` is `perp/7`. Interpretation:
 * docs/adr/0026.
 * @returns undefined when the text names no market by type and id, or no id of the interface (int32).
 */
export function readMarket(text: string): Market | undefined {
  const market = readMarketName(text);
  return market !== undefined && parseId(market.id) !== undefined ? market : undefined;
}

/**
 * Reads what `formatMarket` has made of a market of the service, whose ids may be of any size.
 * @returns undefined for other text.
 */
export function readMarketName(text: string): Market | undefined {
  const [, type = "perp", id] = NAME.exec(text) ?? [];
  return id === undefined ? undefined : { type: type as MarketType, id: stripZeros(id) };
}

/**
 * The market that a record names, in whatever words: type and id, or `perp/1`.
 * @param defaultType the type where the record names none
 * @returns undefined when it names no market in this way.
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

/** True for a record of this market; a type that it does not name is that of the market. */
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

/** Type and id are the same, letter by letter. */
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
  readonly marketStats: string;
  /** Perpetuals only. */
  readonly fundingRates: string | undefined;
  readonly markets: string;
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
    marketStats: formatChannel({ kind: "market-stats", ...market }),
    fundingRates:
      type === "perp" ? formatChannel({ kind: "funding-rates", marketId: id }) : undefined,
    markets: formatChannel({ kind: "markets" }),
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

/** @returns the figure exactly (numbers as text without an exponent), or undefined when it is not there. */
export function selectStat(
  record: OpenRecord | undefined,
  name: StatName,
  aliases: Aliases,
): string | undefined {
  const text = record === undefined ? undefined : aliases.text(record, name);
  if (text === undefined || WORDS.includes(name) || parseDecimal(text) !== undefined) return text;
  const number = record && readNumber(aliases.value(record, name));
  return number && formatDecimal(number);
}

/**
 * The record of one market among those of its kind; ids are compared as text. One that names no type is taken for it only where no
 * other such has its id: a spot and a perpetual market may share one. Of two that name the same type, none is.
 */
export function findMarketRecord(
  records: readonly OpenRecord[],
  market: Market,
  aliases: Aliases,
): OpenRecord | undefined {
  let [untyped, typed]: (OpenRecord | undefined)[] = [];
  let [count, typedCount] = [0, 0];
  for (const record of records) {
    const found = parseMarketRecord(record, aliases, market.type, "marketRecord");
    if (found?.id !== market.id) continue;
    if (!hasType(record, aliases)) {
      untyped = record;
      count++;
    } else if (found.type === market.type) {
      typed = record;
      typedCount++;
    }
  }
  if (typedCount > 0) return typedCount === 1 ? typed : undefined;
  return count === 1 ? untyped : undefined;
}

/** Of the list of markets, as far as it is held; the text is the service's. */
export function findSymbol(store: Store, market: Market): string | undefined {
  const { records } = store.slice("markets", formatChannel({ kind: "markets" })).data;
  return selectStat(findMarketRecord(records, market, store.aliases), "symbol", store.aliases);
}

/** The market of each record of a list; undefined where it names none, or is one of several of its id without a type. */
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

/** True where a record names a known type. */
function hasType(record: OpenRecord, aliases: Aliases): boolean {
  const [, named] = NAME.exec(aliases.text(record, "marketRecord") ?? "") ?? [];
  return readType(record, aliases, named) !== undefined;
}

/**
 * The record of a market on a channel of its own, where a single record need not name its market. One of another
 * market, by its id or by its symbol, is never taken for it.
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

/** The list of markets, empty where it was not received. */
export interface Listed {
  readonly aliases: Aliases;
  readonly listed: readonly OpenRecord[];
}

export function listedIn(store: Store): Listed {
  return { aliases: store.aliases, listed: store.slice("markets", "markets").data.records };
}

/**
 * True of a record whose symbol is that of another market: by the list of markets, or because it has nothing in common with what
 * the same field has there. Symbols may be written in more than one way, `BTC` and `BTC-PERP`.
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

/** `BTC-PERP`, `btc_perp` and `BTCPERP` are one. */
function squeeze(symbol: string): string {
  return symbol.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "");
}

const found = new WeakMap<readonly OpenRecord[], Map<string, OpenRecord | undefined>>();

/** Searches a list once for each market: it is needed in each frame, and may be long. */
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

/** The symbols of the markets that are shown or watched, for as long as the session lasts. */
export class MarketSymbols {
  readonly #held = new Map<
    string,
    { symbol: string | undefined; column: string | undefined; version: number }
  >();

  /**
   * Looks at the newest list of markets.
   * @returns `perp/1 is now ETH-PERP, no longer BTC-PERP`, once for each change; undefined while it is what it was,
   *   or the list does not name it
   */
  check(store: Store, market: Market): string | undefined {
    const name = formatMarket(market);
    const { version, data } = store.slice("markets", "markets");
    const held = this.#held.get(name);
    if (held?.version === version) return undefined;
    const record = findMarketRecord(data.records, market, store.aliases);
    const symbol = selectStat(record, "symbol", store.aliases);
    const column = record && store.aliases.columnOf(record, "symbol");
    // A record may hold some of its fields, and name the market by another one: that is no other symbol.
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

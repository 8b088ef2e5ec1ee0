// What is known of a market: its record, its scale, its figures, and the names by which a person or an account's row means it.
import { type Decimal, formatDecimal, parseDecimal } from "../../units/decimal.ts";
import type { Scale, ScaleSource } from "../../units/scale.ts";
import type { Meaning } from "../dialect/names.ts";
import { type Store, select } from "../state/store.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { findField, parseNumber, parseTimeMs, readText, type ShownMeaning } from "./read.ts";

export interface MarketRef {
  readonly type: "perp" | "spot";
  /** Digits. */
  readonly id: string;
}

/** `perp/1`, as everywhere in channels. */
export function marketName({ type, id }: MarketRef): string {
  return `${type}/${id}`;
}

export function parseMarketName(name: string): MarketRef | undefined {
  const [, type, id] = /^(perp|spot)\/([0-9]+)$/.exec(name) ?? [];
  return type === undefined || id === undefined
    ? undefined
    : { type: type as MarketRef["type"], id };
}

export interface MarketChannels {
  readonly bbo: string;
  readonly orderbook: string;
  readonly trades: string;
  readonly candles: string;
  /** A perpetual alone has mark prices and funding. */
  readonly markCandles: string | undefined;
  readonly stats: string;
  readonly funding: string | undefined;
}

export function channelsOf(market: string, interval: string): MarketChannels {
  const ref = parseMarketName(market);
  const isPerp = ref?.type === "perp";
  return {
    bbo: `bbo/${market}`,
    orderbook: `orderbook/${market}`,
    trades: `trades/${market}`,
    candles: `candles/${market}/${interval}`,
    markCandles: isPerp ? `mark-candles/${ref.id}/${interval}` : undefined,
    stats: `market-stats/${market}`,
    funding: isPerp ? `funding-rates/${ref.id}` : undefined,
  };
}

export interface ListedMarket {
  /** `perp/1`. */
  readonly name: string;
  readonly symbol: string | undefined;
  readonly record: OpenRecord;
}

/** Markets of the `markets` channel, made once for each state of its rows. */
const listed = new WeakMap<
  object,
  {
    readonly size: number;
    readonly rows: readonly OpenRecord[];
    readonly markets: readonly ListedMarket[];
  }
>();

export function selectListedMarkets(store: Store): readonly ListedMarket[] {
  const list = select(store, "markets", "markets");
  if (list === undefined) return [];
  const rows = [...list.rows.values()];
  const known = listed.get(list);
  if (
    known !== undefined &&
    rows.length === known.size &&
    rows.every((row, i) => row === known.rows[i])
  )
    return known.markets;
  const { names } = store.dialect;
  const markets = rows.flatMap((record) => {
    const ref = refOf(store, record);
    const symbol = readText(names, record, "symbol");
    return ref === undefined ? [] : [{ name: marketName(ref), symbol, record }];
  });
  listed.set(list, { size: rows.length, rows, markets });
  return markets;
}

const TYPE_WORDS: readonly (readonly [RegExp, MarketRef["type"]])[] = [
  [/perp|swap|future|contract|linear/i, "perp"],
  [/spot|cash/i, "spot"],
];

/** The type and id that a record of the `markets` channel has. */
function refOf({ dialect: { names } }: Store, record: OpenRecord): MarketRef | undefined {
  const id = ["marketid", "id", "marketindex", "index", "productid"]
    .map((name) => findByName(record, name))
    .find((text) => text !== undefined && /^[0-9]{1,10}$/.test(text));
  const word =
    readText(names, record, "marketType") ??
    findByName(record, "type") ??
    findByName(record, "kind") ??
    "perp";
  const type = TYPE_WORDS.find(([words]) => words.test(word))?.[1];
  return id === undefined || type === undefined ? undefined : { type, id };
}

function findByName(record: OpenRecord, wanted: string): string | undefined {
  for (const [name, value] of Object.entries(record)) {
    if (name.toLowerCase().replaceAll("_", "") !== wanted) continue;
    if (typeof value === "string" || typeof value === "number") return String(value);
  }
  return undefined;
}

export function findListed(store: Store, market: string): ListedMarket | undefined {
  return selectListedMarkets(store).find(({ name }) => name === market);
}

/** As a person calls it: its symbol, else its name. */
export function marketLabel(store: Store, market: string): string {
  return findListed(store, market)?.symbol ?? market;
}

/** The market that a row of an account means, by id and type, symbol, coin, product or index; undefined if none is so called. */
export function marketOfRow(store: Store, row: OpenRecord): string | undefined {
  const { names } = store.dialect;
  const text = readText(names, row, "market");
  if (text === undefined) return undefined;
  const markets = selectListedMarkets(store);
  const word = readText(names, row, "marketType");
  const type = word && TYPE_WORDS.find(([words]) => words.test(word))?.[1];
  if (parseMarketName(text) !== undefined) return text;
  if (/^[0-9]+$/.test(text)) {
    const byId = markets.filter(({ name }) => name.endsWith(`/${text}`));
    return (byId.find(({ name }) => type === undefined || name.startsWith(type)) ?? byId[0])?.name;
  }
  const plain = plainSymbol(text);
  const bySymbol = markets.filter(
    ({ symbol }) => symbol !== undefined && plainSymbol(symbol) === plain,
  );
  const byBase = markets.filter(({ symbol }) => symbol !== undefined && baseOf(symbol) === plain);
  const found = [...bySymbol, ...byBase];
  return (found.find(({ name }) => name.startsWith(type ?? "perp")) ?? found[0])?.name;
}

function plainSymbol(symbol: string): string {
  return symbol.toLowerCase().replace(/[^\p{L}\p{N}@$]/gu, "");
}

/** `BTC` of `BTC-PERP`, `BTC/USDC`. */
function baseOf(symbol: string): string {
  return plainSymbol(symbol.split(/[-/_:]/)[0] ?? symbol);
}

export interface MarketScale extends Partial<Scale> {
  readonly source: ScaleSource;
}

/** What the `markets` record says of ticks and lots; undefined parts where it does not. */
export function scaleOf(store: Store, market: string): Scale | undefined {
  const record = findListed(store, market)?.record;
  if (record === undefined) return undefined;
  const { names } = store.dialect;
  const size = (meaning: Meaning) => {
    const value = parseDecimal(readText(names, record, meaning) ?? "");
    return value !== undefined && value.mantissa > 0n ? value : undefined;
  };
  const [tickSize, lotSize] = [size("tickSize"), size("lotSize")];
  return tickSize && lotSize && { tickSize, lotSize };
}

/** Figures of a market by the names of the output. */
export const STAT_MEANINGS = {
  last: "last",
  mark: "mark",
  index: "index",
  change_24h: "change24h",
  high_24h: "high24h",
  low_24h: "low24h",
  volume_base_24h: "volumeBase24h",
  volume_quote_24h: "volumeQuote24h",
  open_interest: "openInterest",
  funding_rate: "fundingRate",
} as const satisfies Readonly<Record<string, Meaning>>;
export type StatName = keyof typeof STAT_MEANINGS;

/** The record of a market's figures: of its own channel, or of that of all markets of its type. */
export function statsRecord(store: Store, market: string): OpenRecord | undefined {
  const [own] = select(store, "market-stats", `market-stats/${market}`)?.rows.values() ?? [];
  if (own !== undefined) return own;
  const type = parseMarketName(market)?.type;
  const all = select(store, "market-stats", `market-stats/${type}`);
  for (const row of all?.rows.values() ?? []) {
    const ref = refOf(store, row);
    if (ref !== undefined && marketName({ ...ref, type: type ?? ref.type }) === market) return row;
  }
  return undefined;
}

/** Exact text; undefined where it is not given. */
export function readStat(
  store: Store,
  market: string,
  name: StatName | ShownMeaning,
): string | undefined {
  const record = statsRecord(store, market);
  if (record === undefined) return undefined;
  const meaning = name in STAT_MEANINGS ? STAT_MEANINGS[name as StatName] : (name as ShownMeaning);
  const field = findField(store.dialect.names, record, meaning);
  return field && parseNumber(field.text) !== undefined ? field.text : undefined;
}

/** The price of the last trade: of the tape, else of the figures; in quote currency where the scale is known, else in ticks. */
export function lastPrice(store: Store, market: string): string | undefined {
  const trade = select(store, "trades", `trades/${market}`)?.trades.at(-1);
  if (trade === undefined) return readStat(store, market, "last");
  const scale = scaleOf(store, market);
  return scale === undefined ? trade.price_ticks : priceText(trade.price_ticks, scale);
}

export function priceText(ticks: string, { tickSize }: Scale): string {
  return formatDecimal({ mantissa: BigInt(ticks) * tickSize.mantissa, places: tickSize.places });
}

export function sizeText(lots: bigint | string, { lotSize }: Scale): string {
  return formatDecimal({ mantissa: BigInt(lots) * lotSize.mantissa, places: lotSize.places });
}

/** The price at which positions are valued: mark, else the middle of the best prices, else last. */
export function valuePrice(store: Store, market: string): Decimal | undefined {
  const mark = readStat(store, market, "mark");
  return parseNumber(mark ?? lastPrice(store, market) ?? "");
}

/** Funding of a market: the rate, the time it is for, and when it comes next. */
export interface FundingFacts {
  /** As a share of the position's value for one interval; exact text. */
  readonly rate: string;
  readonly intervalMs: number;
  /** Unix milliseconds by the service's clock; undefined where nothing says so. */
  readonly nextMs: number | undefined;
}

const HOUR_MS = 3_600_000;

export function selectFunding(store: Store, market: string): FundingFacts | undefined {
  const rate = readStat(store, market, "funding_rate");
  const record = statsRecord(store, market);
  if (rate === undefined || record === undefined) return undefined;
  const { names } = store.dialect;
  return {
    rate,
    intervalMs: saidInterval(store, market) ?? spacingMs(store, market) ?? HOUR_MS,
    nextMs: parseTimeMs(readText(names, record, "nextFunding")),
  };
}

/** What a record says comes before what the spacing of points suggests. */
function saidInterval(store: Store, market: string): number | undefined {
  const { names } = store.dialect;
  const records = [statsRecord(store, market), findListed(store, market)?.record];
  for (const record of records) {
    const field = record && findField(names, record, "fundingInterval");
    const value = field === undefined ? Number.NaN : Number(field.text);
    if (!(value > 0)) continue;
    if (field?.name.endsWith("hours")) return value * HOUR_MS;
    // Hours, seconds and milliseconds are told apart by size: no interval is longer than a day.
    if (value <= 24) return value * HOUR_MS;
    return value < 100_000 ? value * 1000 : value;
  }
  return undefined;
}

function spacingMs(store: Store, market: string): number | undefined {
  const id = parseMarketName(market)?.id;
  const rates = select(store, "funding-rates", `funding-rates/${id}`)?.rates ?? [];
  const { names } = store.dialect;
  const [a, b] = rates.slice(-2).map((row) => parseTimeMs(readText(names, row, "time")));
  return a !== undefined && b !== undefined && b > a ? b - a : undefined;
}

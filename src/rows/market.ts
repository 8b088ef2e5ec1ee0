// What is known of a market: its record, its scale, its figures, and the names by which a person or an account's row means it.

import { nameOf, read } from "../dialect/fields.ts";
import { findMarket, formatMarket, type MarketIndex, marketOf } from "../dialect/markets.ts";
import type { Names } from "../dialect/names.ts";
import {
  type Figure,
  findEntry,
  findStats,
  selectMarkets,
  selectScale,
  serviceFigures,
} from "../state/select-market.ts";
import { cached, type Store, select } from "../state/store.ts";
import {
  type Decimal,
  divideHalfEven,
  formatDecimal,
  parseNumber,
  roundDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, parseDuration, SECOND_MS } from "../units/time.ts";
import { parseId, stripZeros } from "../units/uint.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { parseTimeMs } from "./read.ts";

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

/**
 * A market as it is typed: `perp/1`, `spot/2`, or `1` for `perp/1`; `perp/007` is `perp/7`.
 * @returns undefined if the text names no market by type and id, or the id is out of the interface's range (int32)
 */
export function readMarket(text: string): MarketRef | undefined {
  const market = readMarketName(text);
  return market !== undefined && parseId(market.id) !== undefined ? market : undefined;
}

/** The same for a market whose id may have any size. */
function readMarketName(text: string): MarketRef | undefined {
  const [, type = "perp", id] = /^(?:(perp|spot)\/)?([0-9]{1,39})$/.exec(text) ?? [];
  return id === undefined ? undefined : { type: type as MarketRef["type"], id: stripZeros(id) };
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

/** Of the figures of all markets of a type. */
export const ALL_STATS = ["market-stats/perp", "market-stats/spot"];

export interface ListedMarket {
  /** `perp/1`. */
  readonly name: string;
  readonly symbol: string | undefined;
  readonly record: OpenRecord;
}

/** Made once for each index of markets. */
const listed = new WeakMap<MarketIndex, readonly ListedMarket[]>();

export function selectListedMarkets(store: Store): readonly ListedMarket[] {
  const index = selectMarkets(store);
  let markets = listed.get(index);
  if (markets === undefined) {
    markets = index.entries.map(({ symbol, record, ...key }) => ({
      ...{ name: formatMarket(key), symbol, record },
    }));
    listed.set(index, markets);
  }
  return markets;
}

/** @param market `perp/1` */
export function findListed(
  store: Store,
  market: string,
): Pick<ListedMarket, "symbol" | "record"> | undefined {
  return findEntry(store, market);
}

/** As a person calls it: its symbol, else its name. */
export function marketLabel(store: Store, market: string): string {
  return findListed(store, market)?.symbol ?? market;
}

/** `perp/1` for a name, an id or a symbol, whatever its letter case; undefined if no market is so called. */
export function marketCalled(store: Store, text: string): string | undefined {
  if (parseMarketName(text) !== undefined) return text;
  const found = findMarket(text, selectMarkets(store));
  return found && formatMarket(found);
}

/** The market that a row of an account means; undefined if it names none that is known. */
export function marketOfRow(store: Store, row: OpenRecord): string | undefined {
  const found = marketOf(row, selectMarkets(store), store.dialect.names);
  return found === undefined || found === "unknown" ? undefined : formatMarket(found);
}

/** What a tick and a lot are worth: by the config, the market's record, or measured. */
export function scaleOf(store: Store, market: string): Scale | undefined {
  return selectScale(store, market);
}

/** The record of a market's figures: of its own channel, or of that of all markets of its type. */
function statsRecord(store: Store, market: string): OpenRecord | undefined {
  return findStats(store, market)?.record;
}

/** Exact text; undefined where it is not given, or where the record's prices are in another unit. */
export function readStat(store: Store, market: string, name: Figure): string | undefined {
  return serviceFigures(store, market)[name];
}

/** The day's change in percent: the record may have it as percent, as a ratio, or in quote currency, which its name says. */
export function changePercent(store: Store, market: string): Decimal | undefined {
  const { names } = store.dialect;
  const record = statsRecord(store, market);
  const name = record && nameOf(record, "change24h", names);
  const value = record && parseNumber(read(record, "change24h", names) ?? "");
  if (name === undefined || value === undefined) return undefined;
  if (/ratio|rate|pcnt/.test(name)) return percentOf(value, { mantissa: 1n, places: 0 });
  if (!/price/.test(name) || /percent/.test(name)) return value;
  const last = parseNumber(lastPrice(store, market) ?? "");
  return last && percentOf(value, subtractDecimal(last, value));
}

/** A share in percent with two decimals; undefined where the whole is not positive. */
export function percentOf(part: Decimal, whole: Decimal): Decimal | undefined {
  const places = Math.max(part.places, whole.places);
  const [a, b] = [widenDecimal(part, places).mantissa, widenDecimal(whole, places).mantissa];
  return b <= 0n ? undefined : divideHalfEven(a * 100n, b, PERCENT_PLACES);
}

const PERCENT_PLACES = 2;

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

/** An average price with no more decimals than the market's prices; for the screen. */
export function atTick(store: Store, market: string | undefined, price: Decimal): string {
  const scale = market === undefined ? undefined : scaleOf(store, market);
  return formatDecimal(scale === undefined ? price : roundDecimal(price, scale.tickSize.places));
}

/** The price at which positions are valued: mark, else the middle of the best prices, else last. */
export function valuePrice(store: Store, market: string): Decimal | undefined {
  return parseNumber(valueText(store, market) ?? "");
}

/** Never in ticks. */
export function valueText(store: Store, market: string): string | undefined {
  const isScaled = scaleOf(store, market) !== undefined;
  const last = isScaled ? lastPrice(store, market) : readStat(store, market, "last");
  return readStat(store, market, "mark") ?? last;
}

/** Funding of a market: the rate, the time it is for, and when it comes next. */
export interface FundingFacts {
  /** As a share of the position's value for one interval; exact text. */
  readonly rate: string;
  /** Undefined where nothing tells it. */
  readonly intervalMs: number | undefined;
  /** Unix milliseconds by the service's clock; undefined where nothing says so. */
  readonly nextMs: number | undefined;
}

export function selectFunding(store: Store, market: string): FundingFacts | undefined {
  const rate = readStat(store, market, "funding_rate");
  const record = statsRecord(store, market);
  if (rate === undefined || record === undefined) return undefined;
  const { names } = store.dialect;
  return {
    rate,
    intervalMs: fundingIntervalMs(store, market),
    nextMs: parseTimeMs(read(record, "nextFunding", names)),
  };
}

/** What a record says comes before what the spacing of points suggests. @param point one of the rates, where that is what is asked */
export function fundingIntervalMs(
  store: Store,
  market: string,
  point?: OpenRecord,
): number | undefined {
  return (point && intervalIn(point, store.dialect.names)) ?? usualIntervalMs(store, market);
}

const usualIntervalMs = cached((store, market): number | undefined => {
  const { names } = store.dialect;
  const id = parseMarketName(market)?.id;
  const rates = select(store, "funding-rates", `funding-rates/${id}`)?.rates ?? [];
  const newest = rates.at(-1);
  const said = saidInterval(store, market) ?? (newest && intervalIn(newest, names));
  return said ?? spacingMs(rates, names);
});

/** The channel that tells the interval of a rate, where no record says it. */
export function fundingChannels(store: Store, market: string): readonly string[] {
  const { funding } = channelsOf(market, "1m");
  const isAsked =
    readStat(store, market, "funding_rate") !== undefined &&
    saidInterval(store, market) === undefined;
  return funding !== undefined && isAsked ? [funding] : [];
}

function saidInterval(store: Store, market: string): number | undefined {
  const { names } = store.dialect;
  const records = [statsRecord(store, market), findListed(store, market)?.record];
  return records
    .map((record) => record && intervalIn(record, names))
    .find((ms) => ms !== undefined);
}

const UNITS = { ms: 1, seconds: 1000, minutes: MINUTE_MS, hours: HOUR_MS };

/** By the unit in the field's name; without one told apart by size, because an interval is of an hour to a day. */
function intervalIn(record: OpenRecord, names: Names): number | undefined {
  const text = read(record, "fundingInterval", names) ?? "";
  const value = Number(text);
  if (!(value > 0)) return parseDuration(text) || undefined;
  const name = nameOf(record, "fundingInterval", names) ?? "";
  const unit = Object.entries(UNITS).find(([word]) => name.endsWith(word))?.[1];
  const units = [HOUR_MS, MINUTE_MS, SECOND_MS, 1, 1e-3, 1e-6];
  return value * (unit ?? units.find((each) => value * each <= DAY_MS) ?? 1);
}

/** The usual one, to the second: points may be late or missing. */
function spacingMs(rates: readonly OpenRecord[], names: Names): number | undefined {
  const times = rates.map((row) => parseTimeMs(read(row, "time", names)) ?? Number.NaN);
  const gaps = times.slice(1).map((ms, i) => ms - (times[i] ?? Number.NaN));
  const known = gaps.filter((ms) => ms >= SECOND_MS).sort((a, b) => a - b);
  const usual = known[known.length >> 1];
  return usual && Math.round(usual / SECOND_MS) * SECOND_MS;
}

const YEAR_HOURS = 8760n;

/** In percent, an hour's with four decimals and a year's with two. @param rate of one interval, as a share */
export function fundingRates(rate: Decimal, intervalMs: number | undefined) {
  if (intervalMs === undefined) return undefined;
  const whole = 10n ** BigInt(rate.places) * BigInt(Math.max(1, Math.round(intervalMs)));
  const hour = rate.mantissa * 100n * BigInt(HOUR_MS);
  return {
    perHour: divideHalfEven(hour, whole, 4),
    apr: divideHalfEven(hour * YEAR_HOURS, whole, 2),
  };
}

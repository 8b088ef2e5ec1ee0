// What the store knows of a market: its record, its scale, its figures.

import { read, readScaled } from "../dialect/fields.ts";
import {
  formatMarket,
  indexMarkets,
  type MarketEntry,
  type MarketIndex,
  marketOf,
} from "../dialect/markets.ts";
import type { Meaning, Names } from "../dialect/names.ts";
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  parseNumber,
} from "../units/decimal.ts";
import { MemoOf } from "../units/memo.ts";
import { formatUnits, type Scale, toUnits } from "../units/scale.ts";
import type { OpenRecord } from "../wire/frames.ts";
import type { List } from "./list.ts";
import { contradictsCandle, type KnownScale, scaleOfRecord } from "./scale.ts";
import { cached, type Store, select } from "./store.ts";

const EMPTY: MarketIndex = { entries: [], byWord: new Map() };
const indexes = new WeakMap<object, { rows: readonly OpenRecord[]; index: MarketIndex }>();

/** Made anew only when a record of `markets` has changed. */
export function selectMarkets(store: Store): MarketIndex {
  return marketsOf(store, "");
}

const marketsOf = cached((store): MarketIndex => {
  const list = select(store, "markets", "markets");
  if (list === undefined) return EMPTY;
  const rows = [...list.rows.values()];
  const known = indexes.get(list);
  if (known?.rows.length === rows.length && rows.every((row, i) => row === known.rows[i]))
    return known.index;
  const index = indexMarkets(rows, store.dialect.names);
  indexes.set(list, { rows, index });
  return index;
});

const entries = new WeakMap<MarketIndex, ReadonlyMap<string, MarketEntry>>();

/** @param market `perp/1` */
export function findEntry(store: Store, market: string): MarketEntry | undefined {
  const index = selectMarkets(store);
  let byName = entries.get(index);
  if (byName === undefined) {
    byName = new Map(index.entries.map((entry) => [formatMarket(entry), entry]));
    entries.set(index, byName);
  }
  return byName.get(market);
}

/** The config's scale, else that of the market's record unless the stream contradicts it, else what was measured. */
export const selectScale = cached((store, market): KnownScale | undefined => {
  const known = store.scales.get(market);
  if (known?.source === "config") return known;
  const entry = findEntry(store, market);
  const said = entry && saidScale(entry.record, store.dialect.names);
  const isOut = said !== undefined && (isRaw(store, "") || isContradicted(store, market, said));
  return said === undefined || isOut ? known : said;
});

const RAW_TIMES = 1000n;

/**
 * Some chains count in units that nothing names: the tick of a market that is watched makes prices a thousand times those of its
 * candles and more. Then no whole number of the service tells what it is worth.
 */
export const isRaw = cached((store): boolean =>
  Array.from(closes(store, "")).some(([market, close]) => {
    const record = findEntry(store, market)?.record;
    const tick = record && saidScale(record, store.dialect.names)?.tickSize;
    const [ticks, price] = [ticksOf(store, market), parseDecimal(close)];
    if (tick === undefined || ticks === undefined || price === undefined) return false;
    const said = { mantissa: BigInt(ticks) * tick.mantissa, places: tick.places };
    const least = { ...price, mantissa: price.mantissa * RAW_TIMES };
    return price.mantissa > 0n && compareDecimal(said, least) > 0;
  }),
);

const saidScales = new WeakMap<OpenRecord, KnownScale>();

/** The same as long as the record is. */
function saidScale(record: OpenRecord, names: Names): KnownScale | undefined {
  const scale = saidScales.get(record) ?? scaleOfRecord(record, names);
  if (scale !== undefined) saidScales.set(record, scale);
  return scale;
}

/** By a candle of a market that is watched, or by a last price that is no whole number of ticks. */
function isContradicted(store: Store, market: string, scale: KnownScale): boolean {
  const close = parseDecimal(closeOf(store, market) ?? "");
  const ticks = ticksOf(store, market);
  if (close !== undefined && ticks !== undefined) return contradictsCandle(scale, close, ticks);
  const stats = findStats(store, market);
  const last = parseDecimal((stats && figuresOf(stats.record, store.dialect.names).last) ?? "");
  return last !== undefined && toUnits(last, scale.tickSize) === undefined;
}

/** Of the newest candle of any interval. */
const closeOf = (store: Store, market: string) => closes(store, "").get(market);

const closes = cached((store): ReadonlyMap<string, string> => {
  const byMarket = new Map<string, string>();
  for (const channel of store.channels.keys()) {
    const candle = select(store, "candles", channel)?.items.at(-1);
    const [, market] = /^candles\/(.*)\//.exec(channel) ?? [];
    if (candle === undefined || market === undefined || byMarket.has(market)) continue;
    byMarket.set(market, candle.close);
  }
  return byMarket;
});

function ticksOf(store: Store, market: string): string | undefined {
  const trade = select(store, "trades", `trades/${market}`)?.trades.at(-1);
  const bbo = select(store, "bbo", `bbo/${market}`);
  return trade?.price_ticks ?? bbo?.bid?.price_ticks ?? bbo?.ask?.price_ticks;
}

/** The statistics of a market, from its own channel or from that of its type. */
export function findStats(
  store: Store,
  market: string,
): { readonly record: OpenRecord; readonly channel: string } | undefined {
  const own = `market-stats/${market}`;
  const [record] = select(store, "market-stats", own)?.rows.values() ?? [];
  if (record !== undefined) return { record, channel: own };
  const channel = `market-stats/${market.startsWith("spot/") ? "spot" : "perp"}`;
  const list = select(store, "market-stats", channel);
  const key = list && keysByMarket(store, list, channel).get(market);
  const common = key === undefined ? undefined : list?.rows.get(key);
  return common && { record: common, channel };
}

interface KnownKeys {
  readonly index: MarketIndex;
  readonly turnover: number;
  readonly keys: ReadonlyMap<string, string>;
}
const knownKeys = new WeakMap<List, KnownKeys>();

/** Where the list of a channel of all markets of a type has each: a row's key has what names its market. */
function keysByMarket(store: Store, list: List, channel: string): ReadonlyMap<string, string> {
  const index = selectMarkets(store);
  const known = knownKeys.get(list);
  if (known?.index === index && known.turnover === list.turnover) return known.keys;
  const type = channel.endsWith("spot") ? "spot" : "perp";
  const keys = new Map<string, string>();
  for (const [key, row] of list.rows) {
    const found = marketOf(row, index, store.dialect.names, type);
    if (typeof found !== "object") continue;
    const name = formatMarket(found);
    if (!keys.has(name)) keys.set(name, key);
  }
  knownKeys.set(list, { index, turnover: list.turnover, keys });
  return keys;
}

/** By their names in JSON. */
const FIGURES = {
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
export type Figure = keyof typeof FIGURES;
const FIGURE_NAMES = Object.keys(FIGURES) as readonly Figure[];

const PRICES: readonly Figure[] = ["last", "mark", "index", "high_24h", "low_24h"];
/** A price so many times that of the market is in another unit. */
const FAR = 4n;

type Figures = Partial<Record<Figure, string>>;

/** Exact texts; the last price is that of the last trade, where the tape has one and a tick is known. */
export function selectFigures(store: Store, market: string): Figures {
  const said = serviceFigures(store, market);
  const trade = select(store, "trades", `trades/${market}`)?.trades.at(-1);
  const scale = selectScale(store, market);
  return trade === undefined || scale === undefined
    ? said
    : { ...said, last: formatUnits(trade.price_ticks, scale.tickSize) };
}

/** Only what the service says, and nothing of a record whose prices are in another unit. */
export const serviceFigures = cached((store, market): Figures => {
  const stats = findStats(store, market);
  if (stats === undefined) return {};
  const figures = figuresOf(stats.record, store.dialect.names, selectScale(store, market));
  if (isInOtherUnit(store, market, figures)) return {};
  if (!isRaw(store, "")) return figures;
  return Object.fromEntries(Object.entries(figures).filter(([, text]) => text.includes(".")));
});

const knownFigures = new MemoOf<OpenRecord, Figures>();

/** The same as long as the record and the scale are. */
function figuresOf(record: OpenRecord, names: Names, scale?: Scale): Figures {
  return knownFigures.get(record, [scale], () => readFigures(record, names, scale));
}

function readFigures(record: OpenRecord, names: Names, scale: Scale | undefined): Figures {
  const figures: Figures = {};
  for (const figure of FIGURE_NAMES) {
    const number = figureIn(record, figure, names, scale);
    if (number !== undefined) figures[figure] = formatDecimal(number);
  }
  // A volume without unit is one of base where the record has one of quote of its own.
  if (figures.volume_quote_24h !== undefined && figures.volume_base_24h === undefined) {
    const volume = parseNumber(read(record, "volume24h", names) ?? "");
    if (volume !== undefined) figures.volume_base_24h = formatDecimal(volume);
  }
  return figures;
}

/** A price of zero is none: nothing has traded. */
function figureIn(
  record: OpenRecord,
  figure: Figure,
  names: Names,
  scale: Scale | undefined,
): Decimal | undefined {
  const number = readScaled(record, FIGURES[figure], names, scale);
  const isNone = number !== undefined && number.mantissa <= 0n && PRICES.includes(figure);
  return isNone ? undefined : number;
}

function isInOtherUnit(store: Store, market: string, figures: Figures): boolean {
  const close = parseDecimal(closeOf(store, market) ?? "");
  if (close === undefined || close.mantissa <= 0n) return false;
  const times = (value: Decimal) => ({ ...value, mantissa: value.mantissa * FAR });
  return PRICES.map((name) => parseDecimal(figures[name] ?? "")).some(
    (price) =>
      price !== undefined &&
      price.mantissa > 0n &&
      (compareDecimal(price, times(close)) > 0 || compareDecimal(times(price), close) < 0),
  );
}

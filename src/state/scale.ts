// What a tick and a lot of a market are worth: by the config, by the market's record, or measured.

import { fieldsOf, nameOf, read } from "../dialect/fields.ts";
import type { Names } from "../dialect/names.ts";
import { compareDecimal, type Decimal, parseDecimal, trimDecimal } from "../units/decimal.ts";
import { type Scale, type ScaleSource, toUnits, unitSize } from "../units/scale.ts";
import { msOfNs } from "../units/time.ts";
import type { OpenRecord, Trade } from "../wire/frames.ts";

export interface KnownScale extends Scale {
  readonly source: Exclude<ScaleSource, "none">;
}

/** Integers with more digits are no sizes but sizes in units of a billionth of a billionth, as some chains count. */
const MAX_DIGITS = 9;
const X18_PLACES = 18;
const MAX_DECIMALS = 18;

/** What the record of a market says of ticks and lots; undefined unless it says both. */
export function scaleOfRecord(record: OpenRecord, names: Names): KnownScale | undefined {
  const tickSize = sizeIn(record, "tickSize", "priceDecimals", names);
  const lotSize = sizeIn(record, "lotSize", "sizeDecimals", names);
  return tickSize && lotSize && { tickSize, lotSize, source: "market" };
}

function sizeIn(
  record: OpenRecord,
  size: "tickSize" | "lotSize",
  decimals: "priceDecimals" | "sizeDecimals",
  names: Names,
): Decimal | undefined {
  const value = parseDecimal(read(record, size, names) ?? "");
  if (value !== undefined && value.mantissa > 0n) return inUnits(record, value, size, names);
  const places = Number(read(record, decimals, names) ?? Number.NaN);
  const isUsual = Number.isInteger(places) && places >= 0 && places <= MAX_DECIMALS;
  return isUsual ? { mantissa: 1n, places } : undefined;
}

function inUnits(
  record: OpenRecord,
  value: Decimal,
  size: "tickSize" | "lotSize",
  names: Names,
): Decimal | undefined {
  const isX18 = nameOf(record, size, names)?.endsWith("x18") === true;
  if (!isX18 && `${value.mantissa}`.length - value.places <= MAX_DIGITS) return value;
  const hasX18 = isX18 || [...fieldsOf(record).keys()].some((name) => name.endsWith("x18"));
  return hasX18
    ? trimDecimal({ mantissa: value.mantissa, places: value.places + X18_PLACES })
    : undefined;
}

/** A scale is out by more than this if a price that it makes is so many times the price of a candle, or so small a part of it. */
const FAR = 4n;

/**
 * Do prices in ticks and the decimal price of a candle of the same market contradict a scale?
 * @param close of a candle @param priceTicks of a trade or level of the same time
 */
export function contradictsCandle(
  { tickSize }: Scale,
  close: Decimal,
  priceTicks: string,
): boolean {
  if (toUnits(close, tickSize) === undefined) return true;
  const price = { mantissa: BigInt(priceTicks) * tickSize.mantissa, places: tickSize.places };
  const times = (value: Decimal) => ({ ...value, mantissa: value.mantissa * FAR });
  return compareDecimal(price, times(close)) > 0 || compareDecimal(times(price), close) < 0;
}

/** A trade as the stream and as the listing have it. */
export interface ScalePair {
  readonly trade: Pick<Trade, "price_ticks" | "size_base_lots">;
  readonly price: string;
  readonly quantity: string;
}

/** A trade of the listing (2.4), as far as it matters here. */
export interface ListedTrade {
  readonly timestamp_ms: number;
  readonly taker_is_bid: boolean;
  readonly price: string;
  readonly quantity: string;
}

/** The trades that both have: those that are the only ones of their side in their millisecond. */
export function pairTrades(
  trades: readonly Trade[],
  listed: readonly ListedTrade[],
): readonly ScalePair[] {
  const own = onlyOnes(trades, (trade) => `${msOfNs(trade.timestamp_ns)} ${trade.taker_is_bid}`);
  const others = onlyOnes(listed, (record) => `${record.timestamp_ms} ${record.taker_is_bid}`);
  return [...own].flatMap(([place, trade]) => {
    const record = others.get(place);
    return record === undefined ? [] : [{ trade, price: record.price, quantity: record.quantity }];
  });
}

function onlyOnes<T>(items: readonly T[], placeOf: (item: T) => string): ReadonlyMap<string, T> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(placeOf(item), (counts.get(placeOf(item)) ?? 0) + 1);
  return new Map(
    items.filter((item) => counts.get(placeOf(item)) === 1).map((item) => [placeOf(item), item]),
  );
}

/** So many trades that agree exactly are no coincidence. */
const MEASURED_PAIRS = 20;

/** The scale that all these trades agree on; undefined for fewer than twenty, or where one disagrees. */
export function measureScale(pairs: readonly ScalePair[]): KnownScale | undefined {
  if (pairs.length < MEASURED_PAIRS) return undefined;
  const tickSize = agreedSize(pairs, ({ price, trade }) => [price, trade.price_ticks]);
  const lotSize = agreedSize(pairs, ({ quantity, trade }) => [quantity, trade.size_base_lots]);
  return tickSize && lotSize && { tickSize, lotSize, source: "measured" };
}

function agreedSize(
  pairs: readonly ScalePair[],
  of: (pair: ScalePair) => readonly [value: string, count: string],
): Decimal | undefined {
  const sizes = pairs.map((pair) => {
    const [value, count] = of(pair);
    const decimal = parseDecimal(value);
    return decimal && unitSize(decimal, BigInt(count));
  });
  const [first] = sizes;
  const agree = sizes.every((each) => each && first && compareDecimal(each, first) === 0);
  return agree ? first : undefined;
}

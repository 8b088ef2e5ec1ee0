// Funding rates of a market: the points, whether they are at regular times, and if so, what follows for a year and for a
// position.

import type { Aliases } from "../state/aliases.ts";
import type { FundingRatesState } from "../state/funding-rates.ts";
import {
  absoluteDecimal,
  addDecimal,
  type Decimal,
  divideInteger,
  formatDecimal,
  multiplyDecimal,
  subtractDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { NS_PER_MS } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import {
  getSign,
  positionDirection,
  positionSize,
  readNumber,
  valueAt,
  withSign,
} from "./fields.ts";
import { isOfMarket, isOfOtherSymbol, type Market, parseMarketRecord } from "./market.ts";
import type { ShowCell } from "./record-format.ts";

export interface FundingPoint {
  /** Unix milliseconds; undefined if the record has no time. */
  readonly timeMs: number | undefined;
  /** As a fraction of 1, for one interval. */
  readonly rate: Decimal;
  readonly record: OpenRecord;
}

export interface Funding {
  /** Oldest first; records without a rate are left out. */
  readonly points: readonly FundingPoint[];
  readonly newest: FundingPoint | undefined;
  /** Milliseconds between two points; undefined if irregular or unknown. */
  readonly intervalMs: number | undefined;
  /** The newest rate annualised without compounding, in percent; undefined without an interval. */
  readonly annualPercent: string | undefined;
}

const YEAR_MS = 365n * 86_400_000n;
const MIN_TIMES = 3;
/** Intervals that differ by less are equal: a hundredth, and at least a second. */
const TOLERANCE = 0.01;
const MIN_TOLERANCE_MS = 1000;
const ANNUAL_PLACES = 2;

/**
 * @param market whose rates they are: points that name another market are left out
 * @param listed the list of markets, to recognise another market that is named only by its symbol
 */
export function selectFunding(
  aliases: Aliases,
  state: FundingRatesState,
  market: Market | undefined,
  listed: readonly OpenRecord[] = [],
): Funding {
  const points = state.rates.flatMap((record): readonly FundingPoint[] => {
    const named = parseMarketRecord(record, aliases);
    if (market !== undefined && named !== undefined && named.id !== market.id) return [];
    const isUnnamed = market !== undefined && named === undefined;
    if (isUnnamed && isOfOtherSymbol(record, market, { aliases, listed })) return [];
    const rate = readNumber(aliases.value(record, "fundingRate"));
    if (rate === undefined) return [];
    const ns = state.timeOf(record);
    return [{ timeMs: ns === undefined ? undefined : Number(ns / NS_PER_MS), rate, record }];
  });
  const last = points.at(-1);
  // Among several, a point without a time might as well be the oldest.
  const newest = last?.timeMs === undefined && points.length > 1 ? undefined : last;
  const intervalMs = regularInterval(points.map(({ timeMs }) => timeMs));
  const annualPercent = newest && annual(newest.rate, intervalMs);
  return { points, newest, intervalMs, annualPercent };
}

/**
 * When funding is paid next, in Unix milliseconds: the next time among the points, else one interval after the newest;
 * undefined if neither is known.
 */
export function selectNextFunding(
  { points, newest, intervalMs }: Funding,
  wallMs: number,
): number | undefined {
  const coming = points.flatMap(({ timeMs }) =>
    timeMs !== undefined && timeMs > wallMs ? timeMs : [],
  );
  if (coming.length > 0) return Math.min(...coming);
  const last = newest?.timeMs;
  return last === undefined || intervalMs === undefined ? undefined : last + intervalMs;
}

/** The interval between neighbours if it is always the same; else undefined. */
export function regularInterval(times: readonly (number | undefined)[]): number | undefined {
  if (times.length < MIN_TIMES) return undefined;
  const distances: number[] = [];
  for (const [i, time] of times.entries()) {
    const before = times[i - 1];
    if (time === undefined) return undefined;
    if (i > 0 && before !== undefined) distances.push(time - before);
  }
  const [first = 0] = distances;
  const slack = Math.max(MIN_TOLERANCE_MS, first * TOLERANCE);
  const isRegular = first > slack && distances.every((each) => Math.abs(each - first) <= slack);
  return isRegular ? first : undefined;
}

function annual({ mantissa, places }: Decimal, intervalMs: number | undefined): string | undefined {
  if (intervalMs === undefined) return undefined;
  const whole = BigInt(Math.round(intervalMs)) * 10n ** BigInt(places);
  const percent = divideInteger(mantissa * YEAR_MS * 100n, whole, ANNUAL_PLACES);
  return percent && formatDecimal(percent);
}

/** A fraction of 1 as percent, exactly: 0.0000125 is `0.00125`. */
export function formatPercent({ mantissa, places }: Decimal): string {
  const percent =
    places >= 2
      ? { mantissa, places: places - 2 }
      : { mantissa: mantissa * 10n ** BigInt(2 - places), places: 0 };
  return formatDecimal(trimDecimal(percent));
}

/** With its sign, unless it is zero: `+0.0013%`, `0%`. @param rate a fraction of 1 */
export function formatFundingRate(rate: Decimal): string {
  return `${rate.mantissa === 0n ? "0" : withSign(formatPercent(rate))}%`;
}

export const showFundingRate: ShowCell = (record, column, cell, { aliases }) => {
  if (cell.kind !== "number" || !aliases.isNamed(column, "fundingRate")) return cell;
  const rate = readNumber(valueAt(record, column));
  return rate === undefined ? cell : { ...cell, text: formatFundingRate(rate) };
};

/**
 * Lays out the newest points that fit, newest on the right: bars in half cells from the top of the plot, both ends
 * inclusive, and labels in percent at the row of zero, and of the highest and the lowest rate unless that is the same row.
 */
export function selectFundingChart(
  points: readonly FundingPoint[],
  {
    columns,
    rows,
    step,
  }: { readonly columns: number; readonly rows: number; readonly step: number },
) {
  const count = Math.floor((columns + step - 1) / step);
  const shown = points.slice(-Math.max(0, count));
  if (shown.length === 0 || columns <= 0 || rows <= 0) return { bars: [], labels: [] };
  const places = Math.max(...shown.map(({ rate }) => rate.places));
  const values = shown.map(({ rate }) => rate.mantissa * 10n ** BigInt(places - rate.places));
  const high = values.reduce((most, value) => (value > most ? value : most), 0n);
  const low = values.reduce((least, value) => (value < least ? value : least), 0n);
  const last = BigInt(rows * 2 - 1);
  const span = high - low;
  const placeOf = (value: bigint) =>
    span === 0n ? Number(last) : Number(((high - value) * last * 2n + span) / (span * 2n));
  const zero = placeOf(0n);
  const bars = values.map((value, i) => ({
    column: columns - 1 - (shown.length - 1 - i) * step,
    top: Math.min(zero, placeOf(value)),
    bottom: Math.max(zero, placeOf(value)),
    sign: getSign(`${value}`),
  }));
  const label = (value: bigint) => ({
    at: Math.floor(placeOf(value) / 2),
    text: `${formatPercent({ mantissa: value, places })}%`,
  });
  const line = label(0n);
  const ends = [...(high > 0n ? [high] : []), ...(low < 0n ? [low] : [])].map(label);
  return { bars, labels: [line, ...ends.filter(({ at }) => at !== line.at)] };
}

/** In quote currency; positive if the position receives it. */
export interface Carry {
  readonly side: "long" | "short" | "long and short";
  /** Rounded to four decimals: `-1.2345`. */
  readonly amount: string;
}

const PLACES = 4;

/**
 * Rate × notional of the positions in this market, in whatever margin modes; undefined if one of them is unknown, or if one may
 * no longer exist.
 */
export function selectCarry(options: {
  readonly positions: readonly OpenRecord[];
  readonly inQuestion: ReadonlySet<OpenRecord>;
  readonly market: Market;
  /** Fraction of 1 for one interval. */
  readonly rate: Decimal;
  /** Mark price in quote currency; if unknown, the position's own is used. */
  readonly mark: Decimal | undefined;
  readonly scale: Scale | undefined;
  readonly aliases: Aliases;
}): Carry | undefined {
  const { positions, inQuestion, market, rate, aliases } = options;
  const held = positions.filter((row) => isOfMarket(row, market, aliases));
  if (held.some((row) => inQuestion.has(row))) return undefined;
  const sides = new Set<"long" | "short">();
  let sum: Decimal = { mantissa: 0n, places: 0 };
  for (const position of held) {
    const size = positionSize(position, aliases, options.scale?.lotSize);
    const mark = options.mark ?? readNumber(aliases.value(position, "markPrice"));
    const side = positionDirection(position, aliases);
    if (size === undefined || mark === undefined || side === undefined) return undefined;
    sides.add(side);
    const notional = multiplyDecimal(absoluteDecimal(size), mark);
    sum = side === "long" ? addDecimal(sum, notional) : subtractDecimal(sum, notional);
  }
  const [side] = sides;
  if (side === undefined) return undefined;
  const { mantissa, places } = multiplyDecimal(sum, rate);
  // Longs pay a positive rate.
  const amount = divideInteger(-mantissa, 10n ** BigInt(places), PLACES);
  return (
    amount && { side: sides.size > 1 ? "long and short" : side, amount: formatDecimal(amount) }
  );
}

// The order book as a ladder: levels grouped by price, with cumulative sizes and bars.

import type { OrderbookState } from "../state/orderbook.ts";
import { divideInteger, formatDecimal, multiplyDecimal, parseDecimal } from "../units/decimal.ts";
import { formatUnits, type Scale, unitsOf } from "../units/scale.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";

/** One step of the ladder. */
export interface LadderRow {
  readonly priceTicks: bigint;
  readonly price: string;
  readonly size: string;
  readonly sizeLots: bigint;
  /** Size of this step and of all better ones. */
  readonly cumulativeSize: string;
  /** Length of the bar, 0 to 1: the cumulative size as a part of the largest shown. */
  readonly depthShare: number;
}

/** Both sides of the book, in steps. */
export interface Ladder {
  /** Best first, at most as many as asked for. */
  readonly bids: readonly LadderRow[];
  readonly asks: readonly LadderRow[];
}

/** Levels of each side, best first. */
interface LadderLevels {
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

/** How a ladder is made from levels. */
export interface LadderOptions {
  /** Width of a step in ticks, 1 or more: bids are rounded down to it, asks up. */
  readonly grouping: bigint;
  /** Steps of each side. */
  readonly rows: number;
  readonly scale: Scale | undefined;
}

/** Steps of the grouping, as `[` and `]` walk through them: 1, 2, 5, 10 … */
export const GROUPINGS: readonly bigint[] = Array.from(
  { length: 24 },
  (_, i) => ([1n, 2n, 5n][i % 3] ?? 1n) * 10n ** BigInt(Math.floor(i / 3)),
);

/** Levels of each side that a ladder of these rows can need. */
export function levelsNeeded({ grouping, rows }: LadderOptions): number {
  return rows * Number(grouping);
}

/** @param book levels of each side, best first. */
export function selectLadder(book: LadderLevels, options: LadderOptions): Ladder {
  const bids = group(book.bids, options, (price, step) => price - (price % step));
  const asks = group(book.asks, options, (price, step) => price + ((step - (price % step)) % step));
  const deepest = maxOf([bids.at(-1), asks.at(-1)].map((step) => step?.cumulative ?? 0n));
  const toRow = (step: Step): LadderRow => ({
    priceTicks: step.priceTicks,
    price: formatUnits(step.priceTicks.toString(), options.scale?.tickSize),
    size: formatUnits(step.size.toString(), options.scale?.lotSize),
    sizeLots: step.size,
    cumulativeSize: formatUnits(step.cumulative.toString(), options.scale?.lotSize),
    depthShare: share(step.cumulative, deepest),
  });
  return { bids: bids.map(toRow), asks: asks.map(toRow) };
}

/** Share of the bids in the size of these rows, in whole percent, half up; undefined when they hold no size. */
export function selectBidPercent({ bids, asks }: Ladder): number | undefined {
  const bid = sumOf(bids);
  const total = bid + sumOf(asks);
  return total === 0n ? undefined : Number((bid * 200n + total) / (total * 2n));
}

function sumOf(rows: readonly LadderRow[]): bigint {
  return rows.reduce((sum, { sizeLots }) => sum + sizeLots, 0n);
}

interface Step {
  readonly priceTicks: bigint;
  size: bigint;
  cumulative: bigint;
}

function group(
  levels: readonly PriceLevel[],
  { grouping, rows }: LadderOptions,
  round: (price: bigint, step: bigint) => bigint,
): Step[] {
  const steps: Step[] = [];
  let cumulative = 0n;
  for (const level of levels) {
    const price = BigInt(level.price_ticks);
    const priceTicks = grouping === 1n ? price : round(price, grouping);
    const size = BigInt(level.size_base_lots);
    const last = steps.at(-1);
    const isSame = last?.priceTicks === priceTicks;
    if (!isSame && steps.length === rows) break;
    cumulative += size;
    if (isSame && last !== undefined) {
      last.size += size;
      last.cumulative = cumulative;
    } else steps.push({ priceTicks, size, cumulative });
  }
  return steps;
}

function maxOf(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}

/** A part of a whole for drawing: to a thousandth, so that it may be a Number. */
function share(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole) / 1000;
}

/** How much is to be taken from the book. */
export interface BookAmount {
  readonly kind: "base" | "quote";
  /** Lots, above zero; or, for quote, ticks times lots, rounded down: nothing where it is less than one of these. */
  readonly units: bigint;
}

/** An amount, or why the words are none. */
export type ParsedAmount = { readonly amount: BookAmount } | { readonly fault: string };

/** Longer text is no amount that any book could have. */
const FORM = /^\s*(\d{1,30}(?:\.\d{1,30})?)\s*(b|base|q|quote)?\s*$/i;

/** Reads an amount. @param scale of the market; without it, amounts are lots. */
export function parseAmount(text: string, scale: Scale | undefined): ParsedAmount {
  const [, digits = "", unit = "base"] = FORM.exec(text) ?? [];
  const number = parseDecimal(digits);
  if (number === undefined) return { fault: "not an amount: 2.5, or 10000 quote" };
  if (number.mantissa === 0n) return { fault: "nothing is no amount" };
  if (/^q/i.test(unit)) {
    if (scale === undefined) return { fault: "worth of a tick not known: give lots" };
    const worth = scale.tickSize.mantissa * scale.lotSize.mantissa;
    const places = scale.tickSize.places + scale.lotSize.places;
    const units =
      (number.mantissa * 10n ** BigInt(places)) / (worth * 10n ** BigInt(number.places));
    return { amount: { kind: "quote", units } };
  }
  const lots = unitsOf(number, scale?.lotSize ?? { mantissa: 1n, places: 0 });
  if (lots === undefined) return { fault: "not a whole number of lots" };
  return { amount: { kind: "base", units: lots } };
}

/** One side of the book, and the worst price that is taken. */
export interface BookDepth {
  /** Best first. */
  readonly levels: readonly PriceLevel[];
  readonly side: "bid" | "ask";
  readonly worstTicks: bigint;
}

/** What is taken of one side, and what it costs: decimal text, in currency, or in ticks and lots without a scale. */
export interface BookCost {
  readonly size: string;
  /** Average price, rounded half away from zero, with two digits more than prices have. */
  readonly average: string;
  /** How far the average is from the best price, in basis points with four digits. */
  readonly slippage: string;
  /** Levels that are taken, the last one perhaps in part. */
  readonly levels: number;
  /** What is paid or got for it, exactly. */
  readonly value: string;
}

/** What an amount costs on one side. */
export interface AmountCost {
  /** Undefined when the side has nothing, or the amount is too small for one lot. */
  readonly cost: BookCost | undefined;
  /** False when the whole side is taken and the amount is not reached. */
  readonly isEnough: boolean;
}

/** What is taken of a level. */
interface Taken {
  readonly ticks: bigint;
  readonly lots: bigint;
}

const AVERAGE_PLACES = 2;
const SLIPPAGE_PLACES = 4;
const ONE = { mantissa: 1n, places: 0 };

/** @returns undefined when no level is that good. */
export function selectBookCost(
  { levels, side, worstTicks }: BookDepth,
  scale: Scale | undefined,
): BookCost | undefined {
  const isTaken = ({ ticks }: Taken) =>
    side === "bid" ? ticks >= worstTicks : ticks <= worstTicks;
  return costOf(levels.map(allOf).filter(isTaken), scale);
}

/**
 * What it costs to take an amount of one side: as many whole lots as there are in it, or as it pays for.
 * @param levels best first.
 */
export function selectAmountCost(
  levels: readonly PriceLevel[],
  { kind, units }: BookAmount,
  scale: Scale | undefined,
): AmountCost {
  const taken: Taken[] = [];
  let rest = units;
  let isEnough = false;
  for (const level of levels) {
    const { ticks, lots } = allOf(level);
    const each = kind === "base" ? 1n : ticks;
    // A level for nothing would never use an amount of quote up.
    const most = each === 0n ? lots : rest / each;
    const part = most < lots ? most : lots;
    if (part > 0n) taken.push({ ticks, lots: part });
    rest -= part * each;
    isEnough = part < lots || rest === 0n;
    if (isEnough) break;
  }
  return { cost: costOf(taken, scale), isEnough };
}

function allOf({ price_ticks, size_base_lots }: PriceLevel): Taken {
  return { ticks: BigInt(price_ticks), lots: BigInt(size_base_lots) };
}

function costOf(taken: readonly Taken[], scale: Scale | undefined): BookCost | undefined {
  const lots = taken.reduce((sum, level) => sum + level.lots, 0n);
  const value = taken.reduce((sum, level) => sum + level.ticks * level.lots, 0n);
  const best = taken[0]?.ticks ?? 0n;
  const average = divideInteger(value, lots, AVERAGE_PLACES);
  const apart = value - best * lots;
  const slippage = divideInteger(
    (apart < 0n ? -apart : apart) * 10_000n,
    best * lots,
    SLIPPAGE_PLACES,
  );
  if (average === undefined || slippage === undefined) return undefined;
  const { tickSize = ONE, lotSize = ONE } = scale ?? {};
  const worth = multiplyDecimal({ mantissa: value, places: 0 }, tickSize);
  return {
    size: formatUnits(`${lots}`, scale?.lotSize),
    average: formatDecimal(multiplyDecimal(average, tickSize)),
    slippage: formatDecimal(slippage),
    levels: taken.length,
    value: formatDecimal(multiplyDecimal(worth, lotSize)),
  };
}

/** How order book frames are read, and what is known of that: `changes, inferred 12`. */
export function formatBookInterpretation(data: OrderbookState): string {
  const { interpretation, isDecided, judged } = data;
  return `${BOOK_INTERPRETATIONS[interpretation]}, ${isDecided ? `inferred ${judged}` : "assumed"}`;
}

const BOOK_INTERPRETATIONS = {
  whole: "whole books",
  changes: "changes",
} as const;

// What it costs to take levels of the book, up to a price or up to an amount: exact sums, one rounding at the end.

import { divideInteger, formatDecimal, multiplyDecimal } from "../units/decimal.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { BookAmount } from "./book-amount.ts";

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

/** @returns undefined when no level is that good. Never throws. */
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
 * @param levels best first. Never throws.
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

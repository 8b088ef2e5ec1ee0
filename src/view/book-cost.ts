// What it costs to fill an order against the book, up to a price: exact sums, one rounding at the end.
import type { PriceLevel } from "../protocol/channels/price-level.ts";
import { divideInteger, formatDecimal, multiplyDecimal } from "../units/decimal.ts";
import { formatUnits, type Scale } from "../units/scale.ts";

/** One side of the book, and the worst price that is taken. */
export interface BookDepth {
  /** Best first. */
  readonly levels: readonly PriceLevel[];
  readonly side: "bid" | "ask";
  readonly worstTicks: bigint;
}

export interface BookCost {
  readonly size: string;
  /** Average price, rounded half away from zero, with two digits more than prices have. */
  readonly average: string;
  /** How far the average is from the best price, in basis points with four digits. */
  readonly slippage: string;
  readonly levels: number;
}

const AVERAGE_PLACES = 2;
const SLIPPAGE_PLACES = 4;

/** @returns undefined when no level is that good. Never throws. */
export function selectBookCost(
  { levels, side, worstTicks }: BookDepth,
  scale: Scale | undefined,
): BookCost | undefined {
  const taken = levels.filter(({ price_ticks }) =>
    side === "bid" ? BigInt(price_ticks) >= worstTicks : BigInt(price_ticks) <= worstTicks,
  );
  const lots = taken.reduce((sum, { size_base_lots }) => sum + BigInt(size_base_lots), 0n);
  const value = taken.reduce(
    (sum, { price_ticks, size_base_lots }) => sum + BigInt(price_ticks) * BigInt(size_base_lots),
    0n,
  );
  const best = BigInt(taken[0]?.price_ticks ?? "0");
  const average = divideInteger(value, lots, AVERAGE_PLACES);
  const apart = value - best * lots;
  const slippage = divideInteger(
    (apart < 0n ? -apart : apart) * 10_000n,
    best * lots,
    SLIPPAGE_PLACES,
  );
  if (average === undefined || slippage === undefined) return undefined;
  const tick = scale?.tickSize ?? { mantissa: 1n, places: 0 };
  return {
    size: formatUnits(`${lots}`, scale?.lotSize),
    average: formatDecimal(multiplyDecimal(average, tick)),
    slippage: formatDecimal(slippage),
    levels: taken.length,
  };
}

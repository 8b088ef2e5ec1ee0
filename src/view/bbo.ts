// The spread of a market and its place between the two best prices. Always of the ungrouped book.
import type { Bbo } from "../protocol/channels/bbo.ts";
import { type Decimal, divideInteger, formatDecimal } from "../units/decimal.ts";

export interface Spread {
  readonly ticks: bigint;
  /** Of the middle price, in basis points, rounded half away from zero to at least two digits that count. */
  readonly basisPoints: string;
}

/** Digits after the point at the least and at the most. */
const MIN_PLACES = 2;
const MAX_PLACES = 8;

/** @returns undefined when a side is missing, or when both prices are 0. Never throws. */
export function selectSpread({ bid, ask }: Bbo): Spread | undefined {
  if (bid === null || ask === null) return undefined;
  const bidTicks = BigInt(bid.price_ticks);
  const askTicks = BigInt(ask.price_ticks);
  const ticks = askTicks - bidTicks;
  const basisPoints = significant(ticks * 20_000n, askTicks + bidTicks);
  if (basisPoints === undefined) return undefined;
  return { ticks, basisPoints: formatDecimal(basisPoints) };
}

/** A quotient that is not shown as 0.00 when it is only small. */
function significant(numerator: bigint, denominator: bigint): Decimal | undefined {
  for (let places = MIN_PLACES; places < MAX_PLACES; places++) {
    const value = divideInteger(numerator, denominator, places);
    if (value === undefined || numerator === 0n) return value;
    if (value.mantissa >= 10n || value.mantissa <= -10n) return value;
  }
  return divideInteger(numerator, denominator, MAX_PLACES);
}

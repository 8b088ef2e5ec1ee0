// From ticks and lots to prices and sizes. The service names no scale, so it may be unknown: then the
// integers are shown as they came.
import { type Decimal, formatDecimal } from "./decimal.ts";
import { stripZeros } from "./uint.ts";

/** Where a scale was taken from; "none" means that ticks and lots are shown. */
export type ScaleSource = "config" | "market" | "measured" | "none";

/** What one tick and one lot of a market are worth, in quote and base currency. */
export interface Scale {
  readonly tickSize: Decimal;
  readonly lotSize: Decimal;
}

/**
 * Exact decimal text of `count` units (ticks or lots, digit text, maybe negative) of the given size.
 * A power of ten only moves the point; anything else is one BigInt product.
 * @throws {SyntaxError} when `count` is not an integer in text and the size is not a power of ten.
 */
export function formatUnits(count: string, size: Decimal | undefined): string {
  if (size === undefined) return count;
  if (size.mantissa !== 1n) {
    return formatDecimal({ mantissa: BigInt(count) * size.mantissa, places: size.places });
  }
  return size.places === 0 ? count : insertPoint(count, size.places);
}

function insertPoint(count: string, places: number): string {
  const isNegative = count.charCodeAt(0) === 45;
  const digits = stripZeros(isNegative ? count.slice(1) : count);
  const padded = digits.length > places ? digits : digits.padStart(places + 1, "0");
  const point = padded.length - places;
  return `${isNegative ? "-" : ""}${padded.slice(0, point)}.${padded.slice(point)}`;
}

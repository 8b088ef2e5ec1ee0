// Converts ticks and lots to prices and sizes. Without a scale the integers are shown as received.
import {
  type Decimal,
  divideHalfEven,
  formatDecimal,
  multiplyDecimal,
  widenDecimal,
} from "./decimal.ts";
import { stripZeros } from "./uint.ts";

/** Source of a scale; "none" means that ticks and lots are shown. */
export type ScaleSource = "config" | "market" | "measured" | "none";

/** The value of one tick and one lot of a market, in quote and base currency. */
export interface Scale {
  readonly tickSize: Decimal;
  readonly lotSize: Decimal;
}

/** A size with more decimals is none. */
const MAX_PLACES = 40;

/**
 * The value of one unit if `count` of them are worth `value`, without trailing zeros.
 * @returns undefined if it is zero, negative, or not a terminating decimal
 */
export function unitSize(value: Decimal, count: bigint): Decimal | undefined {
  if (value.mantissa <= 0n || count <= 0n) return undefined;
  const whole = count * 10n ** BigInt(value.places);
  for (let places = 0, mantissa = value.mantissa; places <= MAX_PLACES; places++, mantissa *= 10n)
    if (mantissa % whole === 0n) return { mantissa: mantissa / whole, places };
  return undefined;
}

/** Rounded to a whole number of units, half to even; unchanged if that would be 0. */
export function roundToUnit(value: Decimal, size: Decimal): Decimal {
  if (size.mantissa <= 0n) return value;
  const places = Math.max(value.places, size.places);
  const [all, one] = [widenDecimal(value, places).mantissa, widenDecimal(size, places).mantissa];
  const { mantissa } = divideHalfEven(all, one, 0);
  return mantissa === 0n ? value : multiplyDecimal({ mantissa, places: 0 }, size);
}

/** A value as a number of units of this size; undefined if it is not a whole number of them. */
export function toUnits(value: Decimal, size: Decimal): bigint | undefined {
  const units = value.mantissa * 10n ** BigInt(size.places);
  const unit = size.mantissa * 10n ** BigInt(value.places);
  return unit === 0n || units % unit !== 0n ? undefined : units / unit;
}

/**
 * Exact decimal text of `count` units (ticks or lots, digit text, maybe negative) of the given size.
 * @throws {SyntaxError} when `count` is not an integer; not checked if the size is a power of ten up to 1
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

// Converts ticks and lots to prices and sizes. Without a scale the integers are shown as received.
import {
  type Decimal,
  divideHalfEven,
  formatDecimal,
  multiplyDecimal,
  trimDecimal,
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

/**
 * The value of one unit if `count` of them are worth `value`, without trailing zeros.
 * @returns undefined if it is zero, negative, or not a terminating decimal
 */
export function unitSize(value: Decimal, count: bigint): Decimal | undefined {
  if (value.mantissa <= 0n || count <= 0n) return undefined;
  const whole = count * 10n ** BigInt(value.places);
  const common = greatestDivisor(value.mantissa, whole);
  const places = decimalPlaces(whole / common);
  if (places === undefined) return undefined;
  const mantissa = (value.mantissa * 10n ** BigInt(places)) / whole;
  return trimDecimal({ mantissa, places });
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

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Decimal places of 1 / denominator; undefined if it does not terminate. */
function decimalPlaces(denominator: bigint): number | undefined {
  const [twos, odd] = divideOut(denominator, 2n);
  const [fives, rest] = divideOut(odd, 5n);
  return rest === 1n ? Math.max(twos, fives) : undefined;
}

function divideOut(value: bigint, factor: bigint): readonly [times: number, rest: bigint] {
  let times = 0;
  let rest = value;
  while (rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return [times, rest];
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

// From ticks and lots to prices and sizes. Without a scale the integers are shown as received.
import {
  type Decimal,
  divideHalfEven,
  formatDecimal,
  multiplyDecimal,
  trimDecimal,
  widenDecimal,
} from "./decimal.ts";
import { stripZeros } from "./uint.ts";

/** Where a scale was taken from; "none" means that ticks and lots are shown. */
export type ScaleSource = "config" | "market" | "measured" | "none";

/** What one tick and one lot of a market are worth, in quote and base currency. */
export interface Scale {
  readonly tickSize: Decimal;
  readonly lotSize: Decimal;
}

/**
 * What one unit is worth when `count` of them are worth `value`, without zeros at the end of its fraction.
 * @returns undefined when that is nothing, negative, or no decimal that ends
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

/** The nearest whole number of units, half to even; the value itself where that is none. */
export function roundToUnit(value: Decimal, size: Decimal): Decimal {
  if (size.mantissa <= 0n) return value;
  const places = Math.max(value.places, size.places);
  const [all, one] = [widenDecimal(value, places).mantissa, widenDecimal(size, places).mantissa];
  const { mantissa } = divideHalfEven(all, one, 0);
  return mantissa === 0n ? value : multiplyDecimal({ mantissa, places: 0 }, size);
}

/** How many units of this size a value is; undefined when it is no whole number of them. */
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

/** Digits after the point of 1 / denominator; undefined when they do not end. */
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
 * @throws {SyntaxError} when `count` is not an integer in text and the size is no 1 with zeros before it
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

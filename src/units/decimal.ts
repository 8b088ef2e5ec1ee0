// Decimal numbers as an integer and a number of decimal places. Exact: no binary floats.

/** value = mantissa / 10^places. `places` is never negative. */
export interface Decimal {
  readonly mantissa: bigint;
  readonly places: number;
}

const grammar = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/** Parses optional minus, digits, optional fraction; undefined for other text. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = grammar.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  return { mantissa: BigInt(`${sign}${whole}${fraction}`), places: fraction.length };
}

/** Decimal text with exactly `places` digits after the point; no exponent, no grouping. */
export function formatDecimal({ mantissa, places }: Decimal): string {
  if (places === 0) return mantissa.toString();
  const sign = mantissa < 0n ? "-" : "";
  const digits = (mantissa < 0n ? -mantissa : mantissa).toString().padStart(places + 1, "0");
  const point = digits.length - places;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** For places on the screen and for comparing at a glance; not exact. */
export function approximate({ mantissa, places }: Decimal): number {
  return Number(mantissa) / 10 ** places;
}

/** The same value with at least `places` digits after the point. */
export function widenDecimal(value: Decimal, places: number): Decimal {
  if (value.places >= places) return value;
  return { mantissa: value.mantissa * 10n ** BigInt(places - value.places), places };
}

/** The same value without trailing zeros in its fraction. */
export function trimDecimal({ mantissa, places }: Decimal): Decimal {
  let trimmed = mantissa;
  let left = places;
  while (left > 0 && trimmed % 10n === 0n) {
    trimmed /= 10n;
    left--;
  }
  return { mantissa: trimmed, places: left };
}

export function compareDecimal(a: Decimal, b: Decimal): number {
  const { mantissa } = subtractDecimal(a, b);
  return mantissa < 0n ? -1 : mantissa > 0n ? 1 : 0;
}

export function addDecimal(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  return { mantissa: widenDecimal(a, places).mantissa + widenDecimal(b, places).mantissa, places };
}

export function subtractDecimal(a: Decimal, b: Decimal): Decimal {
  return addDecimal(a, { mantissa: -b.mantissa, places: b.places });
}

export function negateDecimal({ mantissa, places }: Decimal): Decimal {
  return { mantissa: -mantissa, places };
}

export function absoluteDecimal({ mantissa, places }: Decimal): Decimal {
  return { mantissa: mantissa < 0n ? -mantissa : mantissa, places };
}

export function multiplyDecimal(a: Decimal, b: Decimal): Decimal {
  return { mantissa: a.mantissa * b.mantissa, places: a.places + b.places };
}

/** To at most so many decimals, half to even. */
export function roundDecimal({ mantissa, places }: Decimal, most: number): Decimal {
  if (places <= most) return { mantissa, places };
  return { ...divideHalfEven(mantissa, 10n ** BigInt(places - most), 0), places: most };
}

/** Quotient with `places` decimal places, halves rounded to even. @param denominator positive */
export function divideHalfEven(numerator: bigint, denominator: bigint, places: number): Decimal {
  const isNegative = numerator < 0n;
  const whole = (isNegative ? -numerator : numerator) * 10n ** BigInt(places);
  const [quotient, rest] = [whole / denominator, whole % denominator];
  const twice = rest * 2n;
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  const rounded = isUp ? quotient + 1n : quotient;
  return { mantissa: isNegative ? -rounded : rounded, places };
}

const EXPONENT = /^(-?[0-9]+(?:\.[0-9]+)?)[eE]([+-]?[0-9]{1,2})$/;

/** Decimal text, or that of a JSON number with an exponent. */
export function parseNumber(text: string): Decimal | undefined {
  const plain = parseDecimal(text);
  if (plain !== undefined) return plain;
  const [, digits = "", exponent = ""] = EXPONENT.exec(text) ?? [];
  const value = parseDecimal(digits);
  if (value === undefined) return undefined;
  const places = value.places - Number(exponent);
  if (places >= 0) return { mantissa: value.mantissa, places };
  return { mantissa: value.mantissa * 10n ** BigInt(-places), places: 0 };
}

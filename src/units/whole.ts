// Integers of any size, as a Number whenever that is exact: sums are fast, and equal values are the same map key.

export type Whole = number | bigint;

/** Integers with this many digits are exact as a Number. */
const EXACT_DIGITS = 15;

/** @throws {SyntaxError} when a long text is not an integer */
export function parseWhole(digits: string): Whole {
  return digits.length <= EXACT_DIGITS ? Number(digits) : toWhole(BigInt(digits));
}

function toWhole(value: bigint): Whole {
  const isExact = value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  return isExact ? Number(value) : value;
}

export function addWhole(a: Whole, b: Whole): Whole {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (isSafe(sum)) return sum;
  }
  return toWhole(BigInt(a) + BigInt(b));
}

export function multiplyWhole(a: Whole, b: Whole): Whole {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (isSafe(product)) return product;
  }
  return toWhole(BigInt(a) * BigInt(b));
}

/** Rounds down to a multiple of `step`. @param value 0 or more @param step positive */
export function roundDownWhole(value: Whole, step: Whole): Whole {
  if (typeof value === "number" && typeof step === "number") return value - (value % step);
  const exact = BigInt(value);
  return toWhole(exact - (exact % BigInt(step)));
}

function isSafe(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
}

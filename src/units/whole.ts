// Whole numbers of any size, as a Number while that is exact: sums of ticks and lots at the cost of a Number.

export type Whole = number | bigint;

/** Any number of so many digits is exact as a Number. */
const EXACT_DIGITS = 15;

/** @throws {SyntaxError} when the text is no integer and long */
export function parseWhole(digits: string): Whole {
  return digits.length <= EXACT_DIGITS ? Number(digits) : BigInt(digits);
}

export function addWhole(a: Whole, b: Whole): Whole {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) return sum;
  }
  return BigInt(a) + BigInt(b);
}

export function multiplyWhole(a: Whole, b: Whole): Whole {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (product <= Number.MAX_SAFE_INTEGER && product >= Number.MIN_SAFE_INTEGER) return product;
  }
  return BigInt(a) * BigInt(b);
}

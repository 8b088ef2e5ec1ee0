// Integers of any size, as a Number wherever that is exact: fast sums, and equal values are the same key of a map.

export type Whole = number | bigint;

/** Any number of so many digits is exact as a Number. */
const EXACT_DIGITS = 15;

/** @throws {SyntaxError} when the text is no integer and long */
export function parseWhole(digits: string): Whole {
  return digits.length <= EXACT_DIGITS ? Number(digits) : toWhole(BigInt(digits));
}

export function toWhole(value: bigint): Whole {
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

/** Down to a multiple. @param value 0 or more @param step positive */
export function roundDownWhole(value: Whole, step: Whole): Whole {
  if (typeof value === "number" && typeof step === "number") return value - (value % step);
  const exact = BigInt(value);
  return toWhole(exact - (exact % BigInt(step)));
}

/** Adds up many: what is beyond a Number is carried only once in a while. */
export class WholeSum {
  #exact = 0n;
  #quick = 0;

  get total(): bigint {
    return this.#exact + BigInt(this.#quick);
  }

  add(value: Whole): void {
    if (typeof value === "bigint") {
      this.#exact += value;
      return;
    }
    const sum = this.#quick + value;
    if (isSafe(sum)) this.#quick = sum;
    else {
      this.#exact += BigInt(this.#quick);
      this.#quick = value;
    }
  }
}

function isSafe(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
}

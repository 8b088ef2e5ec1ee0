import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compareDecimal,
  divideHalfEven,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  trimDecimal,
  widenDecimal,
} from "../../src/units/decimal.ts";

const digits = fc.stringMatching(/^[0-9]{1,39}$/);
const fraction = fc.stringMatching(/^[0-9]{1,18}$/);
const decimalText = fc
  .tuple(fc.constantFrom("", "-"), digits, fc.option(fraction, { nil: undefined }))
  .map(([sign, whole, part]) => `${sign}${whole}${part === undefined ? "" : `.${part}`}`);

function read(text: string) {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`not read: ${text}`);
  return value;
}

/** value × 10^57 as an integer: a reference that shares nothing with the code under test. */
function reference(text: string): bigint {
  const [whole = "", part = ""] = text.replace("-", "").split(".");
  const scaled = BigInt(whole) * 10n ** 57n + BigInt(part.padEnd(57, "0"));
  return text.startsWith("-") ? -scaled : scaled;
}

describe("decimal", () => {
  test("keeps every digit from text to value and back", () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        const plain = text.replace(/^(-?)0+(?=[0-9])/, "$1");
        const isNegativeZero = /^-0(\.0+)?$/.test(plain);
        expect(formatDecimal(read(text))).toBe(isNegativeZero ? plain.slice(1) : plain);
      }),
    );
  });

  test("refuses what is not plain decimal text", () => {
    const others = ["", "-", "+1", "1.", ".5", "1e5", "NaN", "Infinity", " 1", "1 ", "٣", "0x1"];
    for (const text of others) {
      expect(parseDecimal(text), text).toBeUndefined();
    }
  });

  test("compares and subtracts exactly", () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        const expected = reference(a) - reference(b);
        expect(Math.sign(compareDecimal(read(a), read(b)))).toBe(
          expected > 0n ? 1 : expected < 0n ? -1 : 0,
        );
        expect(reference(formatDecimal(subtractDecimal(read(a), read(b))))).toBe(expected);
      }),
    );
  });

  test("multiplies exactly and widens and trims without changing the value", () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        const product = multiplyDecimal(read(a), read(b));
        expect(product.mantissa * 10n ** BigInt(57 - product.places + 57)).toBe(
          reference(a) * reference(b),
        );
        expect(compareDecimal(widenDecimal(read(a), 30), read(a))).toBe(0);
        expect(compareDecimal(trimDecimal(read(a)), read(a))).toBe(0);
      }),
    );
  });

  test("rounds a quotient half to even", () => {
    const quotient = (n: bigint, d: bigint, places: number) =>
      formatDecimal(divideHalfEven(n, d, places));
    expect(quotient(1n, 8n, 2)).toBe("0.12");
    expect(quotient(-3n, 8n, 2)).toBe("-0.38");
    expect(quotient(-1n, 3n, 4)).toBe("-0.3333");
    expect(quotient(2n, 3n, 0)).toBe("1");
  });
});

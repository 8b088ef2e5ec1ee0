import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatUnits } from "../../src/units/scale.ts";
import { formatAge, formatIsoMs, msOfNs, parseDuration } from "../../src/units/time.ts";
import { compareUint, isZero, stripZeros } from "../../src/units/uint.ts";

const digits = fc.stringMatching(/^[0-9]{1,39}$/);

describe("unsigned integers in text", () => {
  test("order as BigInt orders them, whatever their size", () => {
    fc.assert(
      fc.property(digits, digits, (a, b) => {
        const order = Math.sign(compareUint(stripZeros(a), stripZeros(b)));
        expect(order).toBe(BigInt(a) > BigInt(b) ? 1 : BigInt(a) < BigInt(b) ? -1 : 0);
      }),
    );
  });

  test("lose only the zeros before them", () => {
    fc.assert(
      fc.property(digits, (text) => {
        expect(stripZeros(text)).toBe(BigInt(text).toString());
        expect(isZero(text)).toBe(BigInt(text) === 0n);
      }),
    );
  });
});

describe("scale", () => {
  test("turns ticks into the exact decimal text of ticks × tick size", () => {
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom("", "-"),
        fc.constantFrom(1n, 5n, 25n, 125n),
        fc.integer({ min: 0, max: 18 }),
        (count, sign, mantissa, places) => {
          const text = formatUnits(`${sign}${count}`, { mantissa, places });
          const [whole = "", part = ""] = text.split(".");
          expect(part.length).toBe(places);
          expect(BigInt(`${whole}${part}`)).toBe(BigInt(`${sign}${count}`) * mantissa);
        },
      ),
    );
  });

  test("puts a zero before the point of a price below one", () => {
    const tick = { mantissa: 1n, places: 2 };
    const prices = ["7", "-7", "42", "0", "142"].map((count) => formatUnits(count, tick));
    expect(prices).toEqual(["0.07", "-0.07", "0.42", "0.00", "1.42"]);
  });

  test("leaves ticks as they came when no scale is known", () => {
    expect(formatUnits("18446744073709551615", undefined)).toBe("18446744073709551615");
  });
});

describe("time", () => {
  test("cuts nanoseconds to milliseconds", () => {
    expect(msOfNs("1763700000123456789")).toBe(1763700000123);
    expect(msOfNs("999999")).toBe(0);
    fc.assert(
      fc.property(digits, (text) => {
        expect(msOfNs(text)).toBe(Number(BigInt(text) / 1_000_000n));
      }),
    );
    expect(formatIsoMs(1763700000123)).toBe("2025-11-21T04:40:00.123Z");
  });

  test("shows the bare number of a time that no calendar holds", () => {
    const ms = msOfNs("9".repeat(39));
    expect(formatIsoMs(ms)).toBe(String(ms));
  });

  test("words ages for people and keeps the sign of a negative one", () => {
    expect(
      [0, 450, 9_990, 12_000, 185_000, 7_620_000, 363_600_000].map((ms) => formatAge(ms)),
    ).toEqual(["0.0s", "0.4s", "9.9s", "12s", "3m05s", "2h07m", "4d05h"]);
    expect(formatAge(-1500)).toBe("-1.5s");
  });

  test("reads durations in ms, s, m and h and nothing else", () => {
    expect(["500ms", "5s", "1.5s", "2m", "1h"].map(parseDuration)).toEqual([
      500, 5000, 1500, 120_000, 3_600_000,
    ]);
    for (const text of ["", "5", "s", "-5s", "5 s", "5d", "1e3s", "99999999999s"]) {
      expect(parseDuration(text), text).toBeUndefined();
    }
  });
});

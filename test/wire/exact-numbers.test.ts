import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ExactNumber,
  exactInteger,
  exactText,
  parseExact,
  stringifyExact,
} from "../../src/wire/exact-numbers.ts";

/** Any JSON number, as text. */
const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?$/);

describe("exact numbers", () => {
  test("keep every number of a message letter by letter, there and back", () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 8 }), fc.string(), (numbers, text) => {
        const message = `{"text":${JSON.stringify(text)},"list":[${numbers.join(",")}]}`;
        const value = parseExact(message) ?? JSON.parse(message);
        expect(value.list.map(exactText)).toEqual(
          numbers.map((each) => (String(Number(each)) === each ? String(Number(each)) : each)),
        );
        expect(value.text).toBe(text);
        expect(stringifyExact(value)).toBe(message);
      }),
    );
  });

  test("leave text alone that looks like a number or like a mark of theirs", () => {
    const message = '{"a":"1.50","b":"exact number 1","c":1.50,"d":"\\"1.50"}';
    const value = parseExact(message) as Record<string, unknown>;
    expect(value.a).toBe("1.50");
    expect(value.b).toBe("exact number 1");
    expect(value.c).toBeInstanceOf(ExactNumber);
    expect(stringifyExact(value)).toBe(message);
  });

  test("are not made where a float holds the number as it is written", () => {
    expect(parseExact('{"a":1.5,"b":-7,"c":1e+21}')).toBeUndefined();
  });

  test("are made of ids of any length, as JSON numbers without zeros before them", () => {
    const digits = fc.stringMatching(/^[0-9]{1,39}$/);
    fc.assert(
      fc.property(digits, (id) => {
        expect(stringifyExact({ id: exactInteger(id) })).toBe(`{"id":${BigInt(id)}}`);
      }),
    );
  });
});

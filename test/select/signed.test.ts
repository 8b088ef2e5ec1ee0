import { expect, test } from "vitest";
import { getSign, readSide, withSign } from "../../src/select/fields.ts";

test.each([
  ["0.00", "+0.00", "none"],
  ["-0.0", "-0.0", "none"],
  ["0.10%", "+0.10%", "positive"],
  ["-0.01", "-0.01", "negative"],
  ["", "+", "none"],
])("%o is told as %o, and points %s", (text, told, sign) => {
  expect([withSign(text), getSign(text)]).toEqual([told, sign]);
});

test("sides are known in the words of any service, and no other word is one", () => {
  for (const word of ["buy", "BID", "Long", "b", "true"]) expect(readSide(word)).toBe("buy");
  for (const word of ["sell", "Ask", "SHORT", "s", "a", "false"]) {
    expect(readSide(word)).toBe("sell");
  }
  for (const word of ["", "buyer", "none", "1"]) expect(readSide(word)).toBeUndefined();
});

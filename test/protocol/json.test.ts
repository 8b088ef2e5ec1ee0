import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/protocol/json.ts";

describe("JSON text", () => {
  test("gives the value that it holds", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
    );
    expect([parseJson("null"), parseJson(" -0\n"), parseJson("1e400")]).toEqual([
      null,
      -0,
      Infinity,
    ]);
  });

  test.each([
    "",
    " ",
    "undefined",
    "NaN",
    "'a'",
    "{a:1}",
    "[1,]",
    "01",
    "1.",
    "{}{}",
    "\ufeff{}",
    '"\n"',
  ])("that is none gives nothing: %j", (text) => {
    expect(parseJson(text)).toBeUndefined();
  });

  test("keeps the last of two equal keys, and __proto__ as an own key", () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(Object.keys(parseJson('{"__proto__":{"a":1}}') as object)).toEqual(["__proto__"]);
  });
});

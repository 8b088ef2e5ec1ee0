import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDeepText, isDeepValue, MAX_JSON_DEPTH, parseJson } from "../../src/wire/json.ts";
import { anyCharacter } from "../support/any-character.ts";

describe("JSON text", () => {
  test("gives the value that it holds", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
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

  test.each(["", " ", ..."undefined NaN 'a' {a:1} [1,] 01 1. {}{}".split(" "), "\ufeff{}", '"\n"'])(
    "that is none gives nothing: %j",
    (text) => expect(parseJson(text)).toBeUndefined(),
  );
});

describe("how deep JSON is nested", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  test("is at most 32", () => {
    expect(isDeepText(nested(MAX_JSON_DEPTH))).toBe(false);
    expect(isDeepText(nested(MAX_JSON_DEPTH + 1))).toBe(true);
    expect(isDeepValue(JSON.parse(nested(MAX_JSON_DEPTH)))).toBe(false);
    expect(isDeepValue(JSON.parse(nested(MAX_JSON_DEPTH + 1)))).toBe(true);
    expect(isDeepText("[".repeat(10_000_000))).toBe(true);
    expect(isDeepText(JSON.stringify(`"${"[".repeat(MAX_JSON_DEPTH + 1)}`))).toBe(false);
  });

  test("is the same of the text and of its value", () => {
    const deep = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "max", withCrossShrink: true },
        fc.constantFrom('[{"', "\\", '"', "}]", 1),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", '"[', "\\"), tie("value"), { maxKeys: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(deep, fc.nat({ max: 33 }), (value, depth) => {
        const text = `${"[".repeat(depth)}${JSON.stringify(value)}${"]".repeat(depth)}`;
        expect(isDeepText(text)).toBe(isDeepValue(JSON.parse(text)));
      }),
    );
  });
});

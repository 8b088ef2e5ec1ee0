import fc from "fast-check";
import { expect, test } from "vitest";
import { visible, visibleJson } from "../../src/terminal/visible.ts";
import { anyCharacter } from "../support/any-character.ts";
import { ATTACKS } from "../support/terminal/hostile-text.ts";

test("JSON made visible is the same JSON, and a terminal obeys nothing of it", () => {
  const value = fc.jsonValue({ stringUnit: anyCharacter });
  fc.assert(
    fc.property(value, fc.constantFrom(...ATTACKS), (inner, attack) => {
      const text = JSON.stringify({ [attack]: [inner, attack] });
      const shown = visibleJson(text);
      expect(JSON.parse(shown)).toEqual(JSON.parse(text));
      expect(visible(shown)).toBe(shown);
    }),
  );
});

test("blanks between values stay blanks, and lines stay lines", () => {
  expect(visibleJson('{\r\n\t"a":\u00851}\nb')).toBe('{ \n "a":\\u00851}\nb');
});

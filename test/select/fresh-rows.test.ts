// Which rows of a list may be new: none that is new is left out, and few others are looked at.
import fc from "fast-check";
import { expect, test } from "vitest";
import { freshRows } from "../../src/select/columns.ts";

const row = (name: string) => ({ name });

test("of a list that has grown at its beginning and lost its last rows are those at its beginning", () => {
  const before = Array.from({ length: 50 }, (_, i) => row(`${i}`));
  const [one, two] = [row("one"), row("two")];
  expect(freshRows(before, [one, two, ...before.slice(0, 48)])).toEqual([one, two]);
  expect(freshRows(before, [one, ...before])).toEqual([one]);
  expect(freshRows(before, before)).toEqual([]);
});

test("hold each row that was not there before, whatever has changed", () => {
  const pool = Array.from({ length: 12 }, (_, i) => row(`${i}`));
  const some = fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 12 });
  fc.assert(
    fc.property(some, some, (one, other) => {
      const [before, after] = [one, other].map((places) => places.map((i) => pool[i]));
      const fresh = freshRows(before ?? [], after ?? []);
      for (const each of after ?? []) {
        if (!before?.includes(each)) expect(fresh).toContain(each);
      }
    }),
  );
});

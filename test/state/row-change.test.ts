import { expect, test } from "vitest";
import {
  isPartOf,
  isSameValue,
  type Omissions,
  RowForms,
  recordText,
} from "../../src/state/row-change.ts";
import { ExactNumber } from "../../src/wire/exact-numbers.ts";

const LONG = "12345678901234567890";

test.each<[a: unknown, b: unknown, isSame: boolean]>([
  [7, 7, true],
  [7, "7", false],
  [new ExactNumber(LONG), new ExactNumber(LONG), true],
  [new ExactNumber(LONG), LONG, false],
  [new ExactNumber(LONG), { text: LONG }, false],
  [{ id: new ExactNumber(LONG) }, { id: LONG }, false],
  [{ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
])("%j and %j are one value of JSON: %s", (a, b, isSame) => {
  expect(isSameValue(a, b)).toBe(isSame);
  expect(isSameValue(b, a)).toBe(isSame);
  expect(recordText({ of: a }) === recordText({ of: b })).toBe(isSame);
  expect(isPartOf({ of: a }, { more: 1, of: b })).toBe(isSame);
});

test("a field that is left out for long is in question, however many forms of rows have done so", () => {
  const forms = new RowForms();
  const names = Array.from({ length: 12 }, (_, i) => `f${i}`);
  let row: Readonly<Record<string, unknown>> = Object.fromEntries(names.map((name) => [name, 0]));
  row = { status: "active", ...row };
  forms.noteWhole(row);
  let omitted: Omissions | undefined;
  for (let n = 1; n < 2 ** names.length; n++) {
    const changed = names.filter((_, i) => (n >> i) % 2 === 1).map((name) => [name, n] as const);
    ({ row, omitted } = forms.complete(Object.fromEntries(changed), row, omitted, false));
  }
  expect(row.status).toBe("active");
  expect(omitted?.get("status")?.length).toBeGreaterThan(1);
  expect(omitted?.get("status")?.length).toBeLessThanOrEqual(50);
});

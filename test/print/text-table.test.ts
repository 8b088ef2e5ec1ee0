// Rows of text as plain lines.
import { expect, test } from "vitest";
import { textTable } from "../../src/print/text-table.ts";

test("columns are as wide as their widest cell, of however many rows", () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => [i === 7 ? "wide" : "1", "end"]);
  const lines = textTable(rows, (column) => column === 0);
  expect(lines).toHaveLength(rows.length);
  expect([lines[7], lines.at(-1)]).toEqual(["wide  end", "   1  end"]);
});

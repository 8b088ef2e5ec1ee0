// Ticks and lots in tables of rows of several markets, of which only some have a known scale.

import { describe, expect, test } from "vitest";
import { EXACT } from "../../src/select/display.ts";
import { MASK } from "../../src/select/mask.ts";
import {
  copiedField,
  copiedTable,
  formatField,
  formatHeader,
  type RecordFormat,
} from "../../src/select/record-format.ts";
import { Aliases } from "../../src/state/aliases.ts";

const cent = { mantissa: 1n, places: 2 };
const format: RecordFormat = {
  aliases: new Aliases(),
  scaleOf: ({ market_id }) => (market_id === 1 ? { tickSize: cent, lotSize: cent } : undefined),
  isMasked: false,
  display: EXACT,
};
const known = { market_id: 1, price_ticks: "9700100", size_base_lots: "25" };
const unknown = {
  market_id: 2,
  price_ticks: "338500",
  size_base_lots: "7",
  remaining_base_lots: 0,
};

const shown = (record: typeof known, column: string, as = format) =>
  formatField(as, record, column).text;

describe("a table of rows of several markets", () => {
  test("shows prices and sizes where the scale is known, and labels every other number as ticks or lots", () => {
    expect(shown(known, "price_ticks")).toBe("97001.00");
    expect(shown(known, "size_base_lots")).toBe("0.25");
    expect(shown(unknown, "price_ticks")).toBe("338500 ticks");
    expect(shown(unknown, "size_base_lots")).toBe("7 lots");
    expect(shown(unknown, "remaining_base_lots")).toBe("0 lots");
    expect(shown(known, "remaining_base_lots")).toBe("–");
  });

  test("has headers without units, because each value says its own", () => {
    const headers = ["price_ticks", "size_base_lots", "remaining_base_lots", "base_lots", "price"];
    expect(headers.map((column) => formatHeader(format, [unknown, known], column))).toEqual([
      "Price",
      "Size",
      "Remaining",
      "Size",
      "Price",
    ]);
  });

  test("is copied in prices where all of a column is, else as it came, under the name that says so", () => {
    const columns = ["price_ticks", "size_base_lots"];
    expect(copiedTable(format, [known, known], columns)[0]).toEqual(["price", "size"]);
    expect(copiedTable(format, [known, unknown], columns)).toEqual([
      columns,
      ["9700100", "25"],
      ["338500", "7"],
    ]);
    expect(copiedField(format, unknown, "price_ticks")).toBe("338500");
    expect(copiedField(format, known, "price_ticks")).toBe("97001.00");
  });

  test("hides sizes under the mask, labelled or not", () => {
    const masked = { ...format, isMasked: true };
    for (const record of [known, unknown]) {
      expect(shown(record, "size_base_lots", masked)).toBe(MASK);
      expect(copiedTable(masked, [record], ["size_base_lots"])[1]).toEqual([MASK]);
    }
    expect(shown(unknown, "price_ticks", masked)).toBe("338500 ticks");
  });
});

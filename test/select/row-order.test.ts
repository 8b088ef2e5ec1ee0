import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RowOrder } from "../../src/screen/table/rows.ts";
import { ColumnSet } from "../../src/select/columns.ts";
import { humanised } from "../../src/select/record-format.ts";
import { ExactNumber } from "../../src/wire/exact-numbers.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

const columnsOf = (...rows: OpenRecord[]) => {
  const columns = new ColumnSet();
  columns.update(rows);
  return columns.columns;
};

describe("columns", () => {
  test("are found in the order first seen, nested objects flattened with dots", () => {
    expect(
      columnsOf({ oid: "1", px: { limit: "5", stop: null } }, { oid: "2", qty: "3", px: {} }),
    ).toEqual(["oid", "px.limit", "px.stop", "qty", "px"]);
  });

  test("stay when the rows that had them are gone", () => {
    const columns = new ColumnSet();
    columns.update([{ a: 1 }]);
    columns.update([{ b: 1 }]);
    expect(columns.columns).toEqual(["a", "b"]);
  });

  test("are named in words", () => {
    expect(
      ["market_id", "unrealizedPnl", "px.limit", "__", "order_id"].map((c) => humanised(c)),
    ).toEqual(["Market ID", "Unrealised PnL", "Px limit", "__", "Order ID"]);
    expect(humanised("created_at_ns", true)).toBe("Created at");
  });
});

const sorted = (rows: readonly OpenRecord[], isDescending = false) =>
  new RowOrder().select(rows, { column: "v", isDescending }, "").map(({ v }) => v);

describe("row order", () => {
  test("sorts numbers by value, before text, and rows without a value last in both directions", () => {
    const rows = [{ v: "b" }, {}, { v: "10" }, { v: 9 }, { v: "a" }, { v: null }, { v: "-3.5" }];
    expect(sorted(rows)).toEqual(["-3.5", 9, "10", "a", "b", undefined, null]);
    expect(sorted(rows, true)).toEqual(["10", 9, "-3.5", "b", "a", undefined, null]);
  });

  test("keeps numbers apart that a float cannot", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), { maxLength: 30 }),
        (values) => {
          const rows = values.map((value) => ({ v: value.toString() }));
          const truth = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
          expect(sorted(rows)).toEqual(truth.map(String));
        },
      ),
    );
    const close = ["9007199254740993.25", "9007199254740993", "9007199254740993.125"];
    expect(sorted(close.map((text) => ({ v: new ExactNumber(text) }))).map(String)).toHaveLength(3);
    expect(sorted(close.map((v) => ({ v })))).toEqual([
      "9007199254740993",
      "9007199254740993.125",
      "9007199254740993.25",
    ]);
  });

  test("keeps the service's order among equals, and without a sort", () => {
    const rows = [
      { v: 1, n: "a" },
      { v: 0, n: "b" },
      { v: 1, n: "c" },
    ];
    const order = new RowOrder();
    expect(order.select(rows, undefined, "")).toBe(rows);
    const names = order.select(rows, { column: "v", isDescending: true }, "").map(({ n }) => n);
    expect(names).toEqual(["a", "c", "b"]);
  });

  test("finds rows that have every word somewhere, whatever the case, also deep inside", () => {
    const rows = [
      { symbol: "BTC-PERP", side: "Buy" },
      { symbol: "ETH-PERP", side: "buy", tags: [{ name: "Grid 7" }] },
      { symbol: "BTC-PERP", side: "sell" },
    ];
    const find = (filter: string) => new RowOrder().select(rows, undefined, filter);
    expect(find("perp btc buy")).toEqual([rows[0]]);
    expect(find(" GRID ")).toEqual([rows[1]]);
    expect(find("perp")).toEqual(rows);
    expect(find("doge")).toEqual([]);
  });

  test("after each change of rows or letters, stands as sorting and searching all of them anew puts it", () => {
    const text = fc.constantFrom("1", "2", "10", "x", null, "2.0", "ab", "ba", "b", "a1", "a B");
    const row = fc.record({ v: text, w: text });
    const step = fc.record({
      at: fc.nat(40),
      drop: fc.nat(3),
      add: fc.array(row, { maxLength: 3 }),
      filter: fc.oneof(fc.constant(""), fc.stringMatching(/^[ab1 ]{0,4}$/)),
    });
    const sorts = fc.option(fc.record({ column: fc.constant("v"), isDescending: fc.boolean() }), {
      freq: 2,
      nil: undefined,
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), fc.array(step), sorts, (first, steps, sort) => {
        const order = new RowOrder();
        let rows: readonly OpenRecord[] = first;
        for (const { at, drop, add, filter } of steps) {
          // Letters are typed and taken back while the rows stay as they are, too.
          if (drop > 0 || add.length > 0)
            rows = [...rows.slice(0, at), ...add, ...rows.slice(at + drop)];
          const anew = new RowOrder().select(rows, sort, filter);
          const kept = order.select(rows, sort, filter);
          expect(kept.length).toBe(anew.length);
          for (const [i, record] of anew.entries()) expect(kept[i]).toBe(record);
        }
      }),
      { numRuns: 300 },
    );
  });
});

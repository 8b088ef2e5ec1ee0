import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  RecordTable,
  type RecordTableOptions,
  type TableWindow,
} from "../../src/screen/table/table.ts";
import { EXACT } from "../../src/select/display.ts";
import type { RecordFormat } from "../../src/select/record-format.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { textWidth } from "../../src/terminal/cells/text-cells.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

const format: RecordFormat = {
  aliases: new Aliases(),
  scaleOf: () => undefined,
  isMasked: false,
  display: EXACT,
};

function tableOf(records: readonly OpenRecord[], options: Partial<RecordTableOptions> = {}) {
  const table = new RecordTable({
    format: () => format,
    keyOf: ({ id }) => (id === undefined ? undefined : String(id)),
    ...options,
  });
  table.update(records);
  return table;
}

const many = (count: number): OpenRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `${i}`,
    side: i % 2 ? "buy" : "sell",
    px: `${i}5`,
  }));

const idsOf = (table: RecordTable, height = 6) =>
  table.window(80, height).rows.map(({ record }) => record.id);

const WALK: Readonly<Record<string, (table: RecordTable) => void>> = {
  right: (table) => table.moveColumnBy(1),
  left: (table) => table.moveColumnBy(-1),
  sort: (table) => table.sortBy(table.column ?? ""),
};
const WALKS = Object.keys(WALK);

/** Columns lie inside of the room, beside each other, with headers that fit. */
function expectRoom({ columns }: TableWindow, width: number): void {
  for (const [i, { x, width: wide, header }] of columns.entries()) {
    expect(x + wide).toBeLessThanOrEqual((columns[i + 1]?.x ?? width + 1) - 1);
    expect(textWidth(header)).toBeLessThanOrEqual(wide);
  }
  const current = columns.filter(({ isCurrent }) => isCurrent);
  expect(current.length).toBe(Math.min(1, columns.length));
}

/** Cells fit into their columns; numbers are whole, or replaced by a sign. */
function expectWhole({ columns, rows }: TableWindow): void {
  const cells = rows.flatMap((row) =>
    columns.map((column, i) => ({ column, cell: row.cells[i], value: row.record[column.name] })),
  );
  for (const { column, cell } of cells) {
    expect(textWidth(cell?.text ?? "missing")).toBeLessThanOrEqual(column.width);
  }
  const numbers = cells.filter(({ cell }) => cell?.kind === "number");
  for (const { cell, value } of numbers) expect([`${value}`, "⋯"]).toContain(cell?.text);
}

describe("table of records", () => {
  test("keys act on the same column when one that leads is found later", () => {
    const table = tableOf([{ id: "1", px: "2" }], { leading: ["symbol"] });
    table.moveColumnBy(1);
    expect(table.column).toBe("px");
    table.update([
      { id: "1", px: "2" },
      { id: "2", px: "3", symbol: "BTC" },
    ]);
    expect(table.columns).toEqual(["symbol", "id", "px"]);
    expect(table.column).toBe("px");
  });

  test("shows whole columns only, inside of its room, and every number whole or not at all", () => {
    const text = fc.oneof(
      fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.constant(null),
    );
    const rows = fc.array(fc.dictionary(fc.constantFrom("a", "b", "c", "d.e", "漢字"), text), {
      maxLength: 8,
    });
    const steps = fc.array(fc.constantFrom(...WALKS), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 60 }), steps, (records, width, walk) => {
        const table = tableOf(records);
        for (const step of walk) WALK[step]?.(table);
        const window = table.window(width, 5);
        const { columns, before, after } = window;
        expect(before + columns.length + after).toBe(table.columns.length);
        expectRoom(window, width);
        expectWhole(window);
      }),
    );
  });

  test("keeps the selected row in sight, and moves no further than it must", () => {
    const table = tableOf(many(100));
    expect(idsOf(table)).toEqual(["0", "1", "2", "3", "4"]);
    table.moveBy(4);
    expect(idsOf(table)[0]).toBe("0");
    table.moveBy(1);
    expect(idsOf(table)).toEqual(["1", "2", "3", "4", "5"]);
    table.moveTo(Number.MAX_SAFE_INTEGER);
    expect(idsOf(table)).toEqual(["95", "96", "97", "98", "99"]);
    table.moveTo(0);
    expect(idsOf(table)[0]).toBe("0");
  });

  test("the selection stays with its row when others come before it or go", () => {
    const rows = many(20);
    const table = tableOf(rows);
    table.moveBy(7);
    table.update([{ id: "new" }, ...rows]);
    expect(table.selected?.id).toBe("7");
    table.update(rows.slice(5));
    expect(table.selected?.id).toBe("7");
    table.update(rows.slice(0, 3));
    expect(table.selected?.id).toBe("2");
  });

  test("at the top, the selection stays with whatever is newest", () => {
    const table = tableOf(many(3));
    table.update([{ id: "new" }, ...many(3)]);
    expect(table.selected?.id).toBe("new");
  });

  test("sorts by a column up, down, and then not at all", () => {
    const rows = [{ id: "b" }, { id: "c" }, { id: "a" }];
    const table = tableOf(rows);
    const order = () => {
      table.sortBy("id");
      return table.rows.map(({ id }) => id).join("");
    };
    expect([order(), order(), order()]).toEqual(["abc", "cba", "bca"]);
    table.sortBy("id");
    expect(table.window(20, 4).columns[0]?.header).toBe("ID▲");
  });

  test("puts the columns of leading meanings first, under whatever names they come", () => {
    const table = tableOf([{ id: "1", mkt: "1", qty: "2", dir: "x", direction: "buy" }], {
      leading: [["side"], ["sizeLots", "size"], ["price"]],
    });
    expect(table.columns).toEqual(["direction", "qty", "id", "mkt", "dir"]);
  });

  test("spells out what a terminal would obey, in cells and headers", () => {
    const table = tableOf([{ "na\u001bme": "a\u001b[2Jb" }]);
    const { columns, rows } = table.window(80, 4);
    expect(columns[0]?.header).toBe("Na\\x1bme");
    expect(rows[0]?.cells[0]?.text).toBe("a\\x1b[2Jb");
  });
});

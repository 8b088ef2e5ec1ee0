import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fitColumns,
  fitFirstColumns,
  fitPieces,
  fitTexts,
  freshRows,
  type SteadyColumns,
  steadyColumns,
} from "../../src/select/columns.ts";

describe("columns that fit", () => {
  test("are whole, inside the room, in their order and without overlap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }),
        fc.integer({ min: 0, max: 120 }),
        fc.integer({ min: 0, max: 3 }),
        (widths, available, gap) => {
          const columns = fitColumns(widths, widths.map((_, i) => i).reverse(), available, gap);
          let next = 0;
          for (const { index, x, width } of columns) {
            expect(width).toBe(widths[index]);
            expect(x).toBe(next);
            next = x + width + gap;
            expect(x + width).toBeLessThanOrEqual(available);
          }
        },
      ),
    );
  });

  test("give way from the least important on", () => {
    const kept = (available: number) =>
      fitColumns([10, 5, 5], [0, 2, 1], available, 1).map(({ index }) => index);
    expect(kept(22)).toEqual([0, 1, 2]);
    expect(kept(21)).toEqual([0, 2]);
    expect(kept(15)).toEqual([0]);
    expect(kept(9)).toEqual([2]);
    expect(kept(4)).toEqual([]);
  });

  test("serve pieces of a line as well: the most important ones stay, in the order of the line", () => {
    const pieces = [
      { text: "status", width: 6, priority: 2 },
      { text: "name", width: 4, priority: 0 },
      { text: "hint", width: 4, priority: 1 },
    ];
    expect(fitPieces(pieces, 10, 1).map(({ text }) => text)).toEqual(["name", "hint"]);
    expect(fitPieces(pieces, 16, 1).map(({ text }) => text)).toEqual(["status", "name", "hint"]);
  });
});

test("words are there whole or not at all, the first ones first", () => {
  const words = ["fees 0.669612", "volume 488468.457293", "bought 1"];
  expect(fitTexts(words, 80)).toBe("fees 0.669612  volume 488468.457293  bought 1");
  expect(fitTexts(words, 34)).toBe("fees 0.669612  bought 1");
  expect(fitTexts(words, 35)).toBe("fees 0.669612  volume 488468.457293");
  expect(fitTexts(words, 12)).toBe("bought 1");
});

const ALL = [0, 1, 2];
const placesOf = (columns: readonly { index: number; x: number; width: number }[]) =>
  columns.map(({ index, x, width }) => [index, x, width]);

/** Columns of one table, frame after frame. */
function openColumns() {
  let last: SteadyColumns | undefined;
  return {
    fit(...table: [of: string[], widths: number[], priority: number[], room: number, gap: number]) {
      last = steadyColumns(last, ...table);
      return last.fitted;
    },
  };
}

describe("columns of a live table", () => {
  test("stay as wide as they have ever had to be", () => {
    const columns = openColumns();
    columns.fit(["perp/1"], [5, 8, 0], ALL, 40, 1);
    expect(placesOf(columns.fit(["perp/1"], [4, 6, 0], ALL, 40, 1))).toEqual([
      [0, 0, 5],
      [1, 6, 8],
    ]);
  });

  test("stay where they were once filled", () => {
    const columns = openColumns();
    columns.fit(["perp/1"], [5, 0, 3], ALL, 40, 1);
    expect(columns.fit(["perp/1"], [5, 0, 0], ALL, 40, 1).map(({ index }) => index)).toEqual([
      0, 2,
    ]);
  });

  test("begin anew with another table", () => {
    const columns = openColumns();
    columns.fit(["perp/1"], [5, 8, 3], ALL, 40, 1);
    expect(columns.fit(["perp/2"], [4, 0, 0], ALL, 40, 1)).toEqual([{ index: 0, x: 0, width: 4 }]);
  });

  test("that lost their room come back with a cell to spare: one digit more or less moves nothing", () => {
    const columns = openColumns();
    const placesWith = (last: number) =>
      placesOf(columns.fit(["perp/1"], [5, 8, last], ALL, 21, 1));
    expect(placesWith(6)).toHaveLength(3);
    const without = [
      [0, 0, 5],
      [1, 6, 8],
    ];
    expect(placesWith(7)).toEqual(without);
    expect(placesWith(6)).toEqual(without);
    expect(placesWith(7)).toEqual(without);
    expect(placesWith(5)).toHaveLength(3);
    expect(placesWith(6)).toHaveLength(3);
  });

  test("that are less important stand in the place of none that has lost its room", () => {
    const layout = [[5, 8, 9, 2], [0, 1, 2, 3], 18, 1] as const;
    expect(fitColumns(...layout).map(({ index }) => index)).toEqual([0, 1, 3]);
    expect(fitFirstColumns(...layout).map(({ index }) => index)).toEqual([0, 1]);
    expect(fitFirstColumns(layout[0], layout[1], 27, 1)).toHaveLength(4);
  });

  test("never show less than there is room for now, but for a cell", () => {
    const widths = fc.array(fc.nat(12), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(widths), fc.nat(30), (tables, available) => {
        const columns = openColumns();
        for (const table of tables) {
          const filled = ALL.filter((index) => table[index] !== 0);
          const fitting = (room: number) =>
            fitColumns(table, filled, room, 1).map(({ index }) => index);
          const spared = fitting(available - 1);
          const now = fitting(available).filter((index) => spared.includes(index));
          const shown = columns.fit(["perp/1"], table, ALL, available, 1);
          expect(shown.map(({ index }) => index)).toEqual(expect.arrayContaining(now));
          for (const { index, width } of shown)
            expect(width).toBeGreaterThanOrEqual(table[index] ?? 0);
        }
      }),
    );
  });
});

describe("rows that may be new", () => {
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
});

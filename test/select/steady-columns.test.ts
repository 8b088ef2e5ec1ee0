// Columns of a live table keep their places.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fitColumns,
  fitFirstColumns,
  type SteadyColumns,
  steadyColumns,
} from "../../src/select/columns.ts";

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

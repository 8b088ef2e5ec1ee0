// Time as a line of cells: every mark stands in the cell of its moment, whatever the range and the width.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cellOfMoment,
  momentOfCell,
  selectOutages,
  selectTimeCells,
  type TimeMark,
} from "../../src/select/timeline.ts";

const ms = () => fc.integer({ min: -1_000_000, max: 1_000_000_000 });
const range = fc
  .tuple(ms(), fc.integer({ min: 1, max: 100_000_000 }))
  .map(([startMs, length]) => ({ startMs, endMs: startMs + length }));
const width = fc.integer({ min: 1, max: 400 });
const kind = fc.constantFrom("outage" as const, "fill" as const, "alert" as const);

/** Marks by the parts of the range at which they begin and end. */
const parts = fc.array(
  fc.record({
    kind,
    from: fc.integer({ min: 0, max: 1000 }),
    long: fc.integer({ min: 0, max: 300 }),
  }),
  { maxLength: 12 },
);

/** Cell by cell, by the exact bounds of each. */
function expectedCell(
  cell: number,
  cells: number,
  { startMs, endMs }: { startMs: number; endMs: number },
  marks: readonly TimeMark[],
) {
  const length = endMs - startMs;
  const left = (at: number) => (at - startMs) * cells;
  const covers = ({ fromMs, toMs }: TimeMark) => {
    if (toMs < startMs || fromMs > endMs) return false;
    const isLast = cell === cells - 1;
    const beginsBefore = left(Math.min(fromMs, endMs)) < (cell + 1) * length || isLast;
    const endsAfter = left(Math.max(toMs, startMs)) >= cell * length;
    return beginsBefore && endsAfter;
  };
  const kinds = marks.filter(covers).map((mark) => mark.kind);
  return (["alert", "fill", "outage"] as const).find((each) => kinds.includes(each));
}

describe("a line of time", () => {
  test("has every mark in the cells of its moments, and no other", () => {
    fc.assert(
      fc.property(range, width, parts, (of, cells, at) => {
        const length = of.endMs - of.startMs;
        const marks = at.map(({ kind: each, from, long }) => {
          const fromMs = of.startMs + Math.round(((from - 250) / 500) * length);
          return { kind: each, fromMs, toMs: fromMs + Math.round((long / 500) * length) };
        });
        const expected = Array.from({ length: cells }, (_, i) => expectedCell(i, cells, of, marks));
        expect(selectTimeCells(of, cells, marks)).toEqual(expected);
      }),
    );
  });

  test("puts a moment at the edge of two cells into the one that begins there", () => {
    expect(cellOfMoment({ startMs: 0, endMs: 11 }, 55, 3)).toBe(15);
    expect(cellOfMoment({ startMs: 0, endMs: 10 }, 90, 7)).toBe(63);
  });

  test("leads from each cell to a moment in it, from the first to the oldest, from the last to the newest", () => {
    fc.assert(
      fc.property(range, width, (of, cells) => {
        for (let cell = 0; cell < cells; cell++) {
          expect(cellOfMoment(of, cells, momentOfCell(of, cells, cell))).toBe(cell);
        }
        expect(momentOfCell(of, cells, -5)).toBe(of.startMs);
        if (cells > 1) expect(momentOfCell(of, cells, cells + 5)).toBe(of.endMs);
      }),
    );
  });

  test("has one place only while nothing has passed", () => {
    const now = { startMs: 5, endMs: 5 };
    expect(cellOfMoment(now, 40, 5)).toBe(0);
    expect(selectTimeCells(now, 3, [{ kind: "fill", fromMs: 5, toMs: 5 }])).toEqual([
      "fill",
      undefined,
      undefined,
    ]);
  });
});

test("an outage goes from the loss of a connection to the next one; before the first nothing was lost", () => {
  const at = (atMs: number, isOpen: boolean) => ({ atMs, isOpen });
  const moments = [
    at(1, false),
    at(2, true),
    at(5, false),
    at(6, false),
    at(9, true),
    at(12, false),
  ];
  expect(selectOutages(moments, 20).map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [5, 9],
    [12, 20],
  ]);
});

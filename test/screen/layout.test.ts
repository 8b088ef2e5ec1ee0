import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { borderAt, type Layout, layOut, moveBorder } from "../../src/screen/views/market/layout.ts";
import {
  type Arrangement,
  DEFAULT_ARRANGEMENT,
  forEachPane,
  MAX_STEPS,
  PANE_NAMES,
  type Pane,
  resizePane,
} from "../../src/screen/views/market/panes.ts";

const size = fc.integer({ min: 0, max: 400 });
const steps = fc.integer({ min: -MAX_STEPS, max: MAX_STEPS });
const arrangements: fc.Arbitrary<Arrangement> = fc.record({
  shown: fc.subarray([...PANE_NAMES], { minLength: 1 }),
  sizes: fc.record(forEachPane(() => steps)),
});

const showing = (...shown: Pane[]): Arrangement => ({ ...DEFAULT_ARRANGEMENT, shown });

const ALL = ["candles", "orderbook", "trades"];

/** Every cell is in a pane, and panes beside or above each other are not squeezed. */
function expectFilled({ columns }: Layout, width: number, height: number): void {
  const widths = columns.map((column) => column.width);
  expect(widths.reduce((sum, each) => sum + each, 0)).toBe(width);
  if (widths.length > 1) expect(Math.min(...widths)).toBeGreaterThanOrEqual(24);
  for (const { panes } of columns) {
    const heights = panes.map((pane) => pane.height);
    expect(heights.reduce((sum, each) => sum + each, 0)).toBe(height);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(heights.length > 1 ? 5 : 1);
  }
}

/** Cells of a pane. */
function areaOf(pane: Pane, columns: number, rows: number, arrangement: Arrangement): number {
  for (const { width, panes } of layOut(columns, rows, arrangement).columns) {
    for (const placed of panes) if (placed.pane === pane) return width * placed.height;
  }
  return 0;
}

describe("layout", () => {
  test("fills the screen exactly, whatever its size, and never more", () => {
    fc.assert(
      fc.property(size, size, arrangements, (width, height, arrangement) => {
        const layout = layOut(width, height, arrangement);
        const body = height - layout.headerRows;
        expect(body).toBeGreaterThanOrEqual(0);
        if (layout.columns.length > 0) expectFilled(layout, width, body);
      }),
    );
  });

  test("shows each pane at most once, and none that is hidden", () => {
    fc.assert(
      fc.property(size, size, arrangements, (width, height, arrangement) => {
        const { order } = layOut(width, height, arrangement);
        expect(new Set(order).size).toBe(order.length);
        for (const pane of order) expect(arrangement.shown).toContain(pane);
      }),
    );
  });

  test("never makes a pane smaller by a step that is to make it larger", () => {
    fc.assert(
      fc.property(size, size, arrangements, fc.nat(2), (width, height, arrangement, at) => {
        const pane = arrangement.shown[at % arrangement.shown.length] ?? "orderbook";
        const larger = resizePane(arrangement, pane, 1);
        expect(areaOf(pane, width, height, larger)).toBeGreaterThanOrEqual(
          areaOf(pane, width, height, arrangement),
        );
      }),
    );
  });

  test("puts panes beside each other on a wide terminal, one above the other on a narrow one", () => {
    const chartAndTape = showing("candles", "trades");
    expect(layOut(80, 23, chartAndTape).columns).toHaveLength(2);
    expect(layOut(60, 39, chartAndTape).columns).toHaveLength(1);
    expect(layOut(60, 39, chartAndTape).order).toEqual(["candles", "trades"]);
    expect(layOut(160, 50, DEFAULT_ARRANGEMENT).columns).toHaveLength(3);
  });

  test.each([
    [80, 60, true],
    [100, 70, true],
    [120, 80, true],
    [80, 24, false],
    [100, 40, false],
    [120, 50, false],
    [200, 150, false],
  ])(
    "has all panes on %i×%i, one above the other where it is upright: %s",
    (columns, rows, isUpright) => {
      const layout = layOut(columns, rows, DEFAULT_ARRANGEMENT);
      expect(layout.columns.length === 1).toBe(isUpright);
      expect(isUpright ? layout.order : [...layout.order].sort()).toEqual(ALL);
    },
  );

  test.each([
    [160, 50, ALL],
    [120, 40, ALL],
    [100, 30, ALL],
    [80, 24, ALL],
    [80, 14, ["orderbook", "trades"]],
    [60, 30, ["orderbook", "trades"]],
    [60, 60, ALL],
    [40, 12, ["orderbook"]],
  ])(
    "drops panes whole when there is no room, the book last: %i×%i has %j",
    (columns, rows, panes) => {
      // The status line takes a row.
      const { order } = layOut(columns, rows - 1, DEFAULT_ARRANGEMENT);
      expect([...order].sort()).toEqual(panes);
    },
  );

  test("gives the whole screen to one pane when asked to", () => {
    for (const pane of PANE_NAMES) {
      const { columns, order } = layOut(120, 40, showing(pane));
      expect(order).toEqual([pane]);
      expect(columns[0]?.width).toBe(120);
    }
  });
});

/** The first cell of every column, and of every pane in it. */
const bordersOf = ({ columns, headerRows }: Layout) => {
  let left = 0;
  return columns.map(({ width, panes }) => {
    let top = headerRows;
    const tops = panes.map(({ height }) => {
      top += height;
      return top - height;
    });
    const at = { left, tops };
    left += width;
    return at;
  });
};

describe("a border that is dragged", () => {
  test("between columns stands in any column of the screen to which both panes have room; others stay", () => {
    for (const [columns, rows] of [
      [120, 40],
      [160, 50],
      [220, 60],
    ] as const) {
      const layout = layOut(columns, rows, DEFAULT_ARRANGEMENT);
      const last = layout.columns.length - 1;
      const before = bordersOf(layout).map(({ left }) => left);
      const from = before[last] ?? 0;
      expect(borderAt(layout, from, 5)).toEqual({ column: last });
      expect(borderAt(layout, from - 1, 5)).toEqual({ column: last });
      for (let to = (before[last - 1] ?? 0) + 40; to <= columns - 30; to++) {
        const next = moveBorder(layout, DEFAULT_ARRANGEMENT, { column: last }, to);
        const after = bordersOf(layOut(columns, rows, next)).map(({ left }) => left);
        expect(after).toEqual([...before.slice(0, last), to]);
      }
    }
  });

  test("between panes of a column goes up and down, and stops where a pane has no room", () => {
    const layout = layOut(120, 40, DEFAULT_ARRANGEMENT);
    const top = bordersOf(layout)[0]?.tops[1] ?? 0;
    expect(borderAt(layout, 5, top)).toEqual({ column: 0, row: 1 });
    expect(borderAt(layout, 5, top - 1)).toEqual({ column: 0, row: 1 });
    expect(borderAt(layout, 5, top - 2)).toBeUndefined();
    const topAt = (to: number) =>
      bordersOf(
        layOut(120, 40, moveBorder(layout, DEFAULT_ARRANGEMENT, { column: 0, row: 1 }, to)),
      )[0]?.tops[1];
    for (let to = 16; to <= 30; to++) expect(topAt(to)).toBe(to);
    expect(topAt(0)).toBeGreaterThan(2);
    expect(topAt(99)).toBeLessThan(39);
  });

  test("gives an arrangement that can be laid out, wherever it is dragged to", () => {
    fc.assert(
      fc.property(size, size, arrangements, fc.nat(3), fc.nat(2), fc.integer(), (...drawn) => {
        const [columns, rows, arrangement, column, row, to] = drawn;
        const layout = layOut(columns, rows, arrangement);
        const border = row === 0 ? { column } : { column, row };
        const after = layOut(columns, rows, moveBorder(layout, arrangement, border, to));
        expect(after.order).toEqual(layout.order);
        expect(after.columns.reduce((sum, { width }) => sum + width, 0)).toBe(
          layout.columns.reduce((sum, { width }) => sum + width, 0),
        );
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Layout, layOut } from "../../src/screen/views/market/layout.ts";
import { DEFAULT_PANES, PANE_NAMES, type Pane } from "../../src/screen/views/market/panes.ts";

const size = fc.integer({ min: 0, max: 400 });
const chosen = fc
  .subarray([...PANE_NAMES], { minLength: 1 })
  .chain((panes) => fc.tuple(fc.constant(panes), fc.constantFrom(...panes)));

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

describe("layout", () => {
  test("fills the screen exactly, whatever its size, and never more", () => {
    fc.assert(
      fc.property(size, size, chosen, (width, height, [panes, focus]) => {
        const layout = layOut(width, height, panes, focus);
        const body = height - layout.headerRows;
        expect(body).toBeGreaterThanOrEqual(0);
        if (layout.columns.length > 0) expectFilled(layout, width, body);
      }),
    );
  });

  test("shows each pane at most once, none that was not chosen, and the focused one always", () => {
    fc.assert(
      fc.property(size, size, chosen, (width, height, [panes, focus]) => {
        const { shown, columns } = layOut(width, height, panes, focus);
        expect(new Set(shown).size).toBe(shown.length);
        for (const pane of shown) expect(panes).toContain(pane);
        expect(shown.includes(focus)).toBe(columns.length > 0);
      }),
    );
  });

  test("puts panes beside each other on a wide terminal, one above the other on a narrow one", () => {
    const chartAndTape = ["candles", "trades"] as const;
    expect(layOut(80, 23, chartAndTape, "trades").columns).toHaveLength(2);
    expect(layOut(60, 39, chartAndTape, "trades").columns).toHaveLength(1);
    expect(layOut(60, 39, chartAndTape, "trades").shown).toEqual(["candles", "trades"]);
    expect(layOut(160, 50, DEFAULT_PANES, "orderbook").columns).toHaveLength(3);
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
      const layout = layOut(columns, rows, DEFAULT_PANES, "orderbook");
      expect(layout.columns.length === 1).toBe(isUpright);
      expect(isUpright ? layout.shown : [...layout.shown].sort()).toEqual(ALL);
    },
  );

  test.each<[number, number, Pane, Pane[]]>([
    [160, 50, "orderbook", ["candles", "orderbook", "trades"]],
    [120, 40, "orderbook", ["candles", "orderbook", "trades"]],
    [80, 24, "orderbook", ["candles", "orderbook", "trades"]],
    [80, 14, "orderbook", ["orderbook", "trades"]],
    [80, 14, "candles", ["candles", "orderbook"]],
    [60, 30, "orderbook", ["orderbook", "trades"]],
    [60, 60, "orderbook", ["candles", "orderbook", "trades"]],
    [40, 12, "orderbook", ["orderbook"]],
    [40, 12, "trades", ["trades"]],
    [40, 12, "candles", ["candles"]],
  ])(
    "drops panes whole when there is no room, the focused one never: %i×%i with the focus on %s has %j",
    (columns, rows, focus, panes) => {
      // The status line takes a row.
      const { shown } = layOut(columns, rows - 1, DEFAULT_PANES, focus);
      expect([...shown].sort()).toEqual(panes);
    },
  );

  test("gives the whole screen to one pane when asked to", () => {
    for (const pane of PANE_NAMES) {
      const { columns, shown } = layOut(120, 40, [pane], pane);
      expect(shown).toEqual([pane]);
      expect(columns[0]?.width).toBe(120);
    }
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LayoutView, layOut } from "../../src/ui/layout.ts";

const size = fc.integer({ min: 0, max: 400 });
const views: LayoutView[] = ["all", "orderbook", "trades", "candles"];

/** Panes on a terminal of this size, of which the status line takes a row. */
const panesOf = (columns: number, rows: number, view: LayoutView = "all") =>
  [...layOut(columns, rows - 1, view).order].sort();

describe("layout", () => {
  test("fills the screen exactly, whatever its size, and never more", () => {
    fc.assert(
      fc.property(size, size, fc.constantFrom(...views), (width, height, view) => {
        const layout = layOut(width, height, view);
        const body = height - layout.headerRows;
        expect(body).toBeGreaterThanOrEqual(0);
        if (layout.columns.length === 0) return;
        const widths = layout.columns.map((column) => column.width);
        expect(widths.reduce((sum, each) => sum + each, 0)).toBe(width);
        for (const { panes } of layout.columns) {
          expect(panes.reduce((sum, pane) => sum + pane.height, 0)).toBe(body);
          for (const pane of panes) expect(pane.height).toBeGreaterThan(0);
        }
      }),
    );
  });

  test("shows each pane at most once", () => {
    fc.assert(
      fc.property(size, size, (width, height) => {
        const { order } = layOut(width, height, "all");
        expect(new Set(order).size).toBe(order.length);
      }),
    );
  });

  test("drops panes whole when there is no room, the order book last", () => {
    const all = ["candles", "orderbook", "trades"];
    expect(panesOf(160, 50)).toEqual(all);
    expect(panesOf(120, 40)).toEqual(all);
    expect(panesOf(100, 30)).toEqual(all);
    expect(panesOf(80, 24)).toEqual(all);
    expect(panesOf(80, 14)).toEqual(["orderbook", "trades"]);
    expect(panesOf(60, 30)).toEqual(["orderbook", "trades"]);
    expect(panesOf(60, 60)).toEqual(all);
    expect(panesOf(40, 12)).toEqual(["orderbook"]);
  });

  test("gives the whole screen to one pane when asked to", () => {
    for (const view of ["orderbook", "trades", "candles"] as const) {
      const { columns, order } = layOut(120, 40, view);
      expect(order).toEqual([view]);
      expect(columns[0]?.width).toBe(120);
    }
  });
});

// What something paints on a surface of its own, as lines of text.

import { createTheme, type Theme } from "../../src/screen/theme/theme.ts";
import { CODE_POINT_MASK, CONTINUATION, Grid } from "../../src/terminal/cells/grid.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { Surface } from "../../src/terminal/cells/surface.ts";

export interface PaintArea {
  readonly surface: Surface;
  readonly inner: { x: number; y: number; width: number; height: number };
  readonly theme: Theme;
}

/** A grid, and a surface over all of it. */
export function surfaceOf(width: number, height: number, styles = new StyleTable()) {
  const grid = new Grid(width, height);
  const surface = new Surface(grid, styles);
  surface.place({ left: 0, top: 0, right: width, bottom: height });
  return { grid, surface };
}

/** The lines without spaces at their ends. */
export function painted(
  styles: StyleTable,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  paint: (area: PaintArea) => void,
): string[] {
  const { grid, surface } = surfaceOf(columns, rows, styles);
  paint({
    surface,
    inner: { x: 0, y: 0, width: columns, height: rows },
    theme: createTheme(styles),
  });
  return gridText(grid).map((line) => line.trimEnd());
}

/** The lines of a grid; the second half of a wide character is nothing. */
export function gridText(grid: Grid): string[] {
  const characters = Array.from(grid.back, (cell) => {
    const codePoint = cell & CODE_POINT_MASK;
    return codePoint === CONTINUATION ? "" : String.fromCodePoint(codePoint);
  });
  return Array.from({ length: grid.height }, (_, y) =>
    characters.slice(y * grid.width, (y + 1) * grid.width).join(""),
  );
}

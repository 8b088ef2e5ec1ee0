import { expect, test } from "vitest";
import { FrameEncoder } from "../../../src/terminal/cells/frame-encoder.ts";
import { Grid } from "../../../src/terminal/cells/grid.ts";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { Surface } from "../../../src/terminal/cells/surface.ts";

/** What is sent for these rows on an empty screen of four columns. */
function sent(...rows: readonly string[]): string {
  const styles = new StyleTable();
  const grid = new Grid(4, rows.length);
  const encoder = new FrameEncoder(styles);
  encoder.encode(grid);
  const surface = new Surface(grid, new StyleTable());
  surface.place({ left: 0, top: 0, right: grid.width, bottom: grid.height });
  for (const [y, row] of rows.entries()) surface.text(0, y, row, styles.id({}));
  return Buffer.from(encoder.encode(grid)).toString("utf8");
}

test("behind the last column, where terminals disagree about the cursor, its position is sent anew", () => {
  expect(sent("abcd", "e")).toContain("abcd\u001b[2He");
  expect(sent("ab価", "e")).toContain("価\u001b[2He");
  expect(sent("abc", "e")).toContain("abc\r\ne");
});

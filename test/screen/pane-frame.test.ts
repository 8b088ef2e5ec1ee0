// The frame of a pane: however small it is, and however much there is to say, it names the pane and its state.
import { expect, test } from "vitest";
import { drawFrame } from "../../src/screen/panes/frame.tsx";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { painted } from "../support/painted.ts";

const REFUSED = {
  state: "refused",
  age: "2.0s",
  note: "404: unknown market, account or subaccount",
} as const;
const TITLE = ["Order book", "changes, inferred 6", "scrolled 3"];

/** The first line of a pane of this width. */
function lineOf(columns: number, title: readonly string[] = TITLE, status = REFUSED): string {
  const styles = new StyleTable();
  const [line = ""] = painted(styles, { columns, rows: 8 }, ({ surface, theme }) =>
    drawFrame(surface, { title, status, frozenText: undefined, isFocused: false, theme }),
  );
  return line;
}

test.each([
  [
    90,
    "╭─ Order book  scrolled 3 ─── ⊘ refused 2.0s 404: unknown market, account or subaccount ─╮",
  ],
  [60, "╭─ Order book  ⊘ refused 2.0s 404: unknown market, accou… ─╮"],
  [44, "╭─ Order book  ⊘ refused 2.0s 404: unkno… ─╮"],
  [38, "╭─ Order book ────── ⊘ refused 2.0s ─╮"],
  [24, "╭───── ⊘ refused 2.0s ─╮"],
  [14, "    ⊘ refused"],
  [5, "   ⊘"],
])("on %i columns a long reason hides neither the pane's name nor its state", (columns, line) => {
  expect(lineOf(columns)).toBe(line);
});

test("a title that does not fit is the pane's name, not what else there is to say of it", () => {
  const title = ["Candles 15m last ◂ mark", "1 rebuilt"];
  expect(lineOf(44, title)).toMatch(/^╭─ Candles .*⊘ refused/);
});

test("no frame is wider than its pane, whatever it says", () => {
  for (let columns = 1; columns < 100; columns++) {
    const line = lineOf(columns);
    expect(line.length).toBeLessThanOrEqual(columns);
    if (columns > 3) expect(line, `${columns}`).toContain("⊘");
  }
});

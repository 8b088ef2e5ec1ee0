// Selecting with the mouse: whole cells inside one pane, copied as they are shown, or exactly where they are rows of a table.
import { describe, expect, test } from "vitest";
import { openKeyScene } from "../support/key-scene.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";

function open() {
  const scene = openKeyScene(false);
  const app = mountDashboard(scene.dashboard, { columns: 120, rows: 40 });
  const { lines, mouse } = app;
  const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
    await lines();
    mouse(0, ...from);
    mouse(32, ...to);
    mouse(0, ...to, "m");
    return lines();
  };
  const copied = () =>
    scene.log
      .filter((line) => line.startsWith("copied "))
      .at(-1)
      ?.slice(7);
  return { ...app, ...scene, drag, copied };
}

describe("dragging with the mouse", () => {
  test("selects a block of cells, which y copies as they are shown, whichever corner comes first", async () => {
    const { lines, drag, dashboard, copied } = open();
    const shown = await lines();
    const top = shown.findIndex((line) => line.includes("╭─ Trades"));
    const [y, left] = [top + 3, shown[top]?.indexOf("╭─ Trades") ?? 0];
    const expected = [0, 1].map((i) => shown[y + i]?.slice(left + 2, left + 22).trimEnd());
    for (const [from, to] of [
      [
        [left + 2, y],
        [left + 21, y + 1],
      ],
      [
        [left + 21, y + 1],
        [left + 2, y],
      ],
    ] as const) {
      await drag(from, to);
      dashboard.press("y");
      expect(copied()).toBe(expected.join("\n"));
    }
  });

  test("copies rows of a table exactly, with tabs, whatever of them is selected", async () => {
    const { dashboard, drag, copied, lines } = open();
    dashboard.press("M");
    const shown = await lines();
    const y = shown.findIndex((line) => line.includes(" COIN2 "));
    await drag([6, y], [9, y + 1]);
    dashboard.press("y");
    const rows =
      copied()
        ?.split("\n")
        .map((row) => row.split("\t")) ?? [];
    expect(rows.map((row) => row.find((cell) => cell.startsWith("COIN")))).toEqual([
      "COIN2",
      "COIN3",
    ]);
    expect(rows[0]).toContain("898.5");
  });

  test("never leaves the pane in which it began, and Escape takes it away before anything else", async () => {
    const { dashboard, drag, shown } = open();
    const terminal = await shown();
    const y = terminal.text().findIndex((line) => line.includes("╭─ Trades")) + 3;
    const left = terminal.text()[y - 3]?.indexOf("╭─ Trades") ?? 0;
    await drag([left + 3, y], [0, 38]);
    const cells = (await shown()).cells();
    const isMarked = (column: number, row: number) =>
      cells[row]?.[column]?.includes("inverse") ?? false;
    expect([isMarked(left + 2, y), isMarked(left + 3, y + 1)]).toEqual([true, true]);
    expect([isMarked(left + 1, y), isMarked(left, y), isMarked(left + 5, y)]).toEqual([
      false,
      false,
      false,
    ]);
    dashboard.press("z");
    dashboard.press("escape");
    expect(dashboard.selection.isAvailable).toBe(false);
  });

  test("begins in no frame, tab or status line, and ends with the pane", async () => {
    const { dashboard, drag } = open();
    for (const from of [
      [3, 0],
      [3, 39],
      [0, 6],
    ] as const) {
      await drag(from, [40, 20]);
      expect(dashboard.selection.isAvailable, String(from)).toBe(false);
    }
    await drag([4, 6], [12, 7]);
    expect(dashboard.selection.isAvailable).toBe(true);
    dashboard.press("T");
    await drag([3, 39], [3, 39]);
    expect(dashboard.selection.isAvailable).toBe(false);
  });
});

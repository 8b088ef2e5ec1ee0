// The whole dashboard, with something in every view, on a terminal without a window.
import { expect, test } from "vitest";
import { VIEWS } from "../../src/screen/views/views.ts";
import { openKeyScene } from "../support/key-scene.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { HeadlessTerminal } from "../support/terminal/headless-terminal.ts";
import type { AppOptions } from "../support/terminal/mounted-app.ts";

function open(options: AppOptions) {
  const { dashboard } = openKeyScene(false);
  return { dashboard, app: mountDashboard(dashboard, options) };
}

test.each([
  [100, 30],
  [40, 12],
])(
  "in ASCII every view on %i×%i, its help and its palette have bytes below 0x80 only",
  async (columns, rows) => {
    const { dashboard, app } = open({ columns, rows, isAscii: true });
    for (const view of VIEWS) {
      dashboard.show(view);
      // Help and palette take long on a large terminal.
      const over = columns === 40 || view === VIEWS[0] ? ["?", "escape", ":", "escape"] : [];
      for (const key of ["", "return", "escape", ...over]) {
        dashboard.press(key);
        await app.settle();
        const others = app.writer
          .take()
          .toString("utf8")
          .match(/[\u0080-\u{10ffff}]/gu);
        expect([view.name, key, others]).toEqual([view.name, key, null]);
      }
    }
    app.mounted.screen.redraw();
    expect((await app.screen()).length).toBeGreaterThan(columns);
    expect(app.reports).toEqual([]);
  },
);

test("the help has the theme's own colours only, also on a white background", async () => {
  const { dashboard, app } = open({ columns: 120, rows: 40 });
  dashboard.press("?");
  const terminal = await app.shown();
  expect(terminal.text().join("\n")).toContain("show or hide this help");
  const colored = terminal
    .cells()
    .slice(0, -1)
    // The dashboard goes on at both sides of it.
    .flatMap((row) => row.slice(10, -10))
    .filter((cell) => !/\|-\|-(?:\||$)/.test(cell));
  expect(colored.filter(Boolean)).toEqual([]);
});

test.each([
  [80, 24],
  [40, 12],
])("the palette lies over the view on %i×%i and moves nothing of it", async (columns, rows) => {
  const { dashboard, app } = open({ columns, rows });
  const text = async () => (await app.shown()).text();
  for (const view of VIEWS) {
    dashboard.show(view);
    const before = await text();
    dashboard.press(":");
    const lines = await text();
    const first = lines.findIndex((line, y) => line !== before[y]);
    expect(lines[first], view.name).toMatch(/^▸ /);
    expect(lines.join("\n")).toMatch(/^: ▏/m);
    expect(first, view.name).toBeGreaterThanOrEqual(4);
    dashboard.press("escape");
    expect(await text()).toEqual(before);
  }
  expect(app.reports).toEqual([]);
});

test("every view is as before when a terminal as small as one cell has its size again", async () => {
  const [columns, rows] = [80, 24];
  const { dashboard, app } = open({ columns, rows });
  const drawn = async () => {
    await app.settle();
    app.writer.take();
    app.mounted.screen.redraw();
    await app.settle();
    const terminal = new HeadlessTerminal(columns, rows);
    await terminal.write(app.writer.take());
    return terminal.text();
  };
  for (const view of VIEWS) {
    dashboard.show(view);
    const before = await drawn();
    for (const [width, height] of [
      [1, 1],
      [2, 1],
      [1, rows],
      [columns, 1],
    ] as const) {
      app.stdout.resize(width, height);
      await app.settle();
    }
    app.stdout.resize(columns, rows);
    expect([view.name, ...(await drawn())]).toEqual([view.name, ...before]);
  }
  expect(app.reports).toEqual([]);
});

// Where one is in time, as a line: it shows what happened, and a click or a drag goes there.
import { describe, expect, test } from "vitest";
import { openKeyScene } from "../support/key-scene.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";

function open({ isReplay = false, columns = 120, rows = 40 } = {}) {
  const scene = openKeyScene(isReplay);
  const app = mountDashboard(scene.dashboard, { columns, rows });
  /** The columns of the line. */
  const bar = async () => {
    const [line = ""] = await app.lines();
    return { from: line.indexOf("├") + 1, to: line.indexOf("┤") - 1, line };
  };
  return { ...app, ...scene, bar };
}

describe("the line of time", () => {
  test("is there while the screen is frozen, with the time at the cursor; a click goes to its moment", async () => {
    const { dashboard, bar, mouse, lines } = open();
    expect((await bar()).from).toBe(0);
    dashboard.press("f");
    const { from, to, line } = await bar();
    expect(line).toMatch(/^ +FROZEN .* ├.*[│⚑]┤ +[0-9:.]{12} /);
    mouse(0, from, 0);
    mouse(0, from, 0, "m");
    await lines();
    expect(dashboard.shown.now()).toBe(-1e6);
    expect((await bar()).line).toMatch(/PAST -16m40s .*├│/);
    mouse(0, to, 0);
    mouse(0, to, 0, "m");
    expect(dashboard.shown.place?.atMs).toBe(dashboard.shown.place?.endMs);
  });

  test("follows the mouse while it is dragged, beside its ends and below it too, and goes there when it is let go", async () => {
    const { dashboard, bar, mouse, lines } = open();
    dashboard.press("f");
    const { from, to } = await bar();
    mouse(0, to - 1, 0);
    mouse(32, from + 20, 7);
    await lines();
    expect(dashboard.shown.isPast).toBe(false);
    expect((await bar()).line.indexOf("│")).toBe(from + 20);
    mouse(32, 500, 500);
    mouse(32, 0, 0);
    mouse(0, 0, 3, "m");
    await lines();
    expect([dashboard.shown.now(), dashboard.scrubbedMs]).toEqual([-1e6, undefined]);
  });

  test("is the same for a recording", async () => {
    const { dashboard, bar, mouse, log, lines } = open({ isReplay: true });
    dashboard.press(")");
    const { from, line } = await bar();
    expect(line).toMatch(/REPLAY ▶ ×1 .*├.*[│⚑]┤ +[0-9:.]{12} .*f stops, \( goes back/);
    // What it says is not said again below: the day is.
    expect((await lines()).at(-1)).toMatch(/^ {2}REPLAY [0-9]{4}-[0-9]{2}-[0-9]{2} {2}/);
    mouse(0, from, 0);
    mouse(0, from, 0, "m");
    await lines();
    expect(log).toContain("restart");
    expect(dashboard.shown.place?.atMs).toBe(0);
  });

  test("marks own fills, outages and alerts that fired", async () => {
    const { dashboard, bar } = open();
    const { store, now } = dashboard.options;
    const line = (what: string, atMs: number) =>
      store.log.add({ level: "warn", what, atMs, channel: undefined, detail: "" });
    line("connected", now() - 900_000);
    line("disconnected", now() - 800_000);
    line("connected", now() - 600_000);
    line("alert", now() - 300_000);
    dashboard.press("f");
    expect((await bar()).line).toMatch(/├─+×{5,}─+⚑─+/);
  });

  test.each([
    [80, 24],
    [40, 16],
    [32, 16],
  ])("keeps what matters most at %dx%d", async (columns, rows) => {
    const { dashboard, lines } = open({ columns, rows });
    dashboard.press("f");
    const [line = ""] = await lines();
    expect(line).toContain("FROZEN");
    expect(line).toMatch(/├.*[│⚑]┤/);
  });
});

test("mouse reports outside of the screen do nothing", async () => {
  const { dashboard, mouse, lines } = open();
  const before = (await lines()).join("\n");
  for (const code of [0, 2, 32, 35, 64, 65]) {
    for (const [x, y] of [
      [120, 3],
      [9998, 9998],
      [3, 40],
    ] as const) {
      mouse(code, x, y);
      mouse(code, x, y, "m");
    }
  }
  expect((await lines()).join("\n")).toBe(before);
  expect(dashboard.view.name).toBe("market");
});

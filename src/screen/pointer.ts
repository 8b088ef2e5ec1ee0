// What the mouse means: tabs and hints can be clicked, everything else belongs to the view.
import type { MouseReport } from "../terminal/session/input-sorter.ts";
import type { Dashboard } from "./dashboard.ts";
import { isOnBar, momentAt } from "./scrubber.ts";
import { hintAt } from "./status.ts";
import { tabAt, tabRows } from "./tabs.ts";

/** What the user did with the mouse in a view. */
export interface ViewPointer {
  readonly kind: "press" | "drag" | "release" | "wheel";
  /** Cell of the view, from 0. */
  readonly x: number;
  readonly y: number;
  /** Rows that the wheel was turned by: negative is up. */
  readonly steps: number;
}

const WHEEL_ROWS = 3;
const LEFT_BUTTON = 0;

export function point(
  dashboard: Dashboard,
  report: MouseReport,
  size: { readonly columns: number; readonly rows: number },
): void {
  const { columns, rows } = size;
  const { action, x, y } = report;
  const steps = { "wheel-up": -WHEEL_ROWS, "wheel-down": WHEEL_ROWS }[action as string];
  if (steps === undefined && dashboard.scrubbedMs !== undefined) {
    // The button is down: wherever it goes, the position follows its column.
    dashboard.scrub(action === "move" ? momentAt(dashboard, columns, x) : undefined);
    return;
  }
  if (action === "release") {
    dashboard.selection.end();
    dashboard.model.point?.({ kind: "release", x, y, steps: 0 });
  }
  if (x >= columns || y >= rows) return;
  if (steps !== undefined) wheel(dashboard, { kind: "wheel", x, y, steps }, rows);
  else if (report.button === LEFT_BUTTON) left(dashboard, report, size);
}

function left(
  dashboard: Dashboard,
  { action, x, y }: MouseReport,
  size: { readonly columns: number; readonly rows: number },
): void {
  if (action === "press") press(dashboard, x, y, size);
  else if (action === "move") {
    dashboard.selection.extend(x, y);
    dashboard.model.point?.({ kind: "drag", x, y: y - tabRows(dashboard, size.rows), steps: 0 });
  }
}

function press(
  dashboard: Dashboard,
  x: number,
  y: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  dashboard.selection.drop();
  if (dashboard.help.isOpen || dashboard.palette.isOpen) {
    if (dashboard.palette.isOpen) dashboard.palette.close();
    else dashboard.help.close();
    return;
  }
  const tabs = tabRows(dashboard, rows);
  if (y < tabs) {
    pressTop(dashboard, x, columns);
  } else if (y === rows - 1) {
    const action = hintAt(dashboard, columns, x, tabs > 0);
    if (action !== undefined) dashboard.perform(action);
  } else {
    dashboard.selection.begin(x, y);
    dashboard.model.point?.({ kind: "press", x, y: y - tabs, steps: 0 });
  }
}

/** The line of the tabs, or what stands in its place. */
function pressTop(dashboard: Dashboard, x: number, columns: number): void {
  if (isOnBar(dashboard, columns, x)) dashboard.scrub(momentAt(dashboard, columns, x));
  const view = tabAt(dashboard, columns, x);
  if (view !== undefined) dashboard.show(view);
}

/** A view that does not know the wheel is scrolled as with its keys. */
function wheel(dashboard: Dashboard, pointer: ViewPointer, rows: number): void {
  const isCovered = dashboard.help.isOpen || dashboard.palette.isOpen;
  const { model } = dashboard;
  if (!isCovered && model.point !== undefined) {
    model.point({ ...pointer, y: pointer.y - tabRows(dashboard, rows) });
    return;
  }
  for (let i = 0; i < Math.abs(pointer.steps); i++) {
    dashboard.perform(pointer.steps < 0 ? "scrollUp" : "scrollDown");
  }
}

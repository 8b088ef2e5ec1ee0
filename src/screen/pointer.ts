// What the mouse means: tabs and hints can be clicked, everything else belongs to the view.
import type { MouseReport } from "../terminal/session/input-sorter.ts";
import type { Dashboard } from "./dashboard.ts";
import { hintAt } from "./status.ts";
import { tabAt, tabRows } from "./tabs.ts";

/** What the user did with the mouse in a view. */
export interface ViewPointer {
  readonly kind: "press" | "wheel";
  /** Cell of the view, from 0. */
  readonly x: number;
  readonly y: number;
  /** Rows that the wheel was turned by: negative is up. */
  readonly steps: number;
}

const WHEEL_ROWS = 3;
const LEFT_BUTTON = 0;

/** Does what a report of the mouse asks for. */
export function point(
  dashboard: Dashboard,
  { action, button, x, y }: MouseReport,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  const steps = { "wheel-up": -WHEEL_ROWS, "wheel-down": WHEEL_ROWS }[action as string];
  if (steps !== undefined) wheel(dashboard, { kind: "wheel", x, y, steps }, rows);
  else if (action === "press" && button === LEFT_BUTTON) press(dashboard, x, y, { columns, rows });
}

function press(
  dashboard: Dashboard,
  x: number,
  y: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  if (dashboard.help.isOpen || dashboard.palette.isOpen) {
    if (dashboard.palette.isOpen) dashboard.palette.close();
    else dashboard.help.close();
    return;
  }
  const tabs = tabRows(dashboard, rows);
  if (y < tabs) {
    const view = tabAt(dashboard, columns, x);
    if (view !== undefined) dashboard.show(view);
  } else if (y === rows - 1) {
    const action = hintAt(dashboard, columns, x);
    if (action !== undefined) dashboard.perform(action);
  } else dashboard.model.point?.({ kind: "press", x, y: y - tabs, steps: 0 });
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

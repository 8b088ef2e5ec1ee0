// Mouse input: tabs, scrubber and hints are handled here, everything else by the view.
import type { TerminalSize } from "../terminal/screen/screen.ts";
import type { MouseReport } from "../terminal/session/input-sorter.ts";
import type { Dashboard } from "./dashboard.ts";
import { isOnBar, momentAt } from "./scrubber.ts";
import { hintAt } from "./status.ts";
import { tabAt, tabRows } from "./tabs.ts";

export interface ViewPointer {
  readonly kind: "press" | "wheel";
  /** Cell within the view, from 0. */
  readonly x: number;
  readonly y: number;
  /** Rows scrolled by the wheel; negative is up. */
  readonly steps: number;
}

const WHEEL_ROWS = 3;
const LEFT_BUTTON = 0;

export function point(dashboard: Dashboard, report: MouseReport, size: TerminalSize): void {
  const { columns, rows } = size;
  const { action, x, y } = report;
  const steps = { "wheel-up": -WHEEL_ROWS, "wheel-down": WHEEL_ROWS }[action as string];
  const pointer = { x, y: y - tabRows(dashboard, rows), steps: steps ?? 0 };
  if (steps === undefined && dashboard.scrubbedMs !== undefined) {
    // While the button is down, the position follows the pointer's column, whatever its row.
    dashboard.scrub(action === "move" ? momentAt(dashboard, columns, x) : undefined);
    return;
  }
  if (x >= columns || y >= rows) return;
  if (steps !== undefined) wheel(dashboard, { kind: "wheel", ...pointer });
  else if (action === "press" && report.button === LEFT_BUTTON)
    press(dashboard, { kind: "press", ...pointer }, y, size);
}

function press(
  dashboard: Dashboard,
  pointer: ViewPointer,
  y: number,
  { columns, rows }: TerminalSize,
): void {
  const { palette, help, model } = dashboard;
  const { x } = pointer;
  if (palette.isOpen) palette.close();
  else if (help.isOpen) help.close();
  else if (pointer.y < 0) pressTop(dashboard, x, columns);
  else if (y === rows - 1) {
    const hint = hintAt(dashboard, columns, x, pointer.y < y);
    if (hint !== undefined) dashboard.perform(hint);
  } else model.point?.(pointer);
}

/** The line of tabs, or the scrubber in its place. */
function pressTop(dashboard: Dashboard, x: number, columns: number): void {
  if (isOnBar(dashboard, columns, x)) dashboard.scrub(momentAt(dashboard, columns, x));
  const view = tabAt(dashboard, columns, x);
  if (view !== undefined) dashboard.show(view);
}

/** Views without a pointer handler scroll as with keys. */
function wheel(dashboard: Dashboard, pointer: ViewPointer): void {
  const { help, palette, model } = dashboard;
  if (!help.isOpen && !palette.isOpen && model.point !== undefined) model.point(pointer);
  else
    for (let i = 0; i < WHEEL_ROWS; i++)
      dashboard.perform(pointer.steps < 0 ? "scrollUp" : "scrollDown");
}

// A line of labelled values: header lines of views. What does not fit whole is left out, the least important first.
import type { Surface } from "../../terminal/cells/surface.ts";
import { textWidth } from "../../terminal/cells/text-cells.ts";
import { fitPieces } from "../../view/columns.ts";
import type { Dashboard } from "../dashboard.ts";
import type { LookName, Theme } from "../theme.ts";

/** A label and its value. */
export interface Piece {
  readonly label: string;
  readonly value: string;
  readonly look: LookName;
  readonly width: number;
  /** The lowest counts most. */
  readonly priority: number;
}

const GAP = 2;

/** Modes of the dashboard that nobody must overlook. Never throws. */
export function badges(dashboard: Dashboard): Piece[] {
  const { words } = dashboard.still;
  return [
    ...(dashboard.options.isSimulated ? [piece("", " SIMULATED ", "badge", 3)] : []),
    ...(words === undefined ? [] : [piece("", ` ${words} `, "alarm", 0)]),
  ];
}

/** Text of the service must have become `visible` before. Never throws. */
export function piece(label: string, value: string, look: LookName, priority: number): Piece {
  const width = textWidth(value) + (label === "" ? 0 : textWidth(label) + 1);
  return { label, value, look, width, priority };
}

/** Paints those that fit into one line. Never throws. */
export function paintPieces(
  surface: Surface,
  y: number,
  pieces: readonly Piece[],
  theme: Theme,
): void {
  let x = 1;
  for (const { label, value, look, width } of fitPieces(pieces, surface.width - 2, GAP)) {
    const labelEnd = label === "" ? x : x + surface.text(x, y, label, theme.dim) + 1;
    surface.text(labelEnd, y, value, theme[look]);
    x += width + GAP;
  }
}

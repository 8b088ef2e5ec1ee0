// Bars of eighths of a cell: depth behind a book, volumes under a chart, how much of a limit is used.
import type { StyleId } from "./style-table.ts";
import type { Surface } from "./surface.ts";

const EIGHTHS = 8;

const FULL_BLOCK = 0x2588;
/** Left blocks from one eighth (0x258f) down to seven eighths (0x2589). */
const LEFT_BLOCK_BASE = 0x2590;
/** Lower blocks from one eighth (0x2581) up to seven eighths (0x2587). */
const LOWER_BLOCK_BASE = 0x2580;

/**
 * Eighths of a cell that show `part` of `whole` on `cells` cells; more than nothing shows at least one eighth.
 * For lengths only: exact values must not go through it.
 */
export function countEighths(part: number, whole: number, cells: number): number {
  if (!(part > 0) || !(whole > 0)) return 0;
  const most = cells * EIGHTHS;
  return Math.max(1, Math.min(most, Math.round((part / whole) * most)));
}

/** A bar in row y that grows to the right from column x. */
export function drawBar(
  surface: Surface,
  x: number,
  y: number,
  eighths: number,
  style: StyleId,
): void {
  const cells = Math.floor(eighths / EIGHTHS);
  const rest = Math.floor(eighths) % EIGHTHS;
  surface.fill(x, y, cells, 1, style, FULL_BLOCK);
  if (rest > 0) surface.put(x + cells, y, LEFT_BLOCK_BASE - rest, style);
}

export function barText(eighths: number): string {
  const rest = Math.floor(eighths) % EIGHTHS;
  const end = rest === 0 ? "" : String.fromCharCode(LEFT_BLOCK_BASE - rest);
  return `${String.fromCharCode(FULL_BLOCK).repeat(Math.floor(eighths / EIGHTHS))}${end}`;
}

/** A bar in column x that grows upwards; its foot stands in row `foot`. */
export function drawColumn(
  surface: Surface,
  x: number,
  foot: number,
  eighths: number,
  style: StyleId,
): void {
  const cells = Math.floor(eighths / EIGHTHS);
  const rest = Math.floor(eighths) % EIGHTHS;
  surface.fill(x, foot - cells + 1, 1, cells, style, FULL_BLOCK);
  if (rest > 0) surface.put(x, foot - cells, LOWER_BLOCK_BASE + rest, style);
}

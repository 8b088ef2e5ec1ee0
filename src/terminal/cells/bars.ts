// Bars in eighths of a cell: depth behind a book, volumes below a chart, usage of a limit.
import type { StyleId } from "./style-table.ts";
import type { Surface } from "./surface.ts";

const EIGHTHS = 8;

const FULL_BLOCK = 0x2588;
/** Left blocks count down from one eighth (0x258f) to seven eighths (0x2589). */
const LEFT_BLOCK_BASE = 0x2590;
/** Lower blocks count up from one eighth (0x2581) to seven eighths (0x2587). */
const LOWER_BLOCK_BASE = 0x2580;

/**
 * Eighths of a cell that show `part` of `whole` on `cells` cells; anything above zero shows at least one eighth. For lengths
 * only: not for exact values.
 */
export function countEighths(part: number, whole: number, cells: number): number {
  if (!(part > 0) || !(whole > 0)) return 0;
  const most = cells * EIGHTHS;
  return Math.max(1, Math.min(most, Math.round((part / whole) * most)));
}

/** A bar in row y, growing to the right from column x. */
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

/** A bar in column x, growing upwards from row `foot`. */
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

// Candles at half-cell resolution: a thin wick, and a body that is a heavy line, a block, or two columns wide.

/**
 * Positions in half cells from the top of the surface: half 0 is the upper half of row 0. Both ends of each pair are inclusive,
 * and the body lies within the wick.
 */
interface CandleShape {
  readonly high: number;
  readonly bodyTop: number;
  readonly bodyBottom: number;
  readonly low: number;
}

const NOTHING = 0;
const WICK = 1;
const BODY = 2;

export type CandleBody = "line" | "block" | "wide";

/** Glyphs left of the wick's column, in it and right of it; 0 draws nothing. */
type Cells = readonly [left: number, middle: number, right: number];

const cellsOf = (text: string): Cells => {
  const [left = 0, middle = 0, right = 0] = Array.from(text, (each) =>
    each === " " ? 0 : each.charCodeAt(0),
  );
  return [left, middle, right];
};

/**
 * Indexed by the content of the upper half of a cell, then of the lower half. A block cell cannot show both wick and body: it
 * shows the body.
 */
const CELLS: Readonly<Record<CandleBody, readonly (readonly Cells[])[]>> = {
  line: [
    ["   ", " ╷ ", " ╻ "].map(cellsOf),
    [" ╵ ", " │ ", " ╽ "].map(cellsOf),
    [" ╹ ", " ╿ ", " ┃ "].map(cellsOf),
  ],
  block: [
    ["   ", " ╷ ", " ▄ "].map(cellsOf),
    [" ╵ ", " │ ", " ▄ "].map(cellsOf),
    [" ▀ ", " ▀ ", " █ "].map(cellsOf),
  ],
  wide: [
    ["   ", " ╷ ", "▗▄▖"].map(cellsOf),
    [" ╵ ", " │ ", "▗▄▖"].map(cellsOf),
    ["▝▀▘", "▝▀▘", "▐█▌"].map(cellsOf),
  ],
};

const SPACE = 0x20;

/** A hollow candle has a body of lines, to be distinguishable without colours. */
const HOLLOW: Readonly<Record<CandleBody, Cells>> = {
  line: cellsOf(" ║ "),
  block: cellsOf(" ║ "),
  wide: [0x2595, SPACE, 0x258f],
};

interface CandleStyle {
  readonly style: StyleId;
  readonly isHollow: boolean;
  readonly body: CandleBody;
}

/**
 * Draws the candle with its wick in column x; a wide one also uses the adjacent columns. Rows without any part of it are left
 * unchanged.
 */
export function drawCandle(
  surface: Surface,
  x: number,
  shape: CandleShape,
  { style, isHollow, body }: CandleStyle,
): void {
  const first = Math.max(0, shape.high >> 1);
  const last = Math.min(surface.height - 1, shape.low >> 1);
  for (let row = first; row <= last; row++) {
    const [upper, lower] = [partAt(shape, row * 2), partAt(shape, row * 2 + 1)];
    const cells =
      isHollow && upper === BODY && lower === BODY ? HOLLOW[body] : CELLS[body][upper]?.[lower];
    if (cells === undefined) continue;
    const [left, middle, right] = cells;
    if (middle !== 0) surface.put(x, row, middle, style);
    if (left !== 0) surface.put(x - 1, row, left, style);
    if (right !== 0) surface.put(x + 1, row, right, style);
  }
}

function partAt(shape: CandleShape, half: number): number {
  if (half < shape.high || half > shape.low) return NOTHING;
  return half >= shape.bodyTop && half <= shape.bodyBottom ? BODY : WICK;
}

// One candle with half a cell of resolution: a thin wick, and a body that is a thick line, a block, or two columns wide.
import type { StyleId } from "./style-table.ts";
import type { Surface } from "./surface.ts";

/**
 * Positions in half cells from the top of the surface: half 0 is the upper half of row 0. Each pair includes both ends,
 * and the body lies inside the wick.
 */
export interface CandleShape {
  readonly high: number;
  readonly bodyTop: number;
  readonly bodyBottom: number;
  readonly low: number;
}

const NOTHING = 0;
const WICK = 1;
const BODY = 2;

export type CandleBody = "line" | "block" | "wide";

/** Characters left of the wick's column, in it and right of it; 0 draws nothing. */
type Cells = readonly [left: number, middle: number, right: number];

const cellsOf = (text: string): Cells => {
  const [left = 0, middle = 0, right = 0] = Array.from(text, (each) =>
    each === " " ? 0 : each.charCodeAt(0),
  );
  return [left, middle, right];
};

/** By what the upper half of a cell shows, then by what its lower half shows. A block has no room for wick and body: the body is seen. */
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

/** A hollow candle has a body of lines: it is distinguished without colours. */
const HOLLOW: Readonly<Record<CandleBody, Cells>> = {
  line: cellsOf(" ║ "),
  block: cellsOf(" ║ "),
  wide: [0x2595, SPACE, 0x258f],
};

export interface CandleStyle {
  readonly style: StyleId;
  readonly isHollow: boolean;
  readonly body: CandleBody;
}

/** Draws the candle with its wick in column x, a wide one also in those beside it; rows without a part of it are left alone. */
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

// One candle in one column, drawn with half a cell of resolution: a thin wick and a thick body.
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

/** Character by what its upper half shows, then by what its lower half shows; spaces draw nothing. */
const HALVES = [
  [0x20, 0x2577, 0x257b],
  [0x2575, 0x2502, 0x257d],
  [0x2579, 0x257f, 0x2503],
];

const FULL_BODY = 0x2503;
const HOLLOW_BODY = 0x2551;

/** A hollow candle has a body of two lines: it is told apart without colours. */
export interface CandleStyle {
  readonly style: StyleId;
  readonly isHollow: boolean;
}

/** Draws the candle in column x; rows without a part of it are left alone. */
export function drawCandle(
  surface: Surface,
  x: number,
  shape: CandleShape,
  { style, isHollow }: CandleStyle,
): void {
  const first = Math.max(0, shape.high >> 1);
  const last = Math.min(surface.height - 1, shape.low >> 1);
  for (let row = first; row <= last; row++) {
    const upper = partAt(shape, row * 2);
    const lower = partAt(shape, row * 2 + 1);
    const codePoint = HALVES[upper]?.[lower] ?? 0x20;
    const drawn = isHollow && codePoint === FULL_BODY ? HOLLOW_BODY : codePoint;
    if (drawn !== 0x20) surface.put(x, row, drawn, style);
  }
}

function partAt(shape: CandleShape, half: number): number {
  if (half < shape.high || half > shape.low) return NOTHING;
  return half >= shape.bodyTop && half <= shape.bodyBottom ? BODY : WICK;
}

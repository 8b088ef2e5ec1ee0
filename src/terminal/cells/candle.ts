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

/** How wide bodies are. */
export type CandleBody = "line" | "block" | "wide";

/** Characters from the wick's column on, by what their upper half shows, then by what their lower half shows; spaces draw nothing. */
type Halves = readonly (readonly [nothing: string, wick: string, body: string])[];

/** A cell of a block has no room for wick and body: the body is seen. */
const BLOCK: Halves = [
  [" ", "╷", "▄"],
  ["╵", "│", "▄"],
  ["▀", "▀", "█"],
];
const SHAPES: Readonly<Record<CandleBody, Halves>> = {
  line: [
    [" ", "╷", "╻"],
    ["╵", "│", "╽"],
    ["╹", "╿", "┃"],
  ],
  block: BLOCK,
  wide: BLOCK,
};
/** Half a column on both sides of a wide body, by which of its halves are body. */
const SIDES: Readonly<Record<string, readonly [left: string, right: string]>> = {
  "▄": ["▗", "▖"],
  "▀": ["▝", "▘"],
  "█": ["▐", "▌"],
};

/** A hollow candle has a body of lines: it is told apart without colours. */
const HOLLOW: Readonly<Record<CandleBody, readonly [left: string, middle: string, right: string]>> =
  { line: ["", "║", ""], block: ["", "║", ""], wide: ["▕", " ", "▏"] };

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
    const drawn = SHAPES[body][upper]?.[lower] ?? " ";
    const isHollowHere = isHollow && upper === BODY && lower === BODY;
    const [left = "", right = ""] = body === "wide" ? (SIDES[drawn] ?? []) : [];
    const cells = isHollowHere ? HOLLOW[body] : [left, drawn === " " ? "" : drawn, right];
    for (const [i, cell] of cells.entries()) {
      if (cell !== "") surface.put(x + i - 1, row, cell.charCodeAt(0), style);
    }
  }
}

function partAt(shape: CandleShape, half: number): number {
  if (half < shape.high || half > shape.low) return NOTHING;
  return half >= shape.bodyTop && half <= shape.bodyBottom ? BODY : WICK;
}

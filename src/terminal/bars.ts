// Bars in eighths of a cell, and candles in halves of one: lengths for the eye, never exact values.
import type { StyleId } from "./style.ts";
import type { Surface } from "./surface.ts";

const EIGHTHS = 8;
const FULL_BLOCK = 0x2588;
/** Left blocks count down from an eighth (0x258f) to seven (0x2589). */
const LEFT_BLOCKS = 0x2590;
/** Lower blocks count up from an eighth (0x2581) to seven (0x2587). */
const LOWER_BLOCKS = 0x2580;

/** Eighths that show a part of a whole on so many cells; anything above zero shows one at least. */
export function eighthsOf(part: number, whole: number, cells: number): number {
  if (!(part > 0) || !(whole > 0)) return 0;
  const most = cells * EIGHTHS;
  return Math.max(1, Math.min(most, Math.round((part / whole) * most)));
}

/** A bar in a row, growing to the right. */
export function barText(eighths: number): string {
  const rest = eighths % EIGHTHS;
  const end = rest === 0 ? "" : String.fromCharCode(LEFT_BLOCKS - rest);
  return String.fromCharCode(FULL_BLOCK).repeat(Math.floor(eighths / EIGHTHS)) + end;
}

/** A bar in a column, growing upwards from row `foot`. */
export function drawColumn(
  surface: Surface,
  x: number,
  foot: number,
  eighths: number,
  style: StyleId,
): void {
  const cells = Math.floor(eighths / EIGHTHS);
  const rest = eighths % EIGHTHS;
  surface.fill(x, foot - cells + 1, 1, cells, style, FULL_BLOCK);
  if (rest > 0) surface.put(x, foot - cells, LOWER_BLOCKS + rest, style);
}

/** A row of values as lower blocks, each of the highest; a space where there is none. */
export function sparkText(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return values
    .map((value) => {
      if (value === undefined) return " ";
      const step = high > low ? Math.round(((value - low) / (high - low)) * (EIGHTHS - 1)) : 3;
      return String.fromCharCode(LOWER_BLOCKS + 1 + step);
    })
    .join("");
}

/** In half cells from the top of the surface, ends included; the body lies within the wick. */
export interface CandleShape {
  readonly high: number;
  readonly bodyTop: number;
  readonly bodyBottom: number;
  readonly low: number;
}

/** By what is in the upper half of a cell, then in the lower one: nothing, wick, body. */
const NARROW = [" ╷╻", "╵│╽", "╹╿┃"];
const BLOCK = [" ╷▄", "╵│▄", "▀▀█"];
const HOLLOW = 0x2551;

/**
 * A candle in one column. Rows without any part of it stay as they are.
 * @param isHollow its body is of double lines, to be told apart without colours
 */
export function drawCandle(
  surface: Surface,
  x: number,
  shape: CandleShape,
  look: { readonly style: StyleId; readonly isHollow: boolean; readonly isBlock: boolean },
): void {
  const glyphs = look.isBlock ? BLOCK : NARROW;
  const last = Math.min(surface.height - 1, shape.low >> 1);
  for (let row = Math.max(0, shape.high >> 1); row <= last; row++) {
    const [upper, lower] = [partAt(shape, row * 2), partAt(shape, row * 2 + 1)];
    const isBody = upper === 2 && lower === 2;
    const glyph = look.isHollow && isBody ? HOLLOW : (glyphs[upper]?.charCodeAt(lower) ?? 0x20);
    if (glyph !== 0x20) surface.put(x, row, glyph, look.style);
  }
}

function partAt(shape: CandleShape, half: number): 0 | 1 | 2 {
  if (half < shape.high || half > shape.low) return 0;
  return half >= shape.bodyTop && half <= shape.bodyBottom ? 2 : 1;
}

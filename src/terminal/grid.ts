// The screen as cells: what should be shown (back) and what the terminal shows (front). A cell is its style in the upper 11 bits
// and its code point in the lower 21; the second cell of a wide character has code point 0.
import type { StyleId } from "./style.ts";
import { widthOf } from "./width.ts";

export const STYLE_SHIFT = 21;
export const CODE_POINT = 0x1fffff;
export const SPACE = 0x20;
/** Equals no drawn cell: what the terminal shows there is not known. */
const UNKNOWN = 0xffffffff;

export class Grid {
  width = 0;
  height = 0;
  back = new Uint32Array(0);
  front = new Uint32Array(0);
  /** Where the user types, for the terminal's cursor and input methods. */
  cursor: { readonly x: number; readonly y: number } | undefined;
  /** Of the back buffer, since it was cleared. */
  hasWide = false;
  /** The terminal is erased before the next frame. */
  mustErase = true;

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.back = new Uint32Array(width * height).fill(SPACE);
    this.forget();
  }

  /** Nothing is known about the terminal any more: the next frame draws everything. */
  forget(): void {
    this.front = new Uint32Array(this.width * this.height).fill(UNKNOWN);
    this.mustErase = true;
  }

  clear(): void {
    this.back.fill(SPACE);
    this.hasWide = false;
    this.cursor = undefined;
  }

  /** Draws a code point that `cellsOf` gave. The caller has clipped; a wide one takes x + 1, too. */
  put(x: number, y: number, codePoint: number, style: StyleId): void {
    const width = widthOf(codePoint);
    const at = y * this.width + x;
    this.split(x, y);
    this.split(x + width, y);
    this.back[at] = ((style << STYLE_SHIFT) | codePoint) >>> 0;
    if (width === 1) return;
    this.back[at + 1] = (style << STYLE_SHIFT) >>> 0;
    this.hasWide = true;
  }

  /** Something is drawn up to here or from here on: half a wide character cannot stay, so both halves become spaces. */
  split(x: number, y: number): void {
    if (x <= 0 || x >= this.width) return;
    const at = y * this.width + x;
    const cell = this.back[at] ?? SPACE;
    if ((cell & CODE_POINT) !== 0) return;
    this.back[at] = cell | SPACE;
    this.back[at - 1] = (((this.back[at - 1] ?? SPACE) & ~CODE_POINT) | SPACE) >>> 0;
  }
}

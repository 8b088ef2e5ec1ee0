// The screen as cells: what should be shown (back) and what was last sent to the terminal (front). A cell has its style id in the
// upper 11 bits and its code point in the lower 21. A wide character has a second cell with code point 0.
import type { StyleId } from "./style-table.ts";
import {
  getWidthClass,
  HIDDEN,
  isPlainUnit,
  MARK,
  NARROW,
  REPLACEMENT,
  WIDE,
} from "./text-cells.ts";

/** Number of bits for the code point; the style id is above them. */
export const STYLE_SHIFT = 21;
export const CODE_POINT_MASK = 0x1fffff;
/** Code point of the second cell of a wide character. */
export const CONTINUATION = 0;
export const SPACE = 0x20;
/** A cell whose content on the terminal is unknown; no drawn cell equals it. */
export const UNKNOWN = 0xffffffff;

/** Does not validate the code point. */
export function encodeCell(codePoint: number, style: StyleId): number {
  return ((style << STYLE_SHIFT) | codePoint) >>> 0;
}

export interface CellPosition {
  readonly x: number;
  readonly y: number;
}

/**
 * Two buffers of cells, in row order. Positions are not checked here: surfaces clip. Both halves of a wide character are always
 * present, or neither.
 */
export class Grid {
  width = 0;
  height = 0;
  /** What should be shown. Written by the methods below, read by the encoder. */
  back = new Uint32Array(0);
  /** What the terminal shows, as far as is known. Written by the encoder only. */
  front = new Uint32Array(0);
  /** Where the user types: the terminal's cursor is placed there, for input methods. Undefined if nothing is being typed. */
  cursor: CellPosition | undefined;
  /** The content of the terminal is unknown: the next frame must erase it first. */
  mustErase = false;

  constructor(width: number, height: number) {
    this.#allocate(width, height);
  }

  /** Everything becomes blank, and the next frame redraws everything. */
  resize(width: number, height: number): void {
    this.#allocate(width, height);
    this.mustErase = true;
  }

  clear(): void {
    this.back.fill(SPACE);
  }

  /** Draws one character; a wide one occupies (x, y) and (x + 1, y), which must both be inside. */
  put(x: number, y: number, codePoint: number, style: StyleId): void {
    const kind = getWidthClass(codePoint);
    if (kind === MARK) return;
    const width = kind === WIDE ? 2 : 1;
    this.#splitEdges(x, x + width, y);
    const at = y * this.width + x;
    this.back[at] = encodeCell(kind === HIDDEN ? REPLACEMENT : codePoint, style);
    if (width === 2) this.back[at + 1] = encodeCell(CONTINUATION, style);
  }

  /**
   * Draws text from x on if every UTF-16 unit is a narrow cell of its own (see `isPlainUnit`).
   * @returns false if one is not; then the text is only partly drawn
   */
  putPlain(x: number, y: number, text: string, style: StyleId): boolean {
    const { length } = text;
    if (length === 0) return true;
    this.#splitAt(x, y);
    const { back } = this;
    const bits = style << STYLE_SHIFT;
    let at = y * this.width + x;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (!isPlainUnit(unit)) return false;
      back[at++] = (bits | unit) >>> 0;
    }
    // The first half of a wide character that extends past the text was overwritten.
    const next = back[at] ?? SPACE;
    if (x + length < this.width && (next & CODE_POINT_MASK) === CONTINUATION)
      back[at] = next | SPACE;
    return true;
  }

  /**
   * Copies cells `from` (inclusive) to `to` (exclusive) of narrow characters to x onwards; a cell of 0 leaves the grid unchanged.
   */
  putCells(x: number, y: number, cells: Uint32Array, from: number, to: number): void {
    if (to <= from) return;
    this.#splitEdges(x, x + to - from, y);
    const { back } = this;
    let at = y * this.width + x;
    for (let index = from; index < to; index++, at++) {
      const cell = cells[index] as number;
      if (cell !== 0) back[at] = cell;
    }
  }

  /** Fills columns `left` (inclusive) to `right` (exclusive) of a row with one narrow character. */
  fillRow(left: number, right: number, y: number, codePoint: number, style: StyleId): void {
    if (right <= left) return;
    this.#splitEdges(left, right, y);
    const isNarrow = getWidthClass(codePoint) === NARROW;
    const row = y * this.width;
    this.back.fill(encodeCell(isNarrow ? codePoint : REPLACEMENT, style), row + left, row + right);
  }

  /** Maps the style of columns `left` (inclusive) to `right` (exclusive) of a row; the text stays. */
  restyle(left: number, right: number, y: number, styleOf: (style: StyleId) => StyleId): void {
    const row = y * this.width;
    for (let at = row + left; at < row + right; at++) {
      const cell = this.back[at] ?? SPACE;
      this.back[at] = encodeCell(cell & CODE_POINT_MASK, styleOf(cell >>> STYLE_SHIFT));
    }
  }

  #allocate(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.back = new Uint32Array(width * height).fill(SPACE);
    this.front = new Uint32Array(width * height).fill(UNKNOWN);
  }

  // If half of a wide character is overwritten, the other half becomes a space.
  #splitEdges(left: number, right: number, y: number): void {
    this.#splitAt(left, y);
    if (right < this.width) this.#splitAt(right, y);
  }

  #splitAt(x: number, y: number): void {
    const at = y * this.width + x;
    const cell = this.back[at] ?? SPACE;
    if ((cell & CODE_POINT_MASK) !== CONTINUATION) return;
    this.back[at] = cell | SPACE;
    if (x > 0) this.back[at - 1] = encodeCell(SPACE, (this.back[at - 1] ?? SPACE) >>> STYLE_SHIFT);
  }
}

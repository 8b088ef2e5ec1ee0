// What a pane draws on: a rectangle of a grid. Anything outside the rectangle or its clip is cut off.
import { type CellPosition, CODE_POINT_MASK, CONTINUATION, type Grid, SPACE } from "./grid.ts";
import { DEFAULT_STYLE, type StyleId, type StyleTable } from "./style-table.ts";
import { CellReader, getWidth, isPlain, textWidth } from "./text-cells.ts";

/** Cells from `left`, `top` (inclusive) to `right`, `bottom` (exclusive), relative to the corner of the grid. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The common cells; empty (right not above left, or bottom not above top) if there are none. */
export function intersect(a: Rectangle, b: Rectangle): Rectangle {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export function overlaps(a: Rectangle, b: Rectangle): boolean {
  return (
    Math.max(a.left, b.left) < Math.min(a.right, b.right) &&
    Math.max(a.top, b.top) < Math.min(a.bottom, b.bottom)
  );
}

/**
 * Columns and rows count from 0 at the upper left corner of the surface, to the right and down. Positions may be any number:
 * fractions are truncated, and what falls outside is not drawn.
 */
export class Surface {
  /** Size of the whole rectangle, even if part of it is clipped. */
  width = 0;
  height = 0;
  /** Where the user types, in grid coordinates; reset by `clear`. */
  cursor: CellPosition | undefined;
  readonly #grid: Grid;
  readonly #styles: StyleTable;
  readonly #reader = new CellReader();
  #left = 0;
  #top = 0;
  #clipLeft = 0;
  #clipTop = 0;
  #clipRight = 0;
  #clipBottom = 0;

  constructor(grid: Grid, styles: StyleTable) {
    this.#grid = grid;
    this.#styles = styles;
  }

  /** Moves the surface to this rectangle of the grid, of which only `clip` is visible. */
  place(rectangle: Rectangle, clip: Rectangle = rectangle): void {
    this.#left = rectangle.left;
    this.#top = rectangle.top;
    this.width = Math.max(0, rectangle.right - rectangle.left);
    this.height = Math.max(0, rectangle.bottom - rectangle.top);
    this.#clipLeft = Math.max(0, rectangle.left, clip.left);
    this.#clipTop = Math.max(0, rectangle.top, clip.top);
    this.#clipRight = Math.min(this.#grid.width, rectangle.right, clip.right);
    this.#clipBottom = Math.min(this.#grid.height, rectangle.bottom, clip.bottom);
  }

  /**
   * Draws a line of text from (x, y) to the right. Control and invisible characters are shown as replacement characters.
   * @returns the columns that the whole text takes, even if clipped
   */
  text(x: number, y: number, text: string, style: StyleId = DEFAULT_STYLE): number {
    const column = this.#left + Math.trunc(x);
    const row = this.#top + Math.trunc(y);
    if (!this.#hasRow(row)) return textWidth(text);
    const from = Math.max(0, this.#clipLeft - column);
    const to = Math.min(text.length, this.#clipRight - column);
    const isWhole = from === 0 && to === text.length;
    // The clipped part counts towards the width, so first check whether it is plain.
    if (!isWhole && !isPlain(text)) return this.#slowText(column, row, text, style);
    const shown = isWhole ? text : text.slice(from, Math.max(from, to));
    const isDrawn = this.#grid.putPlain(column + from, row, shown, style);
    return isDrawn ? text.length : this.#slowText(column, row, text, style);
  }

  /** Draws a line of text that ends just before column `right`. @returns the columns that it takes */
  textRight(right: number, y: number, text: string, style: StyleId = DEFAULT_STYLE): number {
    const width = isPlain(text) ? text.length : textWidth(text);
    return this.text(Math.trunc(right) - width, y, text, style);
  }

  /** Draws one character; half of a wide one at an edge becomes a space. */
  put(x: number, y: number, codePoint: number, style: StyleId = DEFAULT_STYLE): void {
    const column = this.#left + Math.trunc(x);
    const row = this.#top + Math.trunc(y);
    if (this.#hasRow(row)) this.#putClipped(column, row, codePoint, getWidth(codePoint), style);
  }

  /** Fills a rectangle with one narrow character, by default spaces. */
  fill(
    x: number,
    y: number,
    width: number,
    height: number,
    style: StyleId = DEFAULT_STYLE,
    codePoint = SPACE,
  ): void {
    const { left, top, right, bottom } = this.#clip(x, y, width, height);
    for (let row = top; row < bottom; row++) {
      this.#grid.fillRow(left, right, row, codePoint, style);
    }
  }

  /** Draws a row of cells made by `encodeCell`, of narrow characters only; a cell of 0 leaves the grid unchanged. */
  cells(x: number, y: number, cells: Uint32Array): void {
    const column = this.#left + Math.trunc(x);
    const row = this.#top + Math.trunc(y);
    if (!this.#hasRow(row)) return;
    const from = Math.max(0, this.#clipLeft - column);
    const to = Math.min(cells.length, this.#clipRight - column);
    this.#grid.putCells(column + from, row, cells, from, to);
  }

  /** The style that `tint` turns this style into. */
  tinted(style: StyleId, tint: StyleId): StyleId {
    return this.#styles.tinted(style, tint);
  }

  /** Puts the background of a style behind what is already drawn. */
  tint(x: number, y: number, width: number, height: number, tint: StyleId): void {
    const { left, top, right, bottom } = this.#clip(x, y, width, height);
    const styleOf = (style: StyleId) => this.#styles.tinted(style, tint);
    for (let row = top; row < bottom; row++) this.#grid.restyle(left, right, row, styleOf);
  }

  clear(style: StyleId = DEFAULT_STYLE): void {
    this.cursor = undefined;
    this.fill(0, 0, this.width, this.height, style);
  }

  /** The text drawn in `width` cells from (x, y) to the right; half of a wide character at an edge is a space. */
  textAt(x: number, y: number, width: number): string {
    const { left, top, right, bottom } = this.#clip(x, y, width, 1);
    if (bottom <= top || right <= left) return "";
    const start = top * this.#grid.width;
    const codes = [...this.#grid.back.subarray(start + left, start + right)].map(
      (cell) => cell & CODE_POINT_MASK,
    );
    if (codes[0] === CONTINUATION) codes[0] = SPACE;
    const last = codes.length - 1;
    if (getWidth(codes[last] ?? SPACE) > 1) codes[last] = SPACE;
    return String.fromCodePoint(...codes.filter((code) => code !== CONTINUATION));
  }

  /** The user types here: if visible, the terminal's cursor is placed there. */
  placeCursor(x: number, y: number): void {
    const [column, row] = [this.#left + Math.trunc(x), this.#top + Math.trunc(y)];
    const isSeen = column >= this.#clipLeft && column < this.#clipRight && this.#hasRow(row);
    this.cursor = isSeen ? { x: column, y: row } : undefined;
  }

  #clip(x: number, y: number, width: number, height: number): Rectangle {
    const left = this.#left + Math.trunc(x);
    const top = this.#top + Math.trunc(y);
    return {
      left: Math.max(this.#clipLeft, left),
      top: Math.max(this.#clipTop, top),
      right: Math.min(this.#clipRight, left + Math.trunc(width)),
      bottom: Math.min(this.#clipBottom, top + Math.trunc(height)),
    };
  }

  #hasRow(row: number): boolean {
    return row >= this.#clipTop && row < this.#clipBottom;
  }

  #slowText(column: number, row: number, text: string, style: StyleId): number {
    const isSeen = this.#hasRow(row);
    const reader = this.#reader.start(text);
    let at = column;
    while (reader.next()) {
      if (isSeen) this.#putClipped(at, row, reader.codePoint, reader.width, style);
      at += reader.width;
    }
    return at - column;
  }

  #putClipped(column: number, row: number, codePoint: number, width: number, style: StyleId): void {
    if (column >= this.#clipRight || column + width <= this.#clipLeft) return;
    if (column >= this.#clipLeft && column + width <= this.#clipRight) {
      this.#grid.put(column, row, codePoint, style);
    } else {
      this.#grid.put(Math.max(column, this.#clipLeft), row, SPACE, style);
    }
  }
}

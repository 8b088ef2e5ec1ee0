// What a pane draws on: a rectangle of the grid with its own origin. What falls outside is cut off.
import { CODE_POINT, type Grid, SPACE, STYLE_SHIFT } from "./grid.ts";
import type { Color, StyleId, StyleTable } from "./style.ts";
import { cellsOf, isPlainUnit, textWidth, widthOf } from "./width.ts";

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Surface {
  readonly width: number;
  readonly height: number;
  private readonly grid: Grid;
  private readonly styles: StyleTable;
  private readonly left: number;
  private readonly top: number;
  private readonly right: number;
  private readonly bottom: number;

  constructor(grid: Grid, styles: StyleTable, { x, y, width, height }: Rectangle) {
    this.grid = grid;
    this.styles = styles;
    this.width = width;
    this.height = height;
    this.left = x;
    this.top = y;
    this.right = Math.min(grid.width, x + width);
    this.bottom = Math.min(grid.height, y + height);
  }

  /** A part of it, such as the inside of a frame. */
  part(x: number, y: number, width: number, height: number): Surface {
    return new Surface(this.grid, this.styles, {
      x: this.left + x,
      y: this.top + y,
      width: Math.max(0, Math.min(width, this.width - x)),
      height: Math.max(0, Math.min(height, this.height - y)),
    });
  }

  /** What the terminal shows there stays. */
  keep(): void {
    const { back, front, width } = this.grid;
    for (let start = this.top * width; start < this.bottom * width; start += width)
      back.set(front.subarray(start + this.left, start + this.right), start + this.left);
  }

  /** Draws one line. @returns the columns that it takes, even where it is cut off */
  text(x: number, y: number, text: string, style: StyleId = 0): number {
    const row = this.#row(y);
    if (row === undefined) return textWidth(text);
    let column = this.left + x;
    for (let i = 0; i < text.length; i++, column++) {
      const unit = text.charCodeAt(i);
      if (!isPlainUnit(unit))
        return column - this.left - x + this.#cells(column, row, text.slice(i), style);
      this.#putPlain(column, row, unit, style);
    }
    return text.length;
  }

  /** Draws text that ends before column `right`. */
  textRight(right: number, y: number, text: string, style: StyleId = 0): void {
    this.text(right - textWidth(text), y, text, style);
  }

  /** One plain character, as in charts. */
  put(x: number, y: number, codePoint: number, style: StyleId = 0): void {
    const row = this.#row(y);
    if (row !== undefined) this.#putPlain(this.left + x, row, codePoint, style);
  }

  fill(
    x: number,
    y: number,
    width: number,
    height: number,
    style: StyleId = 0,
    codePoint = SPACE,
  ): void {
    const left = Math.max(this.left, this.left + x);
    const right = Math.min(this.right, this.left + x + width);
    const bottom = Math.min(this.bottom, this.top + y + height);
    if (right <= left) return;
    for (let row = Math.max(this.top, this.top + y); row < bottom; row++) {
      this.grid.split(left, row);
      this.grid.split(right, row);
      const start = row * this.grid.width;
      this.grid.back.fill(((style << STYLE_SHIFT) | codePoint) >>> 0, start + left, start + right);
    }
  }

  /** Puts a background behind what is drawn: a selected row, the bar of a size. */
  shade(x: number, y: number, width: number, background: Color): void {
    this.restyle(x, y, width, (style) => this.styles.on(style, background));
  }

  /** Changes the style of what is drawn. */
  restyle(x: number, y: number, width: number, styleOf: (style: StyleId) => StyleId): void {
    const row = this.#row(y);
    if (row === undefined) return;
    const { back } = this.grid;
    const start = row * this.grid.width;
    const end = start + Math.min(this.right, this.left + x + width);
    for (let at = start + Math.max(this.left, this.left + x); at < end; at++) {
      const cell = back[at] ?? SPACE;
      back[at] = ((styleOf(cell >>> STYLE_SHIFT) << STYLE_SHIFT) | (cell & CODE_POINT)) >>> 0;
    }
  }

  /** The user types here. */
  caret(x: number, y: number): void {
    this.grid.cursor = { x: Math.min(this.right - 1, this.left + x), y: this.top + y };
  }

  #row(y: number): number | undefined {
    const row = this.top + y;
    return row >= this.top && row < this.bottom ? row : undefined;
  }

  #cells(from: number, row: number, text: string, style: StyleId): number {
    let column = from;
    for (const codePoint of cellsOf(text)) {
      const width = widthOf(codePoint);
      if (column >= this.left && column + width <= this.right)
        this.grid.put(column, row, codePoint, style);
      column += width;
    }
    return column - from;
  }

  /** Without wide characters in the grid no plain one needs its care. */
  #putPlain(column: number, row: number, unit: number, style: StyleId): void {
    if (column < this.left || column >= this.right) return;
    const { back, width, hasWide } = this.grid;
    if (hasWide) this.grid.put(column, row, unit, style);
    else back[row * width + column] = ((style << STYLE_SHIFT) | unit) >>> 0;
  }
}

// Turns the difference between the two buffers of a grid into the bytes of one frame: the only maker of terminal bytes
// from cells, and so the last door that no control character passes.
import { toAscii } from "./ascii.ts";
import {
  type CellPosition,
  CODE_POINT_MASK,
  CONTINUATION,
  type Grid,
  SPACE,
  STYLE_SHIFT,
  UNKNOWN,
} from "./grid.ts";
import { DEFAULT_STYLE, type StyleId, type StyleTable } from "./style-table.ts";
import {
  getWidthClass,
  isPlainUnit,
  isUnsettled,
  NARROW,
  REPLACEMENT,
  WIDE,
} from "./text-cells.ts";

const BEGIN_FRAME = Buffer.from("\x1b[?2026h");
const END_FRAME = Buffer.from("\x1b[?2026l");
const ERASE_ALL = Buffer.from("\x1b[m\x1b[2J");
const ERASE_BELOW = Buffer.from("\x1b[m\r\x1b[J");
const SAVE_POSITION = Buffer.from("\x1b7");
const HIDE_CURSOR = Buffer.from("\x1b[?25l");
const SHOW_CURSOR = Buffer.from("\x1b[?25h");
const RESET_STYLE = Buffer.from("\x1b[m");

/** Two moves, the longest style sequence, two blanks and four bytes of UTF-8 stay below this. */
const MAX_BYTES_PER_CELL = 128;
/** Writing so many unchanged cells again is never longer than a move past them. */
const MAX_REWRITE = 4;

const FIRST_NO_ASCII = 0x7f;
const ESC = 0x1b;
const BRACKET = 0x5b;
const SEMICOLON = 0x3b;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const UP = 0x41;
const DOWN = 0x42;
const FORWARD = 0x43;

export interface EncoderOptions {
  /** Writes a likeness of every character that is not ASCII. Default false. */
  readonly isAscii?: boolean | undefined;
  /**
   * Draws from where the cursor is, which is the first cell of the grid before and after each frame, and never names a
   * position on the screen: it is not known where on it the lines are. Requires a terminal that does not wrap. Default false.
   */
  readonly isInline?: boolean | undefined;
}

/**
 * Keeps one buffer and reuses it: the bytes of a frame are good until the next one is encoded.
 * Requires a hidden cursor, and shows it where the grid has one, but for inline lines. Assumes the default style at the start of a frame and leaves it at the end.
 */
export class FrameEncoder {
  readonly #styles: StyleTable;
  readonly #isAscii: boolean;
  readonly #isInline: boolean;
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  /** Where the terminal's cursor is; -1 when it is not known. */
  #column = -1;
  #row = -1;
  #style: StyleId = DEFAULT_STYLE;
  /** Where the cursor is shown; undefined while it is hidden. */
  #cursor: CellPosition | undefined;

  constructor(styles: StyleTable, { isAscii = false, isInline = false }: EncoderOptions = {}) {
    this.#styles = styles;
    this.#isAscii = isAscii;
    this.#isInline = isInline;
  }

  /**
   * The bytes that make the terminal show the back buffer, inside one synchronised update; empty when it shows it
   * already. Takes them as sent: the front buffer is the back buffer afterwards.
   */
  encode(grid: Grid): Uint8Array {
    this.#length = 0;
    this.#column = this.#isInline ? 0 : -1;
    this.#row = this.#isInline ? 0 : -1;
    this.#append(BEGIN_FRAME);
    const isMoved = this.#hideCursor(grid);
    if (grid.mustErase) this.#erase(grid);
    // A frame begins in the terminal's own style, which is not the default one where a theme replaces it.
    if (this.#styles.hasBase) this.#append(this.#baseStyle());
    const start = this.#length;
    for (let y = 0; y < grid.height; y++) this.#encodeRow(grid, y);
    if (this.#length === start && !grid.mustErase && !isMoved) return this.#bytes.subarray(0, 0);
    grid.mustErase = false;
    if (this.#style !== DEFAULT_STYLE || this.#styles.hasBase) this.#append(RESET_STYLE);
    this.#style = DEFAULT_STYLE;
    if (this.#isInline) this.#appendStep(0, 0);
    else this.#showCursor(grid);
    this.#append(END_FRAME);
    return this.#bytes.subarray(0, this.#length);
  }

  /** @returns whether it is to be elsewhere, or no longer shown */
  #hideCursor({ cursor }: Grid): boolean {
    if (this.#isInline) return false;
    if (this.#cursor !== undefined) this.#append(HIDE_CURSOR);
    return cursor?.x !== this.#cursor?.x || cursor?.y !== this.#cursor?.y;
  }

  #showCursor({ cursor }: Grid): void {
    this.#cursor = cursor;
    if (cursor === undefined) return;
    this.#appendPosition(cursor.x, cursor.y);
    this.#append(SHOW_CURSOR);
  }

  // Not every terminal erases with the colour in force: where blank cells have one, they are all drawn.
  #erase(grid: Grid): void {
    if (this.#isInline) this.#makeRoom(grid.height);
    else this.#append(ERASE_ALL);
    grid.front.fill(this.#styles.hasBase ? UNKNOWN : SPACE);
  }

  // What is above is scrolled up where there is not enough room below. Where the lines begin is kept for the end.
  #makeRoom(rows: number): void {
    this.#reserve(rows + MAX_BYTES_PER_CELL);
    this.#append(ERASE_BELOW);
    for (let row = 1; row < rows; row++) this.#bytes[this.#length++] = LINE_FEED;
    this.#row = Math.max(0, rows - 1);
    this.#appendStep(0, 0);
    this.#append(SAVE_POSITION);
    this.#column = 0;
  }

  #baseStyle(): Uint8Array {
    return Buffer.from(this.#styles.sequence(DEFAULT_STYLE), "latin1");
  }

  #encodeRow(grid: Grid, y: number): void {
    const { back, front, width } = grid;
    const row = y * width;
    const end = row + width;
    let at = row;
    while (at < end && back[at] === front[at]) at++;
    if (at === end) return;
    this.#reserve(width * MAX_BYTES_PER_CELL);
    for (; at < end; at++) {
      const cell = back[at] ?? SPACE;
      if (cell === front[at]) continue;
      front[at] = cell;
      // The second half of a wide character was drawn with its first.
      if ((cell & CODE_POINT_MASK) === CONTINUATION) continue;
      const x = at - row;
      if (this.#drawNext(cell, x, y, width)) continue;
      this.#moveTo(grid, x, y);
      this.#drawCell(cell, x, y, width);
    }
  }

  /** Most cells are the next letter in the same style. @returns false for any other */
  #drawNext(cell: number, x: number, y: number, gridWidth: number): boolean {
    if (this.#column !== x || this.#row !== y || cell >>> STYLE_SHIFT !== this.#style) return false;
    const codePoint = cell & CODE_POINT_MASK;
    if (codePoint < SPACE || codePoint >= FIRST_NO_ASCII) return false;
    this.#bytes[this.#length++] = codePoint;
    this.#column = x + 1 < gridWidth ? x + 1 : -1;
    return true;
  }

  #drawCell(cell: number, x: number, y: number, gridWidth: number): void {
    const codePoint = cell & CODE_POINT_MASK;
    this.#setStyle(cell >>> STYLE_SHIFT);
    if (isPlainUnit(codePoint) && !(this.#isAscii && codePoint >= FIRST_NO_ASCII)) {
      this.#appendCodePoint(codePoint);
      this.#column = x + 1;
    } else if (this.#isAscii) this.#drawLikeness(codePoint, x);
    else this.#drawOther(codePoint, x, y);
    // At the margin some terminals wait with the line break and some do not: the position is not known.
    if (this.#column >= gridWidth) this.#column = -1;
  }

  #drawLikeness(codePoint: number, x: number): void {
    const isWide = getWidthClass(codePoint) === WIDE;
    this.#bytes[this.#length++] = toAscii(codePoint);
    if (isWide) this.#bytes[this.#length++] = SPACE;
    this.#column = x + (isWide ? 2 : 1);
  }

  // Where terminals differ about the width, both columns are blanked first and the cursor is placed anew afterwards.
  #drawOther(codePoint: number, x: number, y: number): void {
    const kind = getWidthClass(codePoint);
    const isDrawable = kind === NARROW || kind === WIDE;
    const isUnsettledWidth = isDrawable && isUnsettled(codePoint);
    if (isUnsettledWidth && kind === WIDE) {
      this.#bytes[this.#length++] = SPACE;
      this.#bytes[this.#length++] = SPACE;
      this.#appendPosition(x, y);
    }
    this.#appendCodePoint(isDrawable ? codePoint : REPLACEMENT);
    this.#column = isUnsettledWidth ? -1 : x + (kind === WIDE ? 2 : 1);
  }

  #moveTo(grid: Grid, x: number, y: number): void {
    if (this.#row === y && this.#column === x) return;
    const gap = x - this.#column;
    if (this.#row === y && this.#column >= 0 && gap > 0) {
      if (gap > MAX_REWRITE || !this.#rewrite(grid, this.#column, x, y))
        this.#appendMove(gap, FORWARD);
    } else if (this.#row === y - 1 && this.#column >= 0) {
      this.#bytes[this.#length++] = CARRIAGE_RETURN;
      this.#bytes[this.#length++] = LINE_FEED;
      if (x > 0) this.#appendMove(x, FORWARD);
    } else {
      this.#appendPosition(x, y);
    }
    this.#row = y;
    this.#column = x;
  }

  // Unchanged cells between two changed ones are written again where that is shorter than a move.
  #rewrite(grid: Grid, from: number, to: number, y: number): boolean {
    const row = y * grid.width;
    for (let x = from; x < to; x++) {
      const cell = grid.back[row + x] ?? SPACE;
      const codePoint = cell & CODE_POINT_MASK;
      const isAscii = codePoint >= SPACE && codePoint < 0x7f;
      if (!isAscii || cell >>> STYLE_SHIFT !== this.#style) return false;
    }
    for (let x = from; x < to; x++) {
      this.#bytes[this.#length++] = (grid.back[row + x] ?? SPACE) & CODE_POINT_MASK;
    }
    return true;
  }

  #setStyle(style: StyleId): void {
    if (style === this.#style) return;
    this.#append(this.#styles.transition(this.#style, style));
    this.#style = style;
  }

  #appendPosition(x: number, y: number): void {
    if (this.#isInline) {
      this.#appendStep(x, y);
      return;
    }
    this.#bytes[this.#length++] = ESC;
    this.#bytes[this.#length++] = BRACKET;
    this.#appendNumber(y + 1);
    if (x > 0) {
      this.#bytes[this.#length++] = SEMICOLON;
      this.#appendNumber(x + 1);
    }
    this.#bytes[this.#length++] = 0x48;
  }

  /** To a cell from the row in which the cursor is, wherever that is on the screen. */
  #appendStep(x: number, y: number): void {
    this.#bytes[this.#length++] = CARRIAGE_RETURN;
    if (y < this.#row) this.#appendMove(this.#row - y, UP);
    else if (y > this.#row) this.#appendMove(y - this.#row, DOWN);
    if (x > 0) this.#appendMove(x, FORWARD);
    this.#row = y;
  }

  #appendMove(cells: number, direction: number): void {
    this.#bytes[this.#length++] = ESC;
    this.#bytes[this.#length++] = BRACKET;
    if (cells > 1) this.#appendNumber(cells);
    this.#bytes[this.#length++] = direction;
  }

  /** @param value 1 to 9999 */
  #appendNumber(value: number): void {
    if (value >= 1000) this.#bytes[this.#length++] = 0x30 + Math.floor(value / 1000);
    if (value >= 100) this.#bytes[this.#length++] = 0x30 + (Math.floor(value / 100) % 10);
    if (value >= 10) this.#bytes[this.#length++] = 0x30 + (Math.floor(value / 10) % 10);
    this.#bytes[this.#length++] = 0x30 + (value % 10);
  }

  /** @param codePoint one that may be written: no control, no half of a pair */
  #appendCodePoint(codePoint: number): void {
    if (codePoint < 0x80) {
      this.#bytes[this.#length++] = codePoint;
      return;
    }
    if (codePoint < 0x800) {
      this.#bytes[this.#length++] = 0xc0 | (codePoint >> 6);
    } else {
      this.#appendLeadOfLong(codePoint);
      this.#bytes[this.#length++] = 0x80 | ((codePoint >> 6) & 63);
    }
    this.#bytes[this.#length++] = 0x80 | (codePoint & 63);
  }

  #appendLeadOfLong(codePoint: number): void {
    if (codePoint < 0x10000) {
      this.#bytes[this.#length++] = 0xe0 | (codePoint >> 12);
      return;
    }
    this.#bytes[this.#length++] = 0xf0 | (codePoint >> 18);
    this.#bytes[this.#length++] = 0x80 | ((codePoint >> 12) & 63);
  }

  #append(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) {
      this.#bytes[this.#length++] = bytes[index] ?? SPACE;
    }
  }

  #reserve(count: number): void {
    const needed = this.#length + count + END_FRAME.length + RESET_STYLE.length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

// Encodes the difference between the two buffers of a grid as the bytes of one frame. The only code that turns cells into
// terminal bytes, so the last barrier against control characters.
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
const HIDE_CURSOR = Buffer.from("\x1b[?25l");
const SHOW_CURSOR = Buffer.from("\x1b[?25h");
const RESET_STYLE = Buffer.from("\x1b[m");

/** Upper bound for two moves, the longest style sequence, two spaces and four bytes of UTF-8. */
const MAX_BYTES_PER_CELL = 128;
/** Rewriting this many unchanged cells is never longer than a cursor move past them. */
const MAX_REWRITE = 4;

const FIRST_NO_ASCII = 0x7f;
const ESC = 0x1b;
const BRACKET = 0x5b;
const SEMICOLON = 0x3b;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const FORWARD = 0x43;

export interface EncoderOptions {
  /** Substitutes an ASCII lookalike for every non-ASCII character. Default false. */
  readonly isAscii?: boolean | undefined;
}

/**
 * Reuses one buffer: the bytes of a frame are valid until the next one is encoded. Requires a hidden cursor; shows it where the
 * grid has one. A frame starts and ends in the default style.
 */
export class FrameEncoder {
  readonly #styles: StyleTable;
  readonly #isAscii: boolean;
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  /** Position of the terminal's cursor; -1 if unknown. */
  #column = -1;
  #row = -1;
  #style: StyleId = DEFAULT_STYLE;
  /** Where the cursor is shown; undefined while it is hidden. */
  #cursor: CellPosition | undefined;

  constructor(styles: StyleTable, { isAscii = false }: EncoderOptions = {}) {
    this.#styles = styles;
    this.#isAscii = isAscii;
  }

  /**
   * The bytes that make the terminal show the back buffer, as one synchronised update; empty if it is already shown. Treats them
   * as sent: afterwards the front buffer equals the back buffer.
   */
  encode(grid: Grid): Uint8Array {
    this.#length = 0;
    this.#column = -1;
    this.#row = -1;
    this.#append(BEGIN_FRAME);
    const isMoved = this.#hideCursor(grid);
    if (grid.mustErase) this.#erase(grid);
    // A frame starts in the terminal's own style, which is not the default style if a theme replaces it.
    if (this.#styles.hasBase) this.#append(this.#baseStyle());
    const start = this.#length;
    for (let y = 0; y < grid.height; y++) this.#encodeRow(grid, y);
    if (this.#length === start && !grid.mustErase && !isMoved) return this.#bytes.subarray(0, 0);
    grid.mustErase = false;
    if (this.#style !== DEFAULT_STYLE || this.#styles.hasBase) this.#append(RESET_STYLE);
    this.#style = DEFAULT_STYLE;
    this.#showCursor(grid);
    this.#append(END_FRAME);
    return this.#bytes.subarray(0, this.#length);
  }

  /** @returns whether the cursor has to move or disappear */
  #hideCursor({ cursor }: Grid): boolean {
    if (this.#cursor !== undefined) this.#append(HIDE_CURSOR);
    return cursor?.x !== this.#cursor?.x || cursor?.y !== this.#cursor?.y;
  }

  #showCursor({ cursor }: Grid): void {
    this.#cursor = cursor;
    if (cursor === undefined) return;
    this.#appendPosition(cursor.x, cursor.y);
    this.#append(SHOW_CURSOR);
  }

  // Not every terminal erases with the current background colour: if blank cells have one, all of them are drawn.
  #erase(grid: Grid): void {
    this.#append(ERASE_ALL);
    grid.front.fill(this.#styles.hasBase ? UNKNOWN : SPACE);
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
      // The second half of a wide character was drawn with its first half.
      if ((cell & CODE_POINT_MASK) === CONTINUATION) continue;
      const x = at - row;
      if (this.#drawNext(cell, x, y, width)) continue;
      this.#moveTo(grid, x, y);
      this.#drawCell(cell, x, y, width);
    }
  }

  /** Fast path: most cells are the next ASCII character in the same style. @returns false for any other */
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
    // At the right margin, some terminals defer the line break and some do not: the position is unknown.
    if (this.#column >= gridWidth) this.#column = -1;
  }

  #drawLikeness(codePoint: number, x: number): void {
    const isWide = getWidthClass(codePoint) === WIDE;
    this.#bytes[this.#length++] = toAscii(codePoint);
    if (isWide) this.#bytes[this.#length++] = SPACE;
    this.#column = x + (isWide ? 2 : 1);
  }

  // If terminals disagree about the width, both columns are blanked first, and the cursor is repositioned afterwards.
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

  // Rewrites the unchanged cells between two changed ones if that is shorter than a cursor move.
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
    this.#bytes[this.#length++] = ESC;
    this.#bytes[this.#length++] = BRACKET;
    this.#appendNumber(y + 1);
    if (x > 0) {
      this.#bytes[this.#length++] = SEMICOLON;
      this.#appendNumber(x + 1);
    }
    this.#bytes[this.#length++] = 0x48;
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

  /** @param codePoint printable: not a control, not a lone surrogate */
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

// The difference between the two buffers of a grid as the text of one frame. The only code that turns cells into what a terminal
// obeys.
import { toAscii } from "./ascii.ts";
import { CODE_POINT, type Grid, SPACE, STYLE_SHIFT } from "./grid.ts";
import { type StyleTable, UNKNOWN_STYLE } from "./style.ts";
import { isPlainUnit, widthOf } from "./width.ts";

/** A synchronised update (DEC 2026), with the cursor hidden while it lasts. */
const BEGIN = "\x1b[?2026h\x1b[?25l";
const END = "\x1b[?2026l";
/** Rewriting so many unchanged cells is never longer than moving past them. */
const MAX_REWRITE = 4;
const NONE = -1;
const LAST_ASCII = 0x7e;

export class Encoder {
  readonly #styles: StyleTable;
  readonly #isAscii: boolean;
  #text = "";
  /** Where the terminal's cursor is; NONE where that is not certain. */
  #x = NONE;
  #y = NONE;
  #style = UNKNOWN_STYLE;
  #cursor = "";

  constructor(styles: StyleTable, isAscii: boolean) {
    this.#styles = styles;
    this.#isAscii = isAscii;
  }

  /**
   * The text that makes the terminal show the back buffer; empty if it does. The front buffer then equals the back buffer, so
   * the text must be sent.
   */
  encode(grid: Grid): string {
    this.#text = "";
    this.#x = NONE;
    this.#y = NONE;
    this.#style = UNKNOWN_STYLE;
    if (grid.mustErase) this.#text = `${this.#styles.transition(UNKNOWN_STYLE, 0)}\x1b[2J`;
    grid.mustErase = false;
    for (let y = 0; y < grid.height; y++) this.#row(grid, y);
    const cursor = grid.cursor ? `\x1b[${grid.cursor.y + 1};${grid.cursor.x + 1}H\x1b[?25h` : "";
    if (this.#text === "" && cursor === this.#cursor) return "";
    this.#cursor = cursor;
    return `${BEGIN}${this.#text}\x1b[m${cursor}${END}`;
  }

  #row({ back, front, width }: Grid, y: number): void {
    const start = y * width;
    for (let x = 0; x < width; x++) {
      const cell = back[start + x] ?? SPACE;
      if (cell === front[start + x]) continue;
      front[start + x] = cell;
      // The second half of a wide character came with the first.
      if ((cell & CODE_POINT) === 0) continue;
      this.#move(back, start, x, y);
      this.#put(cell, x, y);
    }
    // At the right edge some terminals wrap at once and some with the next character.
    if (this.#x >= width) this.#x = NONE;
  }

  #put(cell: number, x: number, y: number): void {
    const codePoint = cell & CODE_POINT;
    const style = cell >>> STYLE_SHIFT;
    // A space has no colour of its own: between coloured cells that saves half of all sequences.
    if (codePoint !== SPACE || !this.#styles.hasSameGround(this.#style, style)) {
      this.#text += this.#styles.transition(this.#style, style);
      this.#style = style;
    }
    const isWide = widthOf(codePoint) === 2;
    if (this.#isAscii && codePoint > LAST_ASCII) {
      this.#text += String.fromCharCode(toAscii(codePoint)) + (isWide ? " " : "");
      this.#x = x + (isWide ? 2 : 1);
    } else if (isPlainUnit(codePoint)) {
      this.#text += String.fromCharCode(codePoint);
      this.#x = x + 1;
    } else {
      // Terminals disagree about widths: both columns are made blank first, and the next cell is addressed anew.
      if (isWide) this.#text += `  \x1b[${y + 1};${x + 1}H`;
      this.#text += String.fromCodePoint(codePoint);
      this.#x = NONE;
    }
  }

  #move(back: Uint32Array, start: number, x: number, y: number): void {
    const gap = x - this.#x;
    if (this.#y === y && this.#x !== NONE) {
      if (gap === 0 || (gap <= MAX_REWRITE && this.#rewrite(back, start, x))) return;
      this.#text += `\x1b[${gap > 1 ? gap : ""}C`;
    } else this.#text += x === 0 ? `\x1b[${y + 1}H` : `\x1b[${y + 1};${x + 1}H`;
    this.#y = y;
  }

  #rewrite(back: Uint32Array, start: number, to: number): boolean {
    let between = "";
    for (let x = this.#x; x < to; x++) {
      const cell = back[start + x] ?? SPACE;
      const codePoint = cell & CODE_POINT;
      const style = cell >>> STYLE_SHIFT;
      const isSame =
        codePoint === SPACE
          ? this.#styles.hasSameGround(this.#style, style)
          : style === this.#style;
      if (!isSame || codePoint < SPACE || codePoint > LAST_ASCII) return false;
      between += String.fromCharCode(codePoint);
    }
    this.#text += between;
    return true;
  }
}

// The difference between the two buffers of a grid as the text of one frame. The only code that turns cells into what a terminal
// obeys.
//
// What differs is collected in runs of one style, and written style by style: a terminal is told where to write in a few bytes, and
// in which colours in many.
import { toAscii } from "./ascii.ts";
import { CODE_POINT, type Grid, SPACE, STYLE_SHIFT } from "./grid.ts";
import { type StyleId, type StyleTable, UNKNOWN_STYLE } from "./style.ts";
import { isPlainUnit, widthOf } from "./width.ts";

/** A synchronised update (DEC 2026), with the cursor hidden while it lasts. */
const BEGIN = "\x1b[?2026h";
const HIDE = "\x1b[?25l";
const END = "\x1b[?2026l";
/** Rewriting so many unchanged cells is never longer than moving past them. */
const MAX_REWRITE = 4;
const NONE = -1;
const LAST_ASCII = 0x7e;

export class Encoder {
  readonly #styles: StyleTable;
  readonly #isAscii: boolean;
  /** By style: where each run begins in the grid, and where it ends. */
  readonly #runs = new Map<StyleId, number[]>();
  /** The run that may go on. */
  #from = NONE;
  #to = NONE;
  #runStyle = 0;
  #text = "";
  /** Where the terminal's cursor is; NONE where that is not certain. */
  #x = NONE;
  #y = NONE;
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
    if (grid.mustErase) this.#text = `${HIDE}${this.#styles.transition(UNKNOWN_STYLE, 0)}\x1b[2J`;
    grid.mustErase = false;
    this.#collect(grid);
    let style = UNKNOWN_STYLE;
    for (const [next, runs] of this.#runs) {
      this.#text += this.#styles.transition(style, next);
      style = next;
      for (let i = 0; i < runs.length; i += 2) this.#write(grid, runs[i] ?? 0, runs[i + 1] ?? 0);
    }
    this.#runs.clear();
    const cursor = grid.cursor ? `\x1b[${grid.cursor.y + 1};${grid.cursor.x + 1}H\x1b[?25h` : "";
    if (this.#text === "" && cursor === this.#cursor) return "";
    const hide = this.#cursor === "" ? "" : HIDE;
    this.#cursor = cursor;
    return `${BEGIN}${hide}${this.#text}\x1b[m${cursor}${END}`;
  }

  #collect({ back, front, width }: Grid): void {
    for (let at = 0; at < back.length; at++) {
      const cell = back[at] ?? SPACE;
      if (cell === front[at]) continue;
      front[at] = cell;
      // The second half of a wide character came with the first.
      if ((cell & CODE_POINT) === 0) continue;
      if (!this.#goOn(back, cell, at, width)) {
        this.#endRun();
        this.#from = at;
        this.#runStyle = cell >>> STYLE_SHIFT;
      }
      this.#to = at + widthOf(cell & CODE_POINT);
    }
    this.#endRun();
  }

  /** Is a cell part of the run before it? Spaces are of any style of their ground. */
  #goOn(back: Uint32Array, cell: number, at: number, width: number): boolean {
    const gap = at - this.#to;
    if (this.#from === NONE || gap > MAX_REWRITE || at - (at % width) > this.#from) return false;
    for (let i = this.#to; i < at; i++) if (!this.#isLike(back[i] ?? SPACE)) return false;
    return (
      cell >>> STYLE_SHIFT === this.#runStyle ||
      ((cell & CODE_POINT) === SPACE && this.#isLike(cell))
    );
  }

  /** Does a cell look the same in the style of the run? */
  #isLike(cell: number): boolean {
    const codePoint = cell & CODE_POINT;
    const style = cell >>> STYLE_SHIFT;
    if (codePoint === SPACE) return this.#styles.hasSameGround(style, this.#runStyle);
    return style === this.#runStyle && codePoint > SPACE && codePoint <= LAST_ASCII;
  }

  #endRun(): void {
    if (this.#from === NONE) return;
    const runs = this.#runs.get(this.#runStyle);
    if (runs === undefined) this.#runs.set(this.#runStyle, [this.#from, this.#to]);
    else runs.push(this.#from, this.#to);
    this.#from = NONE;
  }

  #write({ back, width }: Grid, from: number, to: number): void {
    const y = Math.floor(from / width);
    this.#move(from - y * width, y);
    for (let at = from; at < to; at++) {
      const codePoint = (back[at] ?? SPACE) & CODE_POINT;
      if (codePoint !== 0) this.#put(codePoint, at - y * width);
    }
    // At the right edge some terminals wrap at once and some with the next character.
    if (this.#x >= width) this.#x = NONE;
  }

  #put(codePoint: number, x: number): void {
    if (this.#x === NONE) this.#move(x, this.#y);
    const isWide = widthOf(codePoint) === 2;
    if (this.#isAscii && codePoint > LAST_ASCII) {
      this.#text += String.fromCharCode(toAscii(codePoint)) + (isWide ? " " : "");
      this.#x = x + (isWide ? 2 : 1);
    } else if (isPlainUnit(codePoint)) {
      this.#text += String.fromCharCode(codePoint);
      this.#x = x + 1;
    } else {
      // Terminals disagree about widths: both columns are made blank first, and the next cell is addressed anew.
      if (isWide) this.#text += `  \x1b[${this.#y + 1};${x + 1}H`;
      this.#text += String.fromCodePoint(codePoint);
      this.#x = NONE;
    }
  }

  /** A short way is told in fewer bytes than a place. */
  #move(x: number, y: number): void {
    const [across, down] = [x - this.#x, y - this.#y];
    const isNear = Math.abs(across) < NEAR && down >= 0 && down < NEAR;
    if (this.#x !== NONE && (isNear || (down === 0 && across > 0)))
      this.#text += step(down, "B") + (across < 0 ? stepBack(-across) : step(across, "C"));
    else this.#text += x === 0 ? `\x1b[${y + 1}H` : `\x1b[${y + 1};${x + 1}H`;
    this.#x = x;
    this.#y = y;
  }
}

/** Below this, a step has one digit. */
const NEAR = 10;

function stepBack(by: number): string {
  return by < 4 ? "\b".repeat(by) : step(by, "D");
}

function step(by: number, direction: "B" | "C" | "D"): string {
  if (by === 0) return "";
  return `\x1b[${by === 1 ? "" : by}${direction}`;
}

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
  /** The run that may go on. A blank one has spaces alone, whose only colour is their ground. */
  #from = NONE;
  #to = NONE;
  #runStyle = 0;
  #isBlank = false;
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
    for (let style = UNKNOWN_STYLE; this.#runs.size > 0; ) {
      const next = this.#nearest(style);
      this.#text += this.#styles.transition(style, next);
      style = next;
      const runs = this.#runs.get(next) ?? [];
      for (let i = 0; i < runs.length; i += 2) this.#write(grid, runs[i] ?? 0, runs[i + 1] ?? 0);
      this.#runs.delete(next);
    }
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
        this.#isBlank = (cell & CODE_POINT) === SPACE;
      }
      this.#to = at + widthOf(cell & CODE_POINT);
    }
    this.#endRun();
  }

  /** Is a cell part of the run before it? */
  #goOn(back: Uint32Array, cell: number, at: number, width: number): boolean {
    const gap = at - this.#to;
    if (this.#from === NONE || gap > MAX_REWRITE || at - (at % width) > this.#from) return false;
    const style = cell >>> STYLE_SHIFT;
    if (style !== this.#runStyle) {
      const isSpace = (cell & CODE_POINT) === SPACE;
      if (!(isSpace || this.#isBlank) || !this.#styles.hasSameGround(style, this.#runStyle))
        return false;
    }
    for (let i = this.#to; i < at; i++) if (!this.#isLike(back[i] ?? SPACE, style)) return false;
    if ((cell & CODE_POINT) !== SPACE) {
      this.#isBlank = false;
      this.#runStyle = style;
    }
    return true;
  }

  /** Does a cell look the same in this style? */
  #isLike(cell: number, style: StyleId): boolean {
    const codePoint = cell & CODE_POINT;
    if (codePoint === SPACE) return this.#styles.hasSameGround(cell >>> STYLE_SHIFT, style);
    return cell >>> STYLE_SHIFT === style && codePoint > SPACE && codePoint <= LAST_ASCII;
  }

  #endRun(): void {
    if (this.#from === NONE) return;
    let style = this.#runStyle;
    if (this.#isBlank)
      for (const known of this.#runs.keys())
        if (this.#styles.hasSameGround(known, style)) style = known;
    const runs = this.#runs.get(style);
    if (runs === undefined) this.#runs.set(style, [this.#from, this.#to]);
    else runs.push(this.#from, this.#to);
    this.#from = NONE;
  }

  /** The style that is left to write in, and is told in the fewest bytes. */
  #nearest(style: StyleId): StyleId {
    let nearest = UNKNOWN_STYLE;
    let least = Number.POSITIVE_INFINITY;
    for (const each of this.#runs.keys()) {
      const { length } = this.#styles.transition(style, each);
      if (length >= least) continue;
      least = length;
      nearest = each;
    }
    return nearest;
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

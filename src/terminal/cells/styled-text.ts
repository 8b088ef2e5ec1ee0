// A line of text with SGR sequences in it, as Ink and chalk make it, drawn with the styles that they say.
import { type Color, DEFAULT_COLOR, rgb } from "./color.ts";
import { hasSequence, nextControl, readSequence } from "./escapes.ts";
import * as sgr from "./sgr.ts";
import type { StyleTable } from "./style-table.ts";
import type { Surface } from "./surface.ts";
import { textWidth } from "./text-cells.ts";

/** Attribute bits that a parameter sets and clears. */
const ATTRIBUTES: Readonly<Record<number, readonly [set: number, clear: number]>> = {
  1: [sgr.BOLD, 0],
  2: [sgr.DIM, 0],
  3: [sgr.ITALIC, 0],
  4: [sgr.UNDERLINE, 0],
  7: [sgr.INVERSE, 0],
  9: [sgr.STRIKETHROUGH, 0],
  22: [0, sgr.BOLD | sgr.DIM],
  23: [0, sgr.ITALIC],
  24: [0, sgr.UNDERLINE],
  27: [0, sgr.INVERSE],
  29: [0, sgr.STRIKETHROUGH],
};

/** The look that the next characters have, as SGR sequences change it. */
class Pen {
  foreground: Color = DEFAULT_COLOR;
  background: Color = DEFAULT_COLOR;
  attributes = 0;

  /** @param parameters what stands between `ESC [` and `m` */
  apply(parameters: string): void {
    const codes = parameters.split(/[;:]/).map(Number);
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] ?? 0;
      if (code === 38 || code === 48) {
        const { color, count } = readExtendedColor(codes, index + 1);
        this.#setColor(code, color);
        index += count;
      } else this.#applySimple(code);
    }
  }

  #applySimple(code: number): void {
    const change = ATTRIBUTES[code];
    if (change !== undefined) this.attributes = (this.attributes & ~change[1]) | change[0];
    else if (code === 0) this.#reset();
    else if (code >= 30 && code <= 49) this.#setColor(code, basicColor(code % 10, 0));
    else if (code >= 90 && code <= 107) this.#setColor(code - 60, basicColor(code % 10, 8));
  }

  #reset(): void {
    this.foreground = DEFAULT_COLOR;
    this.background = DEFAULT_COLOR;
    this.attributes = 0;
  }

  #setColor(code: number, color: Color): void {
    if (code < 40) this.foreground = color;
    else this.background = color;
  }
}

/** Columns that the text takes without its escape sequences. Never throws. */
export function styledTextWidth(text: string): number {
  if (!hasSequence(text)) return textWidth(text);
  let width = 0;
  for (let start = 0; start < text.length; ) {
    const at = nextControl(text, start);
    width += textWidth(text.slice(start, at));
    start = at < text.length ? readSequence(text, at).end : at;
  }
  return width;
}

/** Draws one line from (x, y) on; escape sequences that do not set the look are left out. Never throws. */
export function drawStyledText(
  surface: Surface,
  styles: StyleTable,
  x: number,
  y: number,
  text: string,
): void {
  if (!hasSequence(text)) {
    surface.text(x, y, text);
    return;
  }
  const pen = new Pen();
  let column = x;
  for (let start = 0; start < text.length; ) {
    const at = nextControl(text, start);
    const style = styles.intern(pen.foreground, pen.background, pen.attributes);
    if (at > start) column += surface.text(column, y, text.slice(start, at), style);
    if (at === text.length) return;
    const { end, sgr: parameters } = readSequence(text, at);
    if (parameters !== undefined) pen.apply(parameters);
    start = end;
  }
}

function basicColor(digit: number, base: number): Color {
  return digit < 8 ? base + digit : DEFAULT_COLOR;
}

/** A colour after 38 or 48: `5;n` or `2;r;g;b`, and how many parameters it took. */
function readExtendedColor(
  codes: readonly number[],
  at: number,
): { readonly color: Color; readonly count: number } {
  if (codes[at] === 5) return { color: (codes[at + 1] ?? 0) & 255, count: 2 };
  if (codes[at] !== 2) return { color: DEFAULT_COLOR, count: 0 };
  const [red = 0, green = 0, blue = 0] = codes.slice(at + 1, at + 4);
  return { color: rgb(red, green, blue), count: 4 };
}

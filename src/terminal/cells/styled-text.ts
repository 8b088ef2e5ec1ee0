// Draws text containing SGR sequences, as Ink and chalk produce it, in the styles that these set. Other escape sequences are
// treated as text, whose control characters the surface shows as replacement characters.
import { type Color, DEFAULT_COLOR, rgb } from "./color.ts";
import { ATTRIBUTES, type StyleId, type StyleTable } from "./style-table.ts";
import type { Surface } from "./surface.ts";
import { textWidth } from "./text-cells.ts";

const ESC = "\x1b";
const SGR = new RegExp(`${ESC}\\[([\\d:;]*)m`, "g");

/** Columns that the text takes, without its SGR sequences. */
export function styledTextWidth(text: string): number {
  return textWidth(text.includes(ESC) ? text.replace(SGR, "") : text);
}

export function drawStyledText(
  surface: Surface,
  styles: StyleTable,
  x: number,
  y: number,
  text: string,
): void {
  if (!text.includes(ESC)) {
    surface.text(x, y, text);
    return;
  }
  const pen = new Pen();
  let column = x;
  // The parameters captured by the pattern are at odd positions.
  for (const [index, piece] of text.split(SGR).entries()) {
    if (index % 2 === 1) pen.apply(piece);
    else if (piece !== "") column += surface.text(column, y, piece, pen.styleIn(styles));
  }
}

/** The style of the following characters, as changed by SGR sequences. */
class Pen {
  foreground: Color = DEFAULT_COLOR;
  background: Color = DEFAULT_COLOR;
  attributes = 0;

  styleIn(styles: StyleTable): StyleId {
    return styles.intern(this.foreground, this.background, this.attributes);
  }

  /** @param parameters the text between `ESC [` and `m` */
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
    if (code === 0) this.attributes = 0;
    for (const { bit, on, off } of Object.values(ATTRIBUTES)) {
      if (code === on) this.attributes |= bit;
      if (code === off) this.attributes &= ~bit;
    }
    if (code === 0) this.foreground = this.background = DEFAULT_COLOR;
    else if (code >= 30 && code <= 49) this.#setColor(code, basicColor(code % 10, 0));
    else if (code >= 90 && code <= 107) this.#setColor(code - 60, basicColor(code % 10, 8));
  }

  #setColor(code: number, color: Color): void {
    if (code < 40) this.foreground = color;
    else this.background = color;
  }
}

function basicColor(digit: number, base: number): Color {
  return digit < 8 ? base + digit : DEFAULT_COLOR;
}

/** Parses the colour after 38 or 48: `5;n` or `2;r;g;b`. @returns also the number of parameters consumed */
function readExtendedColor(
  codes: readonly number[],
  at: number,
): { readonly color: Color; readonly count: number } {
  if (codes[at] === 5) return { color: (codes[at + 1] ?? 0) & 255, count: 2 };
  if (codes[at] !== 2) return { color: DEFAULT_COLOR, count: 0 };
  const [red = 0, green = 0, blue = 0] = codes.slice(at + 1, at + 4);
  return { color: rgb(red, green, blue), count: 4 };
}

// Text with SGR sequences in it, as Ink and chalk make it, drawn with the styles that they say. Of other escape sequences
// only the end is looked for.
import { type Color, DEFAULT_COLOR, rgb } from "./color.ts";
import { ATTRIBUTES, type StyleTable } from "./style-table.ts";
import type { Surface } from "./surface.ts";
import { textWidth } from "./text-cells.ts";

const ESC = "\x1b";
/** Introducers of control strings, after ESC or as one C1 character: DCS, SOS, OSC, PM, APC. */
const STRING_INTRODUCERS = "PX]^_";
const C1_STRING_INTRODUCERS = "\x90\x98\x9d\x9e\x9f";
const C1_CSI = "\x9b";
const C1_CONTROL = /[\u0080-\u009f]/;
const CSI_FORM = /[0-?]*[ -/]*[@-~]/y;
const ESCAPE_FORM = /[ -/]*[0-~]/y;
const SGR_PARAMETERS = /^[\d:;]*$/;

/** The text without any escape sequence but those that set the style. */
export function keepStyles(text: string): string {
  if (!hasSequence(text)) return text;
  let kept = "";
  for (const { plain, sgr } of partsOf(text)) {
    kept += plain;
    if (sgr !== undefined) kept += `${ESC}[${sgr}m`;
  }
  return kept;
}

/** Columns that the text takes without its escape sequences. */
export function styledTextWidth(text: string): number {
  if (!hasSequence(text)) return textWidth(text);
  let width = 0;
  for (const { plain } of partsOf(text)) width += textWidth(plain);
  return width;
}

/** Draws one line from (x, y) on; escape sequences that do not set the style are left out. */
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
  for (const { plain, sgr } of partsOf(text)) {
    const style = styles.intern(pen.foreground, pen.background, pen.attributes);
    if (plain !== "") column += surface.text(column, y, plain, style);
    if (sgr !== undefined) pen.apply(sgr);
  }
}

function hasSequence(text: string): boolean {
  return text.includes(ESC) || C1_CONTROL.test(text);
}

/** What stands before an escape sequence, or at the end, and the parameters of the sequence when it sets the style. */
interface TextPart {
  readonly plain: string;
  readonly sgr: string | undefined;
}

function* partsOf(text: string): Generator<TextPart> {
  for (let start = 0; start < text.length; ) {
    const at = nextControl(text, start);
    const { end, sgr } = readSequence(text, at);
    yield { plain: text.slice(start, at), sgr };
    start = end;
  }
}

/** Index of the next ESC or C1 control from an index on; the length of the text when there is none. */
function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x1b || (unit >= 0x80 && unit <= 0x9f)) return at;
  }
  return text.length;
}

/** Where a sequence ends, and its parameters when it sets the style. */
interface EscapeSequence {
  /** Index of the first unit after it. */
  readonly end: number;
  readonly sgr: string | undefined;
}

/** The sequence that begins with the control character at this index. */
function readSequence(text: string, at: number): EscapeSequence {
  const first = text.charAt(at);
  const second = text.charAt(at + 1);
  if (first === C1_CSI) return readCsi(text, at + 1);
  if (first !== "" && C1_STRING_INTRODUCERS.includes(first)) return readControlString(text, at + 1);
  if (first !== ESC || second === "") return { end: at + 1, sgr: undefined };
  if (second === "[") return readCsi(text, at + 2);
  if (STRING_INTRODUCERS.includes(second)) return readControlString(text, at + 2);
  return { end: endOfForm(ESCAPE_FORM, text, at + 1), sgr: undefined };
}

function readCsi(text: string, from: number): EscapeSequence {
  const end = endOfForm(CSI_FORM, text, from);
  const parameters = text.slice(from, end - 1);
  const isSgr = text.charAt(end - 1) === "m" && SGR_PARAMETERS.test(parameters);
  return { end, sgr: isSgr && end > from ? parameters : undefined };
}

// Without an end, the whole rest of the text belongs to the string: a terminal would swallow it too.
function readControlString(text: string, from: number): EscapeSequence {
  for (let at = from; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === "\x07" || unit === "\x9c") return { end: at + 1, sgr: undefined };
    if (unit === ESC && text.charAt(at + 1) === "\\") return { end: at + 2, sgr: undefined };
  }
  return { end: text.length, sgr: undefined };
}

function endOfForm(form: RegExp, text: string, from: number): number {
  form.lastIndex = from;
  return form.test(text) ? form.lastIndex : from;
}

/** The style that the next characters have, as SGR sequences change it. */
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

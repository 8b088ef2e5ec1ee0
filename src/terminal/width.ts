// Text as the cells it takes: one code point each, one or two columns wide. Everything that is drawn passes here, so this is the
// barrier against hostile text: controls, invisible and direction-changing characters become the replacement character.
import { eastAsianWidth } from "get-east-asian-width";

const REPLACEMENT = 0xfffd;

const MARK = 0;
const NARROW = 1;
const WIDE = 2;
const HIDDEN = 3;

const SOFT_HYPHEN = 0xad;
const NONSPACING = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb\u200d]/u;
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
const COMPOSABLE = /[\p{Mn}\p{Me}\u1100-\u11ff]/u;

/** By code point, plus one; filled on demand, since a regular expression for each cell would be too slow. */
const known = new Uint8Array(0x20000);

const MINUS = 0x2212;

/** One column in every terminal, and no look-up: ASCII, Latin-1, box drawing, blocks, shapes, Braille, the minus of numbers. */
export function isPlainUnit(unit: number): boolean {
  return (
    (unit >= 0x20 && unit < 0x7f) ||
    (unit >= 0x2500 && unit < 0x25fd) ||
    (unit > SOFT_HYPHEN && unit < 0x100) ||
    (unit >= 0x2800 && unit < 0x2900) ||
    unit === MINUS
  );
}

/** Is every UTF-16 unit a narrow cell of its own? */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isPlainUnit(text.charCodeAt(i))) return false;
  return true;
}

/** Columns of a code point as `cellsOf` gives it: 1 or 2. */
export function widthOf(codePoint: number): number {
  return isPlainUnit(codePoint) ? 1 : classOf(codePoint) === WIDE ? 2 : 1;
}

/** The code points to draw. Marks are composed with their letter where Unicode has such a character, else dropped. */
export function cellsOf(text: string): readonly number[] {
  const cells: number[] = [];
  for (const character of COMPOSABLE.test(text) ? text.normalize("NFC") : text) {
    const codePoint = character.codePointAt(0) ?? REPLACEMENT;
    const kind = classOf(codePoint);
    if (kind !== MARK) cells.push(kind === HIDDEN ? REPLACEMENT : codePoint);
  }
  return cells;
}

/** Columns of a text in one line. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  return cellsOf(text).reduce((sum, codePoint) => sum + widthOf(codePoint), 0);
}

/** The whole text, or as much as fits before `…`. For words, never for numbers. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const codePoint of cellsOf(text)) {
    width += widthOf(codePoint);
    if (width > columns) break;
    kept += String.fromCodePoint(codePoint);
  }
  return columns < 1 ? "" : `${kept.trimEnd()}…`;
}

/** Lines of at most this many columns, broken at spaces; a longer word is cut. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer) <= columns || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each) => cutText(each, columns));
}

function classOf(codePoint: number): number {
  const entry = known[codePoint] ?? 0;
  if (entry > 0) return entry - 1;
  const kind = classify(codePoint);
  if (codePoint < known.length) known[codePoint] = kind + 1;
  return kind;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (NONSPACING.test(character)) return MARK;
  if (INVISIBLE.test(character)) return HIDDEN;
  return eastAsianWidth(codePoint) === 2 ? WIDE : NARROW;
}

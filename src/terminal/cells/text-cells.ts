// A text as the cells it occupies: one code point each, with its width. The only way from text to cells.
import { eastAsianWidth } from "get-east-asian-width";

// How many columns a terminal uses for a code point, and which code points are never sent to one. Marks and invisible characters
// come from the engine's Unicode tables, which have no widths.

/** A combining mark: takes no column and is not drawn. */
export const MARK = 0;
export const NARROW = 1;
export const WIDE = 2;
/** A control, invisible or bidirectional formatting character: never written; replaced by a replacement character. */
export const HIDDEN = 3;

const CLASS_BITS = 3;
/** Set if terminals disagree about the width, so that the cursor position is unknown afterwards. */
const UNSETTLED = 4;
const CLASSIFIED = 8;

/** Where all terminals agree: Latin to Cyrillic, punctuation to Braille, and the long-established part of CJK. */
const SETTLED_RANGES = [
  0x20, 0x52f, 0x2010, 0x2027, 0x2030, 0x205e, 0x2070, 0x218b, 0x2190, 0x2319, 0x2336, 0x23cf,
  0x2460, 0x25fc, 0x2605, 0x2606, 0x2713, 0x2713, 0x2717, 0x2717, 0x2800, 0x28ff, 0x3001, 0x3029,
  0x3041, 0x3096, 0x309b, 0x30ff, 0x4e00, 0x9fff, 0xac00, 0xd7a3, 0xff01, 0xff60, 0xfffd, 0xfffd,
];

/** Vowels and final consonants of Hangul, which join the preceding syllable. */
const JOINING_JAMO = [0x1160, 0x11ff, 0xd7b0, 0xd7fb];

const ZERO_WIDTH_JOINER = 0x200d;
const SOFT_HYPHEN = 0xad;
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
const NONSPACING = /[\p{Mn}\p{Me}]/u;

const PAGE_SIZE = 256;
/**
 * Entries in pages of 256 code points, filled on demand: filling a whole page would take milliseconds of the start, and most
 * entries are never needed.
 */
const pages: (Uint8Array | undefined)[] = [];

/** True for ASCII, Latin-1, box drawing, blocks, shapes and Braille: narrow everywhere, no look-up needed. */
export function isPlainUnit(unit: number): boolean {
  return (
    (unit >= 0x20 && unit < 0x7f) ||
    (unit >= 0x2500 && unit < 0x25fd) ||
    (unit > SOFT_HYPHEN && unit < 0x100) ||
    (unit >= 0x2800 && unit < 0x2900)
  );
}

/** MARK, NARROW, WIDE or HIDDEN. Invalid code points are HIDDEN. */
export function getWidthClass(codePoint: number): number {
  return getEntry(codePoint) & CLASS_BITS;
}

/** Columns of a drawn code point: 0, 1 or 2; for a hidden one, those of its replacement. */
export function getWidth(codePoint: number): number {
  const kind = getWidthClass(codePoint);
  return kind === HIDDEN ? 1 : kind;
}

/** True if terminals disagree about its width. */
export function isUnsettled(codePoint: number): boolean {
  return (getEntry(codePoint) & UNSETTLED) !== 0;
}

function getEntry(codePoint: number): number {
  return pages[codePoint >>> 8]?.[codePoint & 255] || makeEntry(codePoint);
}

function makeEntry(codePoint: number): number {
  if (!Number.isInteger(codePoint) || codePoint < 0 || codePoint > 0x10ffff) return HIDDEN;
  const isSettled = isInRanges(codePoint, SETTLED_RANGES);
  const entry = classify(codePoint) | (isSettled ? 0 : UNSETTLED) | CLASSIFIED;
  const index = codePoint >>> 8;
  const page = pages[index] ?? new Uint8Array(PAGE_SIZE);
  page[codePoint & 255] = entry;
  pages[index] = page;
  return entry;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (NONSPACING.test(character) || codePoint === ZERO_WIDTH_JOINER) return MARK;
  if (INVISIBLE.test(character)) return HIDDEN;
  if (isInRanges(codePoint, JOINING_JAMO)) return MARK;
  // Regional indicators are narrow: the two of a flag together take its two columns.
  return eastAsianWidth(codePoint) === 2 ? WIDE : NARROW;
}

function isInRanges(codePoint: number, ranges: readonly number[]): boolean {
  for (let index = 0; index < ranges.length; index += 2) {
    const last = ranges[index + 1] ?? 0;
    if (codePoint <= last) return codePoint >= (ranges[index] ?? 0);
  }
  return false;
}

/** Drawn in place of characters that must not be written. */
export const REPLACEMENT = 0xfffd;

const MARKS = /[\p{Mn}\p{Me}\u1100-\u11ff]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const FIRST_SKIN_TONE = 0x1f3fb;
const LAST_SKIN_TONE = 0x1f3ff;

/** True if every UTF-16 unit is a narrow cell of its own. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!isPlainUnit(text.charCodeAt(index))) return false;
  }
  return true;
}

/**
 * Iterates over the cells of a text. Marks are composed with their base if Unicode has a composed character, else dropped; an
 * emoji sequence is drawn as its first emoji; characters that must not be written become replacement characters.
 */
export class CellReader {
  /** The code point of the current cell; never a control, a mark or a lone surrogate. */
  codePoint = 0;
  /** Columns of the current cell: 1 or 2. */
  width = 0;
  #text = "";
  #index = 0;
  #isJoined = false;
  #previous = 0;

  start(text: string): this {
    this.#text = MARKS.test(text) ? text.normalize("NFC") : text;
    this.#index = 0;
    this.#isJoined = false;
    this.#previous = 0;
    return this;
  }

  next(): boolean {
    while (this.#index < this.#text.length) {
      const codePoint = this.#text.codePointAt(this.#index) ?? REPLACEMENT;
      this.#index += codePoint > 0xffff ? 2 : 1;
      if (this.#take(codePoint)) return true;
    }
    return false;
  }

  #take(codePoint: number): boolean {
    const kind = getWidthClass(codePoint);
    if (kind === MARK) {
      this.#isJoined = codePoint === ZERO_WIDTH_JOINER && isPictograph(this.#previous);
      return false;
    }
    const isPart = this.#isPartOfEmoji(codePoint);
    this.#isJoined = false;
    if (isPart) return false;
    this.#previous = codePoint;
    this.codePoint = kind === HIDDEN ? REPLACEMENT : codePoint;
    this.width = kind === WIDE ? 2 : 1;
    return true;
  }

  #isPartOfEmoji(codePoint: number): boolean {
    if (codePoint < 0x80) return false;
    if (this.#isJoined) return isPictograph(codePoint);
    const isSkinTone = codePoint >= FIRST_SKIN_TONE && codePoint <= LAST_SKIN_TONE;
    return isSkinTone && isPictograph(this.#previous);
  }
}

const reader = new CellReader();

/** Columns of this text, drawn in one line. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (reader.start(text); reader.next(); ) width += reader.width;
  return width;
}

/** The longest prefix of the text that fits into this many columns, in drawable characters. */
export function cutText(text: string, columns: number): string {
  if (isPlain(text)) return text.slice(0, Math.max(0, columns));
  let result = "";
  let width = 0;
  reader.start(text);
  while (reader.next() && width + reader.width <= columns) {
    result += String.fromCodePoint(reader.codePoint);
    width += reader.width;
  }
  return result;
}

/** The whole text, or as much as fits before `…`. For sentences, never for numbers. */
export function cutSentence(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 2 ? "" : `${cutText(text, columns - 1).trimEnd()}…`;
}

/** The text in lines of at most this many columns, broken wherever a line is full; one empty line for empty text. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (reader.start(text); reader.next(); ) {
    if (width + reader.width > columns && line !== "") {
      lines.push(line);
      line = "";
      width = 0;
    }
    line += String.fromCodePoint(reader.codePoint);
    width += reader.width;
  }
  return [...lines, line];
}

/** The text in lines of at most this many columns, broken at spaces; a longer word gets a longer line of its own. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer) > columns && line !== "") {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function isPictograph(codePoint: number): boolean {
  return codePoint > 0xff && PICTOGRAPH.test(String.fromCodePoint(codePoint));
}

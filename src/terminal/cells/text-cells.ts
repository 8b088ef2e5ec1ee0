// A text as the cells that it takes: one code point each, and how wide. The only way from text to cells.
import { getWidthClass, HIDDEN, isPlainUnit, MARK, WIDE } from "./width.ts";

/** Stands for what may not be written. */
export const REPLACEMENT = 0xfffd;

const ZERO_WIDTH_JOINER = 0x200d;
const MARKS = /[\p{Mn}\p{Me}\u1100-\u11ff]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const FIRST_SKIN_TONE = 0x1f3fb;
const LAST_SKIN_TONE = 0x1f3ff;

/** True when every UTF-16 unit is a narrow cell of its own. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!isPlainUnit(text.charCodeAt(index))) return false;
  }
  return true;
}

/**
 * Walks the cells of a text. Marks are composed into their base where Unicode has the pair and dropped where it has
 * not; an emoji sequence is drawn as its first emoji; what may not be written becomes a replacement character.
 */
export class CellReader {
  /** The code point of the present cell; never a control, a mark or half a pair. */
  codePoint = 0;
  /** Columns of the present cell: 1 or 2. */
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

/** Columns that this text takes when it is drawn, in one line. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (reader.start(text); reader.next(); ) width += reader.width;
  return width;
}

/** As much of the text from its beginning as fits into so many columns, in characters that can be drawn. */
export function cutText(text: string, columns: number): string {
  if (isPlain(text)) return text.slice(0, Math.max(0, columns));
  let kept = "";
  let width = 0;
  reader.start(text);
  while (reader.next() && width + reader.width <= columns) {
    kept += String.fromCodePoint(reader.codePoint);
    width += reader.width;
  }
  return kept;
}

/** The whole text, or as much of it as fits before `…`: a sentence, never a number. */
export function cutSentence(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 2 ? "" : `${cutText(text, columns - 1).trimEnd()}…`;
}

/** The text in lines of so many columns at most, broken wherever a line is full; one empty line for no text. */
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

/** The text in lines of so many columns, broken at blanks; a word that is longer stands alone on a longer line. */
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

// Scans JSON text byte by byte and copies the values of a record, unchanged, into comma-separated cells. Works only for text
// of one known form and reports any other.
import { MAX_DECIMAL_LENGTH } from "../limits.ts";
import type { Form } from "./fields.ts";

/** Values of these forms are quoted; the quotes are not part of the cell. */
export const QUOTED_FORMS: readonly Form[] = ["unsigned", "signed", "text"];

const [QUOTE, COMMA, MINUS, POINT, ZERO] = [0x22, 0x2c, 0x2d, 0x2e, 0x30];
/** Integers with this many digits are exact as a Number. */
const MAX_DIGITS = 15;

/** Byte classes: digits; the first byte of a plain string (letters and digits); later bytes (other printable ASCII). */
const DIGIT = 1;
const FIRST = 2;
const LATER = 4;

function kindsOfBytes(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    const isLater = byte >= 0x20 && byte < 0x7f && !'",\\'.includes(character);
    const isFirst = /[0-9A-Za-z]/.test(character);
    const isDigit = /[0-9]/.test(character);
    return (isLater ? LATER : 0) | (isFirst ? FIRST : 0) | (isDigit ? DIGIT : 0);
  });
}

/** Classes shared by both bytes of a pair. */
function kindsOfPairs(kinds: Uint8Array): Uint8Array {
  return Uint8Array.from(
    { length: 65_536 },
    (_, pair) => (kinds[pair & 0xff] ?? 0) & (kinds[pair >> 8] ?? 0),
  );
}

const WORD_BYTES = 4;

/** Fixed bytes of the text, compared four at a time. */
export class FixedBytes {
  readonly length: number;
  readonly #words: Uint32Array;
  readonly #rest: Uint8Array;

  constructor(text: string) {
    const bytes = Buffer.from(text, "latin1");
    this.length = bytes.length;
    const count = Math.floor(bytes.length / WORD_BYTES);
    this.#words = Uint32Array.from({ length: count }, (_, i) => bytes.readUInt32LE(i * WORD_BYTES));
    this.#rest = Uint8Array.from(bytes.subarray(count * WORD_BYTES));
  }

  isAt(view: DataView, place: number): boolean {
    if (place + this.length > view.byteLength) return false;
    const words = this.#words;
    let at = place;
    for (let i = 0; i < words.length; i++, at += WORD_BYTES) {
      if (view.getUint32(at, true) !== words[i]) return false;
    }
    const rest = this.#rest;
    for (let i = 0; i < rest.length; i++) {
      if (view.getUint8(at + i) !== rest[i]) return false;
    }
    return true;
  }
}

function createView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

const TRUE = new FixedBytes("true");
const FALSE = new FixedBytes("false");
const NOTHING = new DataView(new ArrayBuffer(0));

/**
 * Reads one text at a time. Each method continues where the last one ended and returns whether it succeeded; after a failure
 * the text must be read another way.
 */
export class CellScan {
  readonly #kinds = kindsOfBytes();
  readonly #pairs = kindsOfPairs(this.#kinds);
  /** Grows to the longest text: cells never take more bytes than their text. */
  #cells: Buffer = Buffer.alloc(0);
  #cellsView: DataView = NOTHING;
  #text: Uint8Array = this.#cells;
  #view: DataView = NOTHING;
  #at = 0;
  /** Bytes of the text so far that are in no cell: the offset between positions in the text and in the cells. */
  #dropped = 0;
  integer = 0;

  /** @param text UTF-8, held until `finish` */
  begin(text: Uint8Array): void {
    if (this.#cells.length < text.length) {
      this.#cells = Buffer.allocUnsafeSlow(text.length);
      this.#cellsView = createView(this.#cells);
    }
    this.#text = text;
    this.#view = createView(text);
    this.#at = 0;
    this.#dropped = 0;
  }

  /** Releases the text. @returns a copy of its cells */
  finish(): Buffer {
    const cells = Buffer.from(this.#cells.subarray(0, this.end));
    this.#text = cells.subarray(0, 0);
    this.#view = NOTHING;
    return cells;
  }

  get end(): number {
    return this.#at - this.#dropped;
  }

  isSame(one: number, other: number, length: number): boolean {
    const cells = this.#cells;
    for (let i = 0; i < length; i++) if (cells[one + i] !== cells[other + i]) return false;
    return true;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Skips fixed bytes that are not part of a cell. */
  skip(bytes: FixedBytes): boolean {
    if (!bytes.isAt(this.#view, this.#at)) return false;
    this.#at += bytes.length;
    this.#dropped += bytes.length;
    return true;
  }

  /** Skips fixed bytes and writes a comma in their place. */
  separate(bytes: FixedBytes): boolean {
    if (!this.skip(bytes)) return false;
    this.#dropped--;
    this.#cells[this.end - 1] = COMMA;
    return true;
  }

  /** Copies the next value, without its quotes. */
  read(form: Form): boolean {
    const end = this.#endOf(form);
    if (end < 0) return false;
    this.#at = end;
    return true;
  }

  /** Copies the next value. @returns where it ends; -1 if it does not have this form */
  #endOf(form: Form): number {
    const at = this.#at;
    switch (form) {
      case "text":
        return this.#endOfWord(at);
      case "unsigned":
        return this.#endOfDecimal(at, at + MAX_DECIMAL_LENGTH);
      case "signed":
        return this.#endOfDecimal(this.#endOfMinus(at), at + MAX_DECIMAL_LENGTH);
      case "integer":
        return this.#endOfInteger(at);
      case "flag":
        return this.#endOfFlag(at);
    }
  }

  /** Copies bytes of these classes. @returns where they end */
  #copy(start: number, kinds: number): number {
    const text = this.#text;
    const cells = this.#cells;
    const dropped = this.#dropped;
    let at = this.#formatCopied(start, kinds);
    let byte = text[at] ?? 0;
    while (((this.#kinds[byte] ?? 0) & kinds) !== 0) {
      cells[at - dropped] = byte;
      byte = text[++at] ?? 0;
    }
    return at;
  }

  /** The same for as long as four bytes at a time are of these classes: twice as fast for long values. */
  #formatCopied(start: number, kinds: number): number {
    const view = this.#view;
    const cells = this.#cellsView;
    const dropped = this.#dropped;
    const last = view.byteLength - WORD_BYTES;
    let at = start;
    for (; at <= last; at += WORD_BYTES) {
      const word = view.getUint32(at, true);
      const ofBoth = (this.#pairs[word & 0xffff] ?? 0) & (this.#pairs[word >>> 16] ?? 0);
      if ((ofBoth & kinds) === 0) break;
      cells.setUint32(at - dropped, word, true);
    }
    return at;
  }

  /** A string that can be used as a CSV cell unchanged: no escape, no comma, nothing that a spreadsheet takes for a formula. */
  #endOfWord(at: number): number {
    const byte = this.#text[at] ?? 0;
    return byte === QUOTE || ((this.#kinds[byte] ?? 0) & FIRST) !== 0 ? this.#copy(at, LATER) : -1;
  }

  #endOfDecimal(at: number, most: number): number {
    const point = this.#copy(at, DIGIT);
    if (point === at) return -1;
    let end = point;
    if (this.#text[point] === POINT) {
      this.#cells[point - this.#dropped] = POINT;
      end = this.#copy(point + 1, DIGIT);
      if (end === point + 1) return -1;
    }
    return end <= most ? end : -1;
  }

  #endOfMinus(at: number): number {
    if (this.#text[at] !== MINUS) return at;
    this.#cells[at - this.#dropped] = MINUS;
    return at + 1;
  }

  #endOfFlag(at: number): number {
    const word = TRUE.isAt(this.#view, at) ? TRUE : FALSE;
    if (!word.isAt(this.#view, at)) return -1;
    const end = this.#copy(at, FIRST);
    return end === at + word.length ? end : -1;
  }

  /** A non-negative integer as JSON writes it, without leading zeros. */
  #endOfInteger(start: number): number {
    const text = this.#text;
    const end = this.#copy(start, DIGIT);
    const count = end - start;
    if (count === 0 || count > MAX_DIGITS || (count > 1 && text[start] === ZERO)) return -1;
    let value = 0;
    for (let at = start; at < end; at++) value = value * 10 + (text[at] ?? 0) - ZERO;
    this.integer = value;
    return end;
  }
}

// Where each key of a TOML text stands: the parser keeps values only, and a problem must name its line.

/** Line and column, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Keys from the outside to the inside; tables of a list by their number. */
export type KeyPath = readonly (string | number)[];

const BARE = /[A-Za-z0-9_-]/;
/** The config file has four; of deeper keys the outer parts are enough. */
const MAX_PARTS = 16;
const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}" };

/** Finds keys in a text that the parser has accepted; what an array of plain values holds is not looked for. */
export class KeyPlaces {
  readonly #text: string;
  readonly #places = new Map<string, Place>();
  readonly #counts = new Map<string, number>();
  #at = 0;
  /** The last line that was counted, and where it begins. */
  #line = 1;
  #lineStart = 0;
  #table: KeyPath = [];

  /** @param text valid TOML; anything else gives fewer places, never an error */
  constructor(text: string) {
    this.#text = text;
    while (this.#at < text.length) this.#readLine();
  }

  /** Place of the key, or of the nearest one around it; the first line when there is none. */
  of(path: KeyPath): Place {
    for (let length = Math.min(path.length, MAX_PARTS); length > 0; length--) {
      const place = this.#places.get(JSON.stringify(path.slice(0, length)));
      if (place !== undefined) return place;
    }
    return { line: 1, column: 1 };
  }

  #readLine(): void {
    this.#skipBlank();
    if (this.#peek() === "[") this.#readHeading();
    else if (this.#peek() !== undefined) this.#readPair(this.#table);
    this.#skipLine();
  }

  #readHeading(): void {
    const start = this.#at;
    const isList = this.#text.startsWith("[[", this.#at);
    this.#at += isList ? 2 : 1;
    const path = this.#within(this.#readKey());
    if (isList) {
      const name = JSON.stringify(path);
      const count = this.#counts.get(name) ?? 0;
      this.#counts.set(name, count + 1);
      this.#table = [...path, count];
    } else this.#table = path;
    this.#note(path, start);
    this.#note(this.#table, start);
  }

  /** A heading below a list of tables means the last table of that list. */
  #within(path: readonly string[]): KeyPath {
    let full: KeyPath = [];
    for (const [i, part] of path.entries()) {
      full = [...full, part];
      const count = this.#counts.get(JSON.stringify(full));
      if (count !== undefined && i < path.length - 1) full = [...full, count - 1];
    }
    return full;
  }

  #readPair(table: KeyPath): void {
    const start = this.#at;
    const path = [...table, ...this.#readKey()];
    if (this.#peek() !== "=") {
      this.#at = Math.max(this.#at, start + 1);
      return;
    }
    this.#note(path, start);
    this.#at++;
    this.#skipSpaces();
    this.#readValue(path);
  }

  #readKey(): string[] {
    const parts: string[] = [];
    do {
      if (this.#peek() === ".") this.#at++;
      this.#skipSpaces();
      const quote = this.#peek();
      const part = quote === '"' || quote === "'" ? this.#readString() : this.#readBare();
      if (parts.length < MAX_PARTS) parts.push(part);
      this.#skipSpaces();
    } while (this.#peek() === ".");
    return parts;
  }

  #readBare(): string {
    const start = this.#at;
    while (BARE.test(this.#peek() ?? " ")) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  /** @returns the text between the quotes */
  #readString(): string {
    const quote = this.#peek() ?? "";
    const mark = this.#text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote;
    const start = this.#at + mark.length;
    this.#at = start;
    while (this.#at < this.#text.length && !this.#text.startsWith(mark, this.#at)) {
      this.#at += quote === '"' && this.#peek() === "\\" ? 2 : 1;
    }
    // Up to two quotes may stand before the three that end a long string.
    for (let more = 0; mark.length > 1 && more < 2 && this.#isQuoteAfter(mark); more++) this.#at++;
    const text = this.#text.slice(start, this.#at);
    this.#at += mark.length;
    return quote === '"' ? unescapeKey(text) : text;
  }

  #isQuoteAfter(mark: string): boolean {
    return this.#text.startsWith(mark[0] ?? "", this.#at + mark.length);
  }

  #readValue(path: KeyPath): void {
    const first = this.#peek();
    if (first === '"' || first === "'") this.#readString();
    else if (first === "{") this.#readInside(() => this.#readPair(path));
    else if (first === "[") {
      let index = 0;
      this.#readInside(() => this.#readValue([...path, index++]));
    } else while (!/[,\]}#\n]/.test(this.#peek() ?? "\n")) this.#at++;
  }

  #readInside(readOne: () => void): void {
    const end = CLOSING[this.#peek() ?? ""];
    this.#at++;
    for (;;) {
      this.#skipBlank();
      const next = this.#peek();
      if (next === undefined || next === end) break;
      const before = this.#at;
      if (next !== ",") readOne();
      // What begins no value, which only a text that is no TOML has, is passed over.
      if (this.#at === before) this.#at++;
    }
    this.#at++;
  }

  #note(path: KeyPath, at: number): void {
    const name = JSON.stringify(path);
    if (this.#places.has(name)) return;
    // Keys are met in the order in which they stand.
    for (let end = this.#text.indexOf("\n", this.#lineStart); end >= 0 && end < at; ) {
      this.#line++;
      this.#lineStart = end + 1;
      end = this.#text.indexOf("\n", this.#lineStart);
    }
    this.#places.set(name, { line: this.#line, column: at - this.#lineStart + 1 });
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #skipSpaces(): void {
    while (/[ \t]/.test(this.#peek() ?? "")) this.#at++;
  }

  /** Spaces, line ends and comments. */
  #skipBlank(): void {
    while (/[\s#]/.test(this.#peek() ?? "")) {
      if (this.#peek() === "#") this.#skipLine();
      else this.#at++;
    }
  }

  #skipLine(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }
}

/** TOML's usual escapes are those of JSON; a text with another one stays as it is written. */
function unescapeKey(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

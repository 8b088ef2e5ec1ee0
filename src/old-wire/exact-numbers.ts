// JSON numbers with their exact text. JSON.parse turns them into floats, which would change long ids, long prices and trailing
// zeros; the document does not say which fields of open records are strings and which are numbers.
import { stripZeros } from "../units/uint.ts";

/** A JSON number whose text a float would not reproduce exactly. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Used by JSON.stringify where the number is not restored. */
  toJSON(): string {
    return this.text;
  }
}

/** A scalar as text, exactly as received; undefined for objects, arrays, null and undefined. */
export function exactText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}

/** An integer of any length as a JSON number, without leading zeros. @param digits digit text. */
export function exactInteger(digits: string): number | ExactNumber {
  const text = stripZeros(digits);
  return String(Number(text)) === text ? Number(text) : new ExactNumber(text);
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/**
 * Parses JSON text, keeping numbers exact that a float would change.
 * @returns undefined when there are no such numbers
 * @throws {SyntaxError} for text that is not JSON
 */
export function parseExact(text: string): unknown {
  const mark = unusedMark(text);
  let count = 0;
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    count++;
    return `"${mark}${token}"`;
  });
  if (count === 0) return undefined;
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark)
      ? new ExactNumber(value.slice(mark.length))
      : value,
  );
}

/**
 * JSON text of a value, in which exact numbers are written as numbers.
 * @throws {TypeError} when the value cannot be serialised: a BigInt, or a circular reference
 */
export function stringifyExact(value: unknown): string {
  const mark = unusedMark(JSON.stringify(value));
  let count = 0;
  const marked = JSON.stringify(value, function (this: Record<string, unknown>, name, each) {
    const original = this[name];
    if (!(original instanceof ExactNumber)) return each;
    count++;
    return `${mark}${original.text}`;
  });
  return count === 0 ? marked : marked.replace(new RegExp(`"${mark}([^"]*)"`, "g"), "$1");
}

function unusedMark(text: string): string {
  let mark = "exact number ";
  while (text.includes(mark)) mark = `exact ${mark}`;
  return mark;
}

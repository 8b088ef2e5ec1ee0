// JSON numbers with their exact text. A parser makes binary floats of them, which would change long ids, long prices
// and zeros at the end; the document does not say which fields of open records are text and which are numbers.
import { stripZeros } from "../units/uint.ts";

/** A JSON number that a binary float does not hold letter by letter. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What JSON makes of it where nobody puts the number back. */
  toJSON(): string {
    return this.text;
  }
}

/** A single value as text, exactly as received; undefined for objects, lists, null and what is not there. */
export function exactText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}

/** A whole number of any length as JSON carries it, without zeros before it. @param digits digit text. */
export function exactInteger(digits: string): number | ExactNumber {
  const text = stripZeros(digits);
  return String(Number(text)) === text ? Number(text) : new ExactNumber(text);
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/**
 * Reads JSON text, keeping the numbers exact that a float would change.
 * @returns undefined when there is none of them
 * @throws {SyntaxError} for text that is no JSON
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
 * JSON text of a value in which exact numbers stand as the numbers that they are.
 * @throws {TypeError} when the value has no JSON text: a BigInt, or an object within itself
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

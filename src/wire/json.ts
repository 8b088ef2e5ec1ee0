// Parses JSON without throwing, and measures its nesting.

/** @returns undefined when the text is not JSON (undefined is no JSON value). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for an object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Members of a parsed value; empty if it is not an object. */
export function getMembers(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The value at a path; undefined if one of its names is missing. */
export function followPath(from: unknown, path: readonly string[]): unknown {
  let value = from;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Maximum nesting of objects and arrays; the interface uses five levels. Deeper values could overflow recursive code. */
export const MAX_JSON_DEPTH = 32;
/** Texts up to this length parse quickly however deeply they are nested. */
const QUICK_LENGTH = 65_536;

/** True when a text is so long and nested that parsing it would take long. For shorter ones, check the value instead. */
export function isTooDeepToParse(text: string): boolean {
  return text.length > QUICK_LENGTH && isDeepText(text);
}

/** True when objects and arrays are nested deeper than `MAX_JSON_DEPTH`. Scans the text only. */
export function isDeepText(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = endOfText(text, i);
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth++;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth--;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Index of the closing quote of the string that begins here; the text's length if it has none. */
export function endOfText(text: string, begin: number): number {
  for (let i = begin + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i;
    if (unit === BACKSLASH) i++;
  }
  return text.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** The same for a parsed value. */
export function isDeepValue(value: unknown, depth = 1): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_JSON_DEPTH) return true;
  for (const part of Object.values(value)) if (isDeepValue(part, depth + 1)) return true;
  return false;
}

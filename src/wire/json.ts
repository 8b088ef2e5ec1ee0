// JSON whose numbers keep their text. JSON.parse would change long integers and trailing zeros, and the document does not say
// which fields of open records are numbers. Such a number is a string behind a mark, so that all state remains plain data.

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

const MARK = "\u0000n";
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;
/** A marked number as a whole value: an opening quote stands behind no backslash, and a name before a colon. */
const MARKED = /(?<!\\)"\\u0000n(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"(?!:)/g;
/** The interface nests five deep; deeper values could overflow recursive code. */
const MAX_DEPTH = 32;

/** @returns undefined when the text is not JSON, or nested too deeply */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value, 1) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** As `parseJson`; numbers that a float would change keep their text, see `textOf`. */
export function parseExact(text: string): Json | undefined {
  return parseJson(
    text.replace(STRING_OR_NUMBER, (token) =>
      token.startsWith('"') || String(Number(token)) === token ? token : `"\\u0000n${token}"`,
    ),
  );
}

/** A scalar as its exact text; undefined for null, lists and objects. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value.startsWith(MARK) ? value.slice(MARK.length) : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Digit text of any length as a JSON number that `formatJson` writes exactly. */
export function jsonInteger(digits: string): Json {
  return String(Number(digits)) === digits ? Number(digits) : `${MARK}${digits}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What would act in a terminal, or hide: C1 controls, bidi and zero-width characters. JSON itself escapes the others. */
const HARMFUL = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** JSON text of plain data: exact numbers are numbers, and harmful characters are `\u` escapes. */
export function formatJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? "null")
    .replace(MARKED, "$1")
    .replace(HARMFUL, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function isTooDeep(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_DEPTH) return true;
  for (const part of Object.values(value) as readonly Json[]) {
    // Most parts are no objects: asked here, that costs no call.
    if (typeof part === "object" && isTooDeep(part, depth + 1)) return true;
  }
  return false;
}

/** The members of an object; of anything else none. */
export function getMembers(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

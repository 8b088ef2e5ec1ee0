// JSON as it is printed: exact text of numbers, no characters that a terminal would obey or hide, no undefined fields.
import { visibleJson } from "../terminal/visible.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";

/** @throws {TypeError} if the value has no JSON text */
export function jsonText(value: unknown): string {
  return visibleJson(stringifyExact(value));
}

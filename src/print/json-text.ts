// JSON as it is printed: numbers with their exact text, and nothing that a terminal would obey or hide.
import { visibleJson } from "../terminal/visible.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";

/** @throws {TypeError} when the value has no JSON text */
export function jsonText(value: unknown): string {
  return visibleJson(stringifyExact(value));
}

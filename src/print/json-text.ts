// JSON as it is printed: numbers with their exact text, nothing that a terminal would obey or hide, no field that is undefined.
import { visibleJson } from "../terminal/visible.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";

/** @throws {TypeError} when the value has no JSON text */
export function jsonText(value: unknown): string {
  return visibleJson(stringifyExact(value));
}

// Text that the user types, in a line that may be shorter.
import { textWidth } from "../terminal/cells/text-cells.ts";

/** Stands behind what is typed: a line on the left of a cell. */
export const CARET = "▏";

/** The end of a text that is too long: where the user types. @param width cells. Never throws. */
export function endOfText(text: string, width: number): string {
  let shown = text;
  while (textWidth(shown) > Math.max(0, width)) shown = [...shown].slice(1).join("");
  return shown;
}

// The documents that are made from tables: their place and their text.
import { manPage } from "./man-page.ts";
import { keysText, referenceText } from "./reference.ts";

/** What makes the text of a document, by its path from the folder of the project. */
export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/keys.md": keysText,
  "docs/monitor.1": manPage,
  "docs/reference.md": referenceText,
};

// The generated documents: their paths and texts.
import { metricsText } from "./metrics.ts";
import { keysText, referenceText } from "./reference.ts";

/** Generators of documents, by path from the root of the project. */
export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/keys.md": keysText,
  "docs/metrics.md": metricsText,
  "docs/reference.md": referenceText,
};

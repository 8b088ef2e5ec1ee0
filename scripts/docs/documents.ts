// The generated documents: their paths and texts.
import { referenceText } from "./reference.ts";
import { SCHEMAS, schemaText } from "./schemas.ts";

/** Generators of documents, by path from the root of the project. */
export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/reference.md": referenceText,
  ...Object.fromEntries(
    Object.keys(SCHEMAS).map((name) => [`docs/schemas/${name}.json`, () => schemaText(name)]),
  ),
};

// The generated documents: their paths and texts.
import { JSON_FORMS, type JsonFormName, jsonSchema } from "../../src/print/json-schemas.ts";
import { metricsText } from "./metrics.ts";
import { keysText, referenceText } from "./reference.ts";

/** Generators of documents, by path from the root of the project. */
export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/keys.md": keysText,
  "docs/metrics.md": metricsText,
  "docs/reference.md": referenceText,
  ...Object.fromEntries(
    (Object.keys(JSON_FORMS) as JsonFormName[]).map((name) => [
      `docs/schemas/${name}.json`,
      () => `${formatJson(jsonSchema(name))}\n`,
    ]),
  ),
};

const LINE_CHARACTERS = 120;

/** What fits into a line stands in one. */
function formatJson(value: unknown, indent = ""): string {
  const flat = JSON.stringify(value);
  const fits = indent.length + flat.length <= LINE_CHARACTERS;
  if (fits || typeof value !== "object" || value === null) return flat;
  const inside = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, each]) => {
    const text = formatJson(each, inside);
    return `${inside}${isList ? "" : `${JSON.stringify(key)}: `}${text}`;
  });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

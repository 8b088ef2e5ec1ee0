import { describe, expect, test } from "vitest";
import { DOCUMENTS } from "../../scripts/docs/documents.ts";
import { fillReadme } from "../../scripts/docs/reference.ts";
import { readDocument } from "../support/documents.ts";

describe("documents that are made from tables", () => {
  test.each(Object.entries(DOCUMENTS))("%s is as the tables are (npm run docs)", (path, text) => {
    expect(readDocument(path)).toBe(text());
  });

  test("README.md has its tables as they are (npm run docs)", () => {
    const text = readDocument("README.md");
    expect(fillReadme(text)).toBe(text);
  });
});

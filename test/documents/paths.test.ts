// Files that the documents name exist.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readDocument } from "../support/documents.ts";

/** Paths in backquotes: with a slash, or a file of `src` itself. */
function pathsOf(text: string): string[] {
  const paths = text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+|\w+\.ts)`/g);
  return [...paths].map(([, path = ""]) => path);
}

test("every path of docs/architecture.md exists", () => {
  const paths = pathsOf(readDocument("docs/architecture.md"));
  expect(paths).toContain("stream/chain.ts");
  expect(paths.filter((path) => !["", "src/"].some((at) => existsSync(ROOT + at + path)))).toEqual(
    [],
  );
});

test("what docs/architecture.md looks for in a file is there", () => {
  const said = /((?:`\w+`, )*`\w+`) in `([\w./-]+)`/g;
  const missing = [...readDocument("docs/architecture.md").matchAll(said)].flatMap(
    ([, names = "", path = ""]) =>
      names
        .split(", ")
        .map((name) => name.replaceAll("`", ""))
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(readDocument(`src/${path}`)))
        .map((name) => `${name} in ${path}`),
  );
  expect(missing).toEqual([]);
});

test("every folder of src has its row in docs/architecture.md, and no other", () => {
  const rows = [...readDocument("docs/architecture.md").matchAll(/^\| `(\w+)` \|/gm)];
  const named = rows.map(([, folder = ""]) => folder).sort();
  const folders = readdirSync(`${ROOT}src`).filter((name) => !name.includes("."));
  expect(named).toEqual(folders.sort());
});

test.each(["README.md", "docs/guide.md", "docs/operations.md"])(
  "every file that %s links to exists",
  (document) => {
    const links = readDocument(document).matchAll(/\]\((?!https?:)([^)#\s]+)/g);
    const files = [...links].map(([, file = ""]) => join(ROOT, dirname(document), file));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  },
);

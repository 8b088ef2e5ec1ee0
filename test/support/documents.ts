// The documents of the repository, and what a reader may take from them: code blocks, links, paths, options.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Paths of all documents, from the root. */
export function documentPaths(): string[] {
  const inDocs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: "utf8" });
  const inRoot = readdirSync(ROOT);
  return [...inRoot, ...inDocs.map((name) => `docs/${name}`), "test/fixtures/README.md"].filter(
    (name) => name.endsWith(".md"),
  );
}

export function readDocument(path: string): string {
  return readFileSync(`${ROOT}${path}`, "utf8");
}

const BLOCK = /^```([a-z]*)\n([\s\S]*?)^```$(?:\n\n^```text\n([\s\S]*?)^```$)?/gm;

/** Those of a document; `output` stands right behind a block as ```text: what it prints. */
export function codeBlocks(document: string) {
  const text = readDocument(document);
  return [...text.matchAll(BLOCK)].map(({ 1: language = "", 2: body = "", 3: output, index }) => ({
    document,
    language,
    output,
    line: text.slice(0, index).split("\n").length,
    lines: body.split("\n").filter(Boolean),
  }));
}

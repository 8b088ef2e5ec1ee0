import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DOCUMENTS } from "../../scripts/docs/documents.ts";
import { ERRORS, fillReadme } from "../../scripts/docs/reference.ts";
import { COMMANDS } from "../../src/args/commands.ts";
import { OPTIONS } from "../../src/args/options.ts";
import { formatKey } from "../../src/screen/keymap.ts";
import { KEYS } from "../../src/screen/keys.ts";

const root = new URL("../../", import.meta.url);

/** Every code that an error of the program is made with, in the text of the source. */
function codesInSource(): string[] {
  const folder = new URL("src/", root);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const texts = files.map((name) => readFileSync(new URL(name, folder), "utf8"));
  const made = /new (?:MonitorError|ServiceError|HistoryError|ExportError)\(\s*["`]([a-z-]+)/g;
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(made)].map(([, code = ""]) => code))),
  ];
}

describe("documents that are made from tables", () => {
  test.each(Object.entries(DOCUMENTS))("%s is as the tables are (npm run docs)", (path, text) => {
    expect(readFileSync(new URL(path, root), "utf8")).toBe(text());
  });

  test.each(["docs/monitor.1", "docs/reference.md"])(
    "%s names every command and option",
    (path) => {
      const plain = (DOCUMENTS[path]?.() ?? "").replaceAll("\\-", "-");
      for (const { name } of COMMANDS) expect(plain).toContain(`monitor ${name}`.trimEnd());
      for (const { name, env = "" } of Object.values<{ name: string; env?: string }>(OPTIONS)) {
        expect(plain).toContain(`--${name}`);
        expect(plain).toContain(env);
      }
    },
  );

  test("README.md has its tables as they are (npm run docs)", () => {
    const text = readFileSync(new URL("README.md", root), "utf8");
    expect(fillReadme(text)).toBe(text);
  });

  test("name every error that the program reports", () => {
    const codes = codesInSource();
    expect(codes.length).toBeGreaterThan(10);
    const named = ERRORS.map(([code]) => code);
    expect(codes.filter((code) => !named.includes(code))).toEqual([]);
  });

  test("name every key and what it does", () => {
    for (const path of ["docs/monitor.1", "docs/keys.md"]) {
      const plain = (DOCUMENTS[path]?.() ?? "").replaceAll("\\-", "-").replaceAll("\\|", "|");
      for (const { keys, description } of KEYS) {
        expect(plain).toContain(description);
        for (const key of keys) expect(plain).toContain(formatKey(key));
      }
    }
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { DOCUMENTS } from "../../src/cli/reference/documents.ts";
import { KEYS } from "../../src/ui/keys.ts";

const root = new URL("../../", import.meta.url);

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

  test("name every key and what it does", () => {
    for (const path of ["docs/monitor.1", "docs/keys.md"]) {
      const plain = (DOCUMENTS[path]?.() ?? "").replaceAll("\\-", "-").replaceAll("\\|", "|");
      for (const { keys, words } of KEYS) {
        expect(plain).toContain(words);
        for (const key of keys) expect(plain).toContain(key);
      }
    }
  });
});

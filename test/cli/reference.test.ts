import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { DOCUMENTS } from "../../src/cli/reference/documents.ts";

const root = new URL("../../", import.meta.url);

describe("documents that are made from tables", () => {
  test.each(Object.entries(DOCUMENTS))("%s is as the tables are (npm run docs)", (path, text) => {
    expect(readFileSync(new URL(path, root), "utf8")).toBe(text());
  });

  test("name every command and every option", () => {
    for (const text of Object.values(DOCUMENTS)) {
      const plain = text().replaceAll("\\-", "-");
      for (const { name } of COMMANDS) expect(plain).toContain(`monitor ${name}`.trimEnd());
      for (const { name, env } of Object.values<{ name: string; env?: string }>(OPTIONS)) {
        expect(plain).toContain(`--${name}`);
        if (env !== undefined) expect(plain).toContain(env);
      }
    }
  });
});

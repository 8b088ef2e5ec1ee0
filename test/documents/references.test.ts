// No document refers to a file, an option, a script or a setting that does not exist.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/args/options.ts";
import { CONFIG_RULES } from "../../src/commands/config-rules.ts";
import { checkConfig } from "../../src/config/config-file.ts";
import { codeBlocks, documentPaths, ROOT, readDocument } from "../support/documents.ts";

/** Options of our scripts, of npm, of systemctl and of node_exporter; `--name` is a form in the words of completion. */
const OTHER_OPTIONS = [
  ...["--name", "--now", "--collector", "--smoke", "--checks-only", "--to", "--ignore-scripts"],
  ...process.allowedNodeEnvironmentFlags,
];

const known = new Set([
  ...Object.values<{ name: string }>(OPTIONS).map(({ name }) => `--${name}`),
  ...OTHER_OPTIONS,
]);
const { scripts } = JSON.parse(readDocument("package.json")) as { scripts: Record<string, string> };
const documents = documentPaths();

describe("documents", () => {
  test.each(documents)("%s leads to files that are there", (document) => {
    const links = [...readDocument(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)];
    const ours = links.map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
    expect(ours.filter((link) => !existsSync(join(ROOT, dirname(document), link)))).toEqual([]);
  });

  test.each(documents)("%s names options and scripts that are there", (document) => {
    const text = readDocument(document);
    const options = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g)].map(([option]) => option);
    // It names what is gone.
    const isHistory = document.endsWith("CHANGELOG.md");
    expect(options.filter((option) => !isHistory && !known.has(option))).toEqual([]);
    const named = [...text.matchAll(/npm run ([a-z]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("show settings that the program takes", () => {
    const settings = documents.flatMap(codeBlocks).filter(({ language }) => language === "toml");
    expect(settings.length).toBeGreaterThan(0);
    for (const { lines } of settings) {
      expect(checkConfig(lines.join("\n"), CONFIG_RULES)).toMatchObject({
        problems: [],
        removed: [],
      });
    }
  });
});

// Nothing in the repository refers to a file, an option or a script that does not exist.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/args/options.ts";
import { CONFIG_RULES } from "../../src/commands/config-rules.ts";
import { checkConfig } from "../../src/config/config-file.ts";
import { codeBlocks, documentPaths, ROOT, readDocument } from "../support/documents.ts";

/** Options of our scripts, of npm, and of Node, that the texts speak of. */
const OTHER_OPTIONS = [
  // As a form, in the words of completion.
  "--name",
  // Of systemctl and node_exporter.
  "--now",
  "--collector",
  "--smoke",
  "--save",
  "--checks-only",
  "--print-required",
  "--to",
  "--ignore-scripts",
  ...process.allowedNodeEnvironmentFlags,
  ...optionsIn(spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" }).stdout),
];

const known = new Set([
  ...Object.values<{ name: string }>(OPTIONS).map(({ name }) => `--${name}`),
  ...OTHER_OPTIONS,
]);
const { scripts } = JSON.parse(readDocument("package.json")) as { scripts: Record<string, string> };
const documents = documentPaths();
/** Files of our own that a text names; what has a place to fill in or a pattern is cut before it. */
function pathsIn(text: string): string[] {
  const found = text.matchAll(/(?<![\w./-])((?:src|docs|test|scripts|bench|bin)\/[\w./-]*\w)/g);
  return [...found].map(([, path = ""]) => path);
}

/** True for a file, a folder, or the beginning of the name of one, as in docs/adr/0016. */
function exists(path: string): boolean {
  if (existsSync(join(ROOT, path))) return true;
  const folder = join(ROOT, dirname(path));
  const name = path.slice(path.lastIndexOf("/") + 1);
  return existsSync(folder) && readdirSync(folder).some((each) => each.startsWith(name));
}

/** Files of the source that a text names by their place in it, as decision records do; a folder ends with a slash. */
function sourcesIn(text: string): string[] {
  const found = text.matchAll(/`([a-z]+\/[\w./-]*)`/g);
  const folders = readdirSync(`${ROOT}src`);
  return [...found]
    .flatMap(([, path = ""]) => path)
    .filter((path) => /(?:\.tsx?|\/)$/.test(path) && folders.includes(path.split("/")[0] ?? ""));
}

function optionsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g)].map(([option]) => option);
}

function filesUnder(folder: string, pattern: RegExp): string[] {
  const names = readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => pattern.test(name) && !/node_modules|dist/.test(name))
    .map((name) => `${folder}/${name}`);
}

describe("documents", () => {
  test.each(documents)("%s leads to files that are there", (document) => {
    const text = readDocument(document);
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
    const ours = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(ours.filter((link) => !existsSync(join(ROOT, dirname(document), link)))).toEqual([]);
    expect(pathsIn(text).filter((path) => !exists(path))).toEqual([]);
    expect(sourcesIn(text).filter((path) => !existsSync(join(ROOT, "src", path)))).toEqual([]);
  });

  test.each(documents)("%s names options and scripts that are there", (document) => {
    const text = readDocument(document);
    expect(optionsIn(text).filter((option) => !known.has(option))).toEqual([]);
    const named = [...text.matchAll(/npm run ([a-z]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("show settings that the program takes", () => {
    const settings = documents.flatMap(codeBlocks).filter(({ language }) => language === "toml");
    expect(settings.length).toBeGreaterThan(0);
    for (const { lines } of settings) {
      expect(checkConfig(lines.join("\n"), CONFIG_RULES).problems).toEqual([]);
    }
  });
});

test("each failure mode names tests that are there", () => {
  const named = [...readDocument("docs/reliability.md").matchAll(/`([a-z]+\/[a-z/-]+)`/g)];
  expect(named.length).toBeGreaterThan(20);
  expect(named.flatMap(([, path]) => (exists(`test/${path}`) ? [] : path))).toEqual([]);
});

test("the source names options and files that are there", () => {
  const wrong = filesUnder("src", /\.tsx?$/).flatMap((file) => {
    const text = readFileSync(`${ROOT}${file}`, "utf8");
    const options = optionsIn(text).filter((option) => !known.has(option));
    return [...options, ...pathsIn(text).filter((path) => !exists(path))].map(
      (each) => `${file}: ${each}`,
    );
  });
  expect(wrong).toEqual([]);
});

test("scripts, tests and benches name files that are there", () => {
  const files = ["scripts", "test", "bench"].flatMap((folder) =>
    filesUnder(folder, /\.(?:m?js|tsx?|json)$/),
  );
  const wrong = files.flatMap((file) =>
    pathsIn(readFileSync(`${ROOT}${file}`, "utf8"))
      .filter((path) => !exists(path) && path !== "bench/dist")
      .map((path) => `${file}: ${path}`),
  );
  expect(wrong).toEqual([]);
});

test("the source loads no code that it does not name, and makes none from text", () => {
  const strange = /\bimport\((?!\s*")|\brequire\(|\beval\(|\bFunction\(|["']node:vm["']/;
  const files = filesUnder("src", /\.tsx?$/);
  expect(files.filter((file) => strange.test(readFileSync(`${ROOT}${file}`, "utf8")))).toEqual([]);
});

test("the table of docs/architecture.md has every folder of the source", () => {
  const text = readDocument("docs/architecture.md");
  const folders = readdirSync(`${ROOT}src`);
  expect(folders.filter((folder) => !text.includes(`\n| \`src/${folder}\` |`))).toEqual([]);
});

test("every picture is shown in a document, and is not large", () => {
  const all = documents.map(readDocument).join("\n");
  for (const picture of readdirSync(`${ROOT}docs/pictures`)) {
    expect(all.includes(`pictures/${picture}`), picture).toBe(true);
    expect(readDocument(`docs/pictures/${picture}`).length, picture).toBeLessThan(60_000);
  }
});

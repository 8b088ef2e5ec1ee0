// The planted bugs fit the source that they are planted in. Whether they are caught: `npm run mutants`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly breaks: string;
  readonly tests: readonly string[];
}

const folder = import.meta.dirname;
const bugs = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as PlantedBug[]);

test.each(bugs)("the place of the planted bug $name is there exactly once", (bug) => {
  const places = readFileSync(bug.file, "utf8").split(bug.find).length - 1;
  expect(places).toBe(1);
  expect(bug.replace).not.toBe(bug.find);
  expect(bug.tests.filter((path) => !existsSync(path))).toEqual([]);
});

test("no two planted bugs have the same name", () => {
  expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
});

test("the list of them is that of the document", () => {
  const rows = readFileSync("docs/planted-bugs.md", "utf8").matchAll(/^\| ([a-z0-9-]+) \| `/gm);
  expect([...rows].map(([, name]) => name)).toEqual(bugs.map(({ name }) => name));
});

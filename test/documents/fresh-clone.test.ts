// What a fresh clone can run: a script that sets things up needs nothing but Node before it has.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..", "..", "scripts");
const scripts = readdirSync(folder).filter(
  (name) => name.endsWith(".mjs") && readFileSync(join(folder, name), "utf8").includes("setUp()"),
);

/** Packages that are loaded as soon as a file is, by it or by what it imports. */
function packagesOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const names = [...text.matchAll(/^(?:import|export)\b[^;]*? from "(.+)";$/gm)].map(
    ([, name = ""]) => name,
  );
  return names.flatMap((name) => {
    if (name.startsWith(".")) return packagesOf(join(dirname(path), name));
    return name.startsWith("node:") ? [] : [name];
  });
}

test("there are such scripts", () => {
  expect(scripts).toEqual(expect.arrayContaining(["docs.mjs", "start.mjs", "test.mjs"]));
});

test.each(scripts)("%s loads no package before they are installed", (name) => {
  expect(packagesOf(join(folder, name))).toEqual([]);
});

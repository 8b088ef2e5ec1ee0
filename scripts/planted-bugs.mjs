// Planted bugs: changes of the source that a test must detect. They are applied while a test run loads the source, so no file
// is modified. The bugs are data: test/mutants/*.json.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "./setup.mjs";

const folder = join(root, "test", "mutants");

/** Every planted bug, in the order of the files. */
export function readPlantedBugs() {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.sort().flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}

/** The text with the bug in it. @throws {Error} unless the text to replace occurs exactly once */
export function plant({ name, file, find, replace }, text) {
  const [before, after, ...more] = text.split(find);
  if (after === undefined || more.length > 0) {
    throw new Error(`${name}: ${file} must hold this exactly once: ${find}`);
  }
  return `${before}${replace}${after}`;
}

/** A Vite plugin that plants the named bug while loading the source; none without a name. */
export function plantBug(name) {
  if (name === undefined) return [];
  const bug = readPlantedBugs().find((each) => each.name === name);
  if (bug === undefined) throw new Error(`no planted bug is named ${name}`);
  return {
    name: "plant-bug",
    enforce: "pre",
    transform(text, id) {
      const file = relative(root, id.split("?")[0] ?? "")
        .split(sep)
        .join("/");
      return file === bug.file ? { code: plant(bug, text), map: null } : null;
    },
  };
}

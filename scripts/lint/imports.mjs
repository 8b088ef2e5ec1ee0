// Checks which folder of src may import which, and that there are no import cycles. Part of `npm run check`.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** Each folder may import units and the folders in its row. The files of src itself and commands may import all. */
const MAY_IMPORT = {
  units: "",
  wire: "",
  terminal: "",
  stream: "wire",
  state: "wire",
  simulator: "wire",
  listing: "wire",
  select: "state wire",
  system: "terminal wire",
  args: "listing select system terminal wire",
  config: "args select state system terminal wire",
  alerts: "args config select state system terminal timeline wire",
  metrics: "select state system wire",
  timeline: "args config state stream system wire",
  export: "args config listing select system terminal wire",
  statement: "config export listing select state system wire",
  screen: "alerts listing select state statement terminal timeline wire",
  live: "alerts args config listing select state statement stream system terminal timeline wire",
  print: "args config listing live select state statement system terminal timeline wire",
  doctor: "args config listing live print select state stream system terminal wire",
};

const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

const files = readdirSync(src, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file) {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, path]) => normalize(join(dirname(file), path)));
}

function folderOf(file) {
  return file.includes(sep) ? file.slice(0, file.indexOf(sep)) : "";
}

const wrong = [];
for (const [file, targets] of imports) {
  const allowed = MAY_IMPORT[folderOf(file)]?.split(" ");
  for (const target of targets) {
    const [from, to] = [folderOf(file), folderOf(target)];
    if (allowed === undefined || from === to || to === "units" || allowed.includes(to)) continue;
    if (to === "..") continue;
    wrong.push(`src/${file} imports ${relative(".", target)}: ${from} may not import ${to}`);
  }
}

/** Imports that remain at run time, unlike those of types. */
const RUNNING_IMPORT =
  /^(?:import|export)\s(?!type\b)(?!\{(?:\s*type [^,}]+,?)+\s*\}\sfrom)[^;"]*"(\.{1,2}\/[^"]+)"/gm;

/** Files already visited, and the path to the current one. */
const visited = new Set();
const way = [];

/** In the bundle, files in a cycle would wait for each other for ever, since some imports are awaited. */
function findCircles(file) {
  if (way.includes(file)) {
    wrong.push(`imported in a circle: ${[...way.slice(way.indexOf(file)), file].join(" → ")}`);
  }
  if (visited.has(file)) return;
  visited.add(file);
  way.push(file);
  const text = readFileSync(join(src, file), "utf8");
  for (const [, path] of text.matchAll(RUNNING_IMPORT)) {
    const target = normalize(join(dirname(file), path));
    if (imports.has(target)) findCircles(target);
  }
  way.pop();
}
for (const file of files) findCircles(file);
process.stdout.write(wrong.map((line) => `${line}\n`).join(""));
process.exitCode = wrong.length === 0 ? 0 : 1;

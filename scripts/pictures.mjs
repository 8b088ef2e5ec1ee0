// `npm run pictures [name…]`: the pictures of the documents, taken from screens of the built program on its simulated exchange. The
// market is the same each time; how far it has advanced when a picture is taken is not. `--to FOLDER` writes them elsewhere.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FIRST_SIZE, PICTURES } from "./pictures/pictures.mjs";
import { root, say, setUp } from "./setup.mjs";

/** Imports a module in TypeScript. */
async function importTs(path) {
  const { build } = await import("esbuild");
  const entryPoints = [join(root, path)];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: "esm" });
  const text = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${text}`);
}

/** The status line is the last line of a screen with this many rows. */
function isDrawn(rows) {
  return new RegExp(`^(?:.*\\n){${rows - 1}}.*quit`);
}

/** Runs the program until the screen shows what the picture is about: one scene after the other. */
async function takePicture({ title, args, columns, rows, first, scenes, seconds }) {
  const program = new PicturedProgram(args, FIRST_SIZE);
  const look = { background: TERMINAL.background, title };
  try {
    await program.until(first);
    if (columns !== FIRST_SIZE.columns) program.resize(columns, rows);
    await program.until([isDrawn(rows)]);
    const taken = [];
    for (const { keys, shows, caption } of scenes) {
      for (const key of keys) program.type(key);
      taken.push({ cells: await program.cells(shows, TERMINAL), caption });
    }
    if (seconds !== undefined) return scenesToSvg(taken, { ...look, seconds });
    return cellsToSvg(taken[0].cells, look);
  } finally {
    await program.end();
  }
}

const { values, positionals } = parseArgs({
  options: { to: { type: "string", default: join(root, "docs", "pictures") } },
  allowPositionals: true,
});
await setUp();
const { cellsToSvg, scenesToSvg } = await importTs("scripts/pictures/svg.ts");
// Imported after the set-up: a fresh clone has no pseudo-terminals before it.
const { PicturedProgram, TERMINAL } = await import("./pictures/terminal-cells.mjs");
mkdirSync(values.to, { recursive: true });
const isWanted = (name) => positionals.length === 0 || positionals.includes(name);
for (const picture of PICTURES) {
  if (!isWanted(picture.name)) continue;
  writeFileSync(join(values.to, `${picture.name}.svg`), await takePicture(picture));
  say(`✓ ${picture.name}`);
}

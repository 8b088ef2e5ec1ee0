// `npm run pictures [name…]`: the pictures of the documents, taken from screens of the built program on its simulated exchange. The
// market is the same each time; how far it has advanced when a picture is taken is not. `--to FOLDER` writes them elsewhere.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PICTURES } from "./pictures/pictures.mjs";
import { cellsToSvg, scenesToSvg } from "./pictures/svg.mjs";
import { root, say, setUp } from "./setup.mjs";

/** Runs the program until the screen shows what the picture is about: one scene after the other. */
async function takePicture({ title, args, columns, rows, first, scenes, seconds }) {
  const program = openPictured(args, { columns, rows });
  const look = { background: BACKGROUND, title };
  try {
    await program.cells(first);
    const taken = [];
    for (const { keys, shows, caption } of scenes) {
      for (const key of keys) program.type(key);
      taken.push({ cells: await program.cells(shows), caption });
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
// Imported after the set-up: a fresh clone has no pseudo-terminals before it.
const { BACKGROUND, openPictured } = await import("./pictures/terminal-cells.mjs");
mkdirSync(values.to, { recursive: true });
for (const picture of PICTURES) {
  if (positionals.length > 0 && !positionals.includes(picture.name)) continue;
  writeFileSync(join(values.to, `${picture.name}.svg`), await takePicture(picture));
  say(`✓ ${picture.name}`);
}

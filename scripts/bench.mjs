// `npm run bench [name…] [--save]`: set-up if needed, then the benches, one after the other. `--save` runs each three times and
// writes docs/performance.md with its picture. Figures are of this machine at this moment: only ratios count.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, setUp } from "./setup.mjs";

await setUp();
// Imported after the set-up: a fresh clone has no esbuild before it.
const { build } = await import("esbuild");
// Inside the project, so that packages resolve: they are used as they are installed.
const outdir = mkdtempSync(join(root, "dist", "bench-"));
const sources = readdirSync(join(root, "bench"), { recursive: true });
try {
  await build({
    absWorkingDir: root,
    entryPoints: sources.filter((name) => /\.tsx?$/.test(name)).map((name) => `bench/${name}`),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    jsx: "automatic",
    packages: "external",
    logLevel: "error",
  });
  const { main } = await import(pathToFileURL(join(outdir, "main.mjs")).href);
  await main(process.argv.slice(2));
} finally {
  rmSync(outdir, { recursive: true, force: true });
}

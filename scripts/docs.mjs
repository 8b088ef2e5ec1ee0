// `npm run docs`: set-up when needed, then the documents that are made from the program's tables. A test fails when
// they differ.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, setUp } from "./setup.mjs";

await setUp();
// Not before the set-up: in a fresh clone there is nothing to bundle with.
const { build } = await import("esbuild");
// Inside the project, so that packages that are not bundled are found.
const folder = mkdtempSync(join(root, "dist", "docs-"));
try {
  await build({
    absWorkingDir: root,
    entryPoints: ["scripts/docs/documents.ts", "scripts/docs/reference.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // What commands load when they run stays out of the way.
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const { DOCUMENTS } = await import(pathToFileURL(join(folder, "documents.mjs")).href);
  for (const [path, text] of Object.entries(DOCUMENTS)) writeFileSync(join(root, path), text());
  const { fillReadme } = await import(pathToFileURL(join(folder, "reference.mjs")).href);
  const readme = join(root, "README.md");
  writeFileSync(readme, fillReadme(readFileSync(readme, "utf8")));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// `npm run docs`: set-up if needed, then generates the documents from the program's tables. A test fails when they are out of date.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, setUp } from "./setup.mjs";

await setUp();
// Imported after the set-up: a fresh clone has no esbuild before it.
const { build } = await import("esbuild");
// Inside the project, so that external packages resolve.
const folder = mkdtempSync(join(root, "dist", "docs-"));
try {
  await build({
    absWorkingDir: root,
    entryPoints: ["scripts/docs/documents.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Code that commands load on demand stays out of the entry chunks.
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const { DOCUMENTS } = await import(pathToFileURL(join(folder, "documents.mjs")).href);
  mkdirSync(join(root, "docs", "schemas"), { recursive: true });
  for (const [path, text] of Object.entries(DOCUMENTS)) writeFileSync(join(root, path), text());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

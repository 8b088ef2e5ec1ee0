// `npm run bench`: set-up if needed, bundles the benches with production React, then runs bench/main.ts.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { root, say, setUp } from "./setup.mjs";

const folder = join(root, "bench");
const outdir = join(folder, "dist");

/** Packages that benches compare with have an install of their own; a smoke run does without it. */
function installComparisons() {
  if (existsSync(join(folder, "node_modules"))) return;
  say("installing what is compared with (npm ci in bench/) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status } = spawnSync(npm, ["ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) say("bench: comparisons could not be installed; they are left out");
}

async function bundle() {
  // Imported after the set-up: a fresh clone has no esbuild before it.
  const { build } = await import("esbuild");
  const { bundleOptions, requireBanner } = await import("./bundle.mjs");
  await rm(outdir, { recursive: true, force: true });
  const entries = readdirSync(folder).filter((name) => /\.tsx?$/.test(name));
  // Helpers that some benches start as processes, or load into them.
  const helpers = ["exporter", "feeder", "lister", "parser", "probe"].map(
    (name) => `harness/${name}.ts`,
  );
  await build({
    ...bundleOptions,
    entryPoints: [...entries, ...helpers].map((name) => join(folder, name)),
    outbase: folder,
    outdir,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    // undici is loaded on demand: in chunks its exports would lose their names.
    external: [...bundleOptions.external, "@lydell/node-pty", "undici"],
    banner: { js: requireBanner },
  });
}

await setUp();
if (!process.argv.includes("--smoke")) installComparisons();
await bundle();
await import(join(outdir, "main.mjs"));

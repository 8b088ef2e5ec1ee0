// Bundles the program into dist/ with React's production build, and stores compiled code beside it.
import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { builtinModules, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { licencesText } from "./licences.mjs";
import { patchModules, requirePatched } from "./patches.mjs";

const CODE_CACHE_TIMEOUT_MS = 30_000;
/** Exit code of scripts/code-cache.mjs. */
const NO_FRAME = 4;

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/** Packages not needed for the first price, in files of their own: less to read and to cache as compiled code. */
const latePackages = ["undici"];

/** Exports of node:fs that are not read: Node 24 warns about some of them, others load more of Node (1 ms). */
const UNREAD = /^(?:[FRWX]_OK|promises|(?:File)?(?:Read|Write)Stream)$/;

/** A stub for an external module, which is required when its importer first runs. */
function wrapOutside(path) {
  const names = Object.keys(createRequire(import.meta.url)(path));
  const place = latePackages.includes(path) ? `../dist/${path}.cjs` : path;
  return [
    `const all = /* @__PURE__ */ require(${JSON.stringify(place)});`,
    "export default all;",
    ...names
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default")
      .filter((name) => !UNREAD.test(name))
      .map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`),
  ].join("\n");
}

/** Turns external imports into `require` calls, since a script has no imports. */
const requireOutside = {
  name: "require-outside",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (!builtins.has(path) && !latePackages.includes(path)) return undefined;
      return kind === "require-call" ? { path, external: true } : { path, namespace: "outside" };
    });
    onLoad({ filter: /.*/, namespace: "outside" }, ({ path }) => ({
      contents: wrapOutside(path),
    }));
  },
};

/** Options common to all bundles. */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  define: { "process.env.NODE_ENV": '"production"' },
  // Optional accelerators of ws, which are not installed.
  external: ["bufferutil", "utf-8-validate"],
  metafile: true,
  logLevel: "error",
};

/** Prologue of a module that uses `require`. */
export const requireBanner =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';

/**
 * The program as one script, the body of an async function of (require, importMeta): Node 20 can cache compiled code of a script,
 * not of a module. Dynamic imports of the source still run on demand.
 */
function buildProgram(root, outfile, patched) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    outfile,
    minify: true,
    define: { ...bundleOptions.define, "import.meta": "importMeta" },
    external: [...bundleOptions.external, "../dist/*"],
    plugins: [patchModules(patched), requireOutside],
    banner: { js: '(async(require,importMeta)=>{"use strict";' },
    footer: { js: "})" },
  });
}

/**
 * bin/program.js reads the program as Latin-1, one byte a character, so it must be ASCII. The bundler escapes everything except
 * regular expressions, which it copies verbatim.
 */
async function requireAscii(file) {
  const text = await readFile(file, "utf8");
  const at = text.search(/[^\0-\x7f]/);
  if (at < 0) return;
  const place = JSON.stringify(text.slice(Math.max(0, at - 40), at + 20));
  throw new Error(`the bundle is not ASCII: spell out with \\u what is in ${place}`);
}

/** A package that is loaded on demand. */
function buildLatePackage(root, name, outfile, patched) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    // Required rather than imported: some packages export something else to an import.
    stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
    outfile,
    format: "cjs",
    minify: true,
    plugins: [patchModules(patched)],
  });
}

/** The simulated exchange: the entry of a worker thread. */
function buildWorker(root, outfile, patched) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: ["src/commands/simulator-worker.ts"],
    outfile,
    minify: true,
    external: [...bundleOptions.external, "../dist/*"],
    plugins: [patchModules(patched), requireOutside],
    banner: { js: requireBanner },
  });
}

/** Bundles everything and stores compiled code, then writes the digest of the sources as a stamp. */
export async function buildAll({ root, stampFile, digest }) {
  const dist = join(root, "dist");
  await rm(dist, { recursive: true, force: true });
  const patched = new Set();
  const bundles = await Promise.all([
    buildProgram(root, join(dist, "monitor.js"), patched),
    buildWorker(root, join(dist, "simulator-worker.js"), patched),
    ...latePackages.map((name) => buildLatePackage(root, name, join(dist, `${name}.cjs`), patched)),
  ]);
  requirePatched(patched);
  await requireAscii(join(dist, "monitor.js"));
  const metafiles = bundles.map(({ metafile }) => metafile);
  await writeFile(join(dist, "third-party-licenses.txt"), licencesText(root, metafiles));
  // Without compiled code the program only starts a little later; but it must have drawn a frame.
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "code-cache.mjs")], {
    stdio: ["ignore", "ignore", 2],
    timeout: CODE_CACHE_TIMEOUT_MS,
  });
  if (status === NO_FRAME) throw new Error("the built program ends without having drawn a frame");
  await mkdir(dirname(stampFile), { recursive: true });
  await writeFile(stampFile, digest);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { root, sourcesDigest } = await import("./setup.mjs");
  await buildAll({ root, stampFile: join(root, "dist", ".sources"), digest: sourcesDigest() });
}

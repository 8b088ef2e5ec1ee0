// Bundles the program into dist/ with React's production build, and stores compiled code beside it.
import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { builtinModules, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "./bundle.mjs";
import { bundledPackages, licencesText, sbomText } from "./bundled-packages.mjs";
import { root, sourcesDigest } from "./setup.mjs";

const CODE_CACHE_TIMEOUT_MS = 30_000;
const dist = join(root, "dist");
const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/** Not needed for the first price: in a file of its own, which is read with the first request. */
const LATE_PACKAGE = "undici";

/** A stand-in for an external module, which is required when its importer first runs. */
function wrapOutside(path) {
  const names = Object.keys(createRequire(import.meta.url)(path));
  const place = path === LATE_PACKAGE ? `../dist/${path}.cjs` : path;
  return [
    `const all = /* @__PURE__ */ require(${JSON.stringify(place)});`,
    "export default all;",
    ...names
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default")
      .map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`),
  ].join("\n");
}

/** Turns external imports into `require` calls, since a script has no imports. */
const requireOutside = {
  name: "require-outside",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (!builtins.has(path) && path !== LATE_PACKAGE) return undefined;
      return kind === "require-call" ? { path, external: true } : { path, namespace: "outside" };
    });
    onLoad({ filter: /.*/, namespace: "outside" }, ({ path }) => ({ contents: wrapOutside(path) }));
  },
};

/**
 * The program as one script: an async function of (require, importMeta), written so that V8 compiles it as it reads it. Dynamic
 * imports of the source still run on demand.
 */
function buildProgram() {
  return build({
    ...bundleOptions,
    entryPoints: ["src/main.ts"],
    outfile: join(dist, "monitor.js"),
    minify: true,
    define: { ...bundleOptions.define, "import.meta": "importMeta" },
    external: [...bundleOptions.external, "../dist/*"],
    plugins: [...bundleOptions.plugins, requireOutside],
    banner: { js: '(async function(require,importMeta){"use strict";' },
    footer: { js: "})" },
  });
}

function buildLatePackage() {
  return build({
    ...bundleOptions,
    // Required rather than imported: some packages export something else to an import.
    stdin: { contents: `module.exports = require("${LATE_PACKAGE}");`, resolveDir: root },
    outfile: join(dist, `${LATE_PACKAGE}.cjs`),
    format: "cjs",
    minify: true,
    define: {},
    inject: [],
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

/** Bundles everything and stores compiled code, then writes the digest of the sources as a stamp. */
export async function buildAll({ stampFile, digest }) {
  await rm(dist, { recursive: true, force: true });
  const bundles = await Promise.all([buildProgram(), buildLatePackage()]);
  await requireAscii(join(dist, "monitor.js"));
  const metafiles = bundles.map(({ metafile }) => metafile);
  const packages = bundledPackages(root, metafiles);
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await writeFile(join(dist, "third-party-licenses.txt"), licencesText(root, packages));
  await writeFile(join(dist, "sbom.cdx.json"), sbomText(packages, manifest));
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "code-cache.mjs")], {
    // The environment of the build must not matter: a config file, a screen reader, a dumb terminal.
    env: { PATH: process.env.PATH, HOME: "/dev/null", TERM: "xterm-256color" },
    stdio: ["ignore", "ignore", 2],
    timeout: CODE_CACHE_TIMEOUT_MS,
  });
  // Where nothing can listen, there is no simulated exchange to start: the program works without compiled code.
  if (status !== 0) process.stderr.write("no compiled code was stored: starts take longer\n");
  await mkdir(dirname(stampFile), { recursive: true });
  await writeFile(stampFile, digest);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await buildAll({ stampFile: join(dist, ".sources"), digest: sourcesDigest() });
}

// Bundles the program into dist/, with React's production build by construction, and keeps compiled code beside it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { builtinModules, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { licencesText } from "./licences.mjs";

const CODE_CACHE_TIMEOUT_MS = 30_000;

/** Modules whose text is changed on the way in: which, and how. */
const patches = [
  {
    // A WebAssembly module in a data: URL; Node's fetch would be loaded only to read that.
    filter: /yoga-layout[\\/]dist[\\/]binaries[\\/]yoga-wasm-base64-esm\.js$/,
    change: (text) => `const fetch = undefined;\n${text}`,
  },
  {
    // A CommonJS module that cannot `require` ink, which is an ES module with top-level await.
    filter: /ink-table[\\/]dist[\\/]index\.js$/,
    change: (text) =>
      [
        'import * as react from "react";',
        'import * as ink from "ink";',
        'import * as hash from "object-hash";',
        'const modules = { react: react.default ?? react, ink, "object-hash": hash.default ?? hash };',
        "const exports = {};",
        `((exports, require) => {\n${text}\n})(exports, (name) => modules[name]);`,
        "export default exports.default;",
        "export const { Header, Cell, Skeleton } = exports;",
      ].join("\n"),
  },
  {
    // Cryptography, which takes milliseconds to load: with the first hash, and not at every start.
    filter: /object-hash[\\/]index\.js$/,
    change: (text) =>
      text.replace(
        /^var crypto = require\('crypto'\);$/m,
        "const crypto = { createHash: (name) => require('crypto').createHash(name) };",
      ),
  },
  {
    // Segmenters and a pattern of every emoji, which take tens of milliseconds to make: made when first used.
    filter:
      /(?:string-width[\\/]index|slice-ansi[\\/]tokenize-ansi|ansi-tokenize[\\/]build[\\/]tokenize)\.js$/,
    change: (text) =>
      text
        .replace(
          /^const (\w+) = (new Intl\.Segmenter\(.*\));$/m,
          "let lazySegmenter;\nconst $1 = { segment: (text) => (lazySegmenter ??= $2).segment(text) };",
        )
        .replace(/^const rgiEmojiRegex = .+;$/m, "let rgiEmoji;")
        .replace("rgiEmojiRegex.test(", "(rgiEmoji ??= /^\\p{RGI_Emoji}$/v).test("),
  },
  {
    // Finding and reading a package.json, which we never ask for, is more than half of meow's code.
    filter: /meow[\\/]build[\\/]options\.js$/,
    change: (text) =>
      text.replace(
        /^import \{[^}]*readPackageUpSync[^}]*\} from '\.\/dependencies\.js';$/m,
        "const readPackageUpSync = () => undefined, normalizePackageData = () => {};",
      ),
  },
  {
    // Lets the bundler see that nothing of it is needed.
    filter: /meow[\\/]build[\\/]dependencies\.js$/,
    change: (text) =>
      text
        .replace("= requireNormalize();", "= /* @__PURE__ */ requireNormalize();")
        .replace(
          "= getDefaultExportFromCjs(normalizeExports);",
          "= /* @__PURE__ */ getDefaultExportFromCjs(normalizeExports);",
        )
        .replace("\npromisify(execFile);\n", "\n"),
  },
  {
    // All of undici that is used: its fetch, caches, mocks and WebSocket are three fifths of it.
    filter: /undici[\\/]index\.js$/,
    change: () =>
      [
        'const Dispatcher = require("./lib/dispatcher/dispatcher");',
        'Object.assign(Dispatcher.prototype, require("./lib/api"));',
        'const Pool = require("./lib/dispatcher/pool");',
        'module.exports = { Dispatcher, Pool, buildConnector: require("./lib/core/connect") };',
      ].join("\n"),
  },
  {
    // A key that Ink has no name for, such as Ctrl+F1, or an answer of the terminal: Ink would throw, or hand its
    // letters on as if they had been typed. A sequence that has only begun, or begins or ends a string, keeps its ESC.
    filter: /ink[\\/]build[\\/]hooks[\\/]use-input\.js$/,
    change: (text) =>
      text.replace(
        /^( *)if \(input\.startsWith\('\\u001B'\)\) \{$/m,
        [
          "$1const isPart = /^\\u001B(?:[\\]PX^_\\\\]|\\[[0-?]*[ -/]*)$/.test(input ??= '');",
          "$1if (!isPart && /^\\u001B+(?:\\[(?!<|20[01]~)|O.)/.test(input)) input = '';",
          "$1if (!isPart && input.startsWith('\\u001B')) {",
        ].join("\n"),
      ),
  },
  {
    // Ink's connection to React's developer tools.
    filter: /ink[\\/]build[\\/]devtools\.js$/,
    change: () => "export {};",
  },
];

/** The patches as a plugin of esbuild. */
export const patchModules = {
  name: "patch-modules",
  setup({ onLoad }) {
    for (const { filter, change } of patches) {
      onLoad({ filter }, async ({ path }) => ({ contents: change(await readFile(path, "utf8")) }));
    }
  },
};

/** The patches as a plugin of Vite, so that tests load the same modules as the bundle. */
export function patchModulesForTests() {
  return {
    name: "patch-modules",
    enforce: "pre",
    load(id) {
      const path = id.split("?")[0] ?? "";
      const patch = patches.find(({ filter }) => filter.test(path));
      if (patch !== undefined) return patch.change(readFileSync(path, "utf8"));
      // Source maps of sources that the package does not ship: Vite warns of each of them.
      if (!/[\\/]node_modules[\\/]ink[\\/]build[\\/].*\.js$/.test(path)) return null;
      return readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");
    },
  };
}

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/** Packages that the first frame does without, in files of their own: less to read and to keep compiled. */
const latePackages = ["undici", "ws"];

/** Names of node:fs that Node 24 warns of as soon as they are read. */
const DEPRECATED = /^[FRWX]_OK$/;

/** A module that stays outside, required when the module that imports it is first run. */
function wrapOutside(path) {
  const names = Object.keys(createRequire(import.meta.url)(path));
  const place = latePackages.includes(path) ? `../dist/${path}.cjs` : path;
  return [
    `const all = /* @__PURE__ */ require(${JSON.stringify(place)});`,
    "export default all;",
    ...names
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default")
      .filter((name) => !DEPRECATED.test(name))
      .map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`),
  ].join("\n");
}

/** Imports from outside made calls of `require`, since a script has no imports. */
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

/** What every bundle of ours has in common. */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  define: { "process.env.NODE_ENV": '"production"' },
  // Optional speedups of ws, which are not installed.
  external: ["bufferutil", "utf-8-validate"],
  metafile: true,
  logLevel: "error",
};

/** Start of a module that uses `require`. */
export const requireBanner =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';

/**
 * The program as one script, the body of an async function of (require, importMeta): Node 20 can keep compiled code
 * for a script, not for a module. What is imported later in the source is run later here, too.
 */
function buildProgram(root, outfile) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    outfile,
    minify: true,
    define: { ...bundleOptions.define, "import.meta": "importMeta" },
    external: [...bundleOptions.external, "../dist/*"],
    plugins: [patchModules, requireOutside],
    banner: { js: '(async(require,importMeta)=>{"use strict";' },
    footer: { js: "})" },
  });
}

/**
 * bin/program.js reads the program a byte a letter, which no UTF-8 would survive. The bundler spells out all but patterns,
 * which it hands on as they are written.
 */
async function requireAscii(file) {
  const text = await readFile(file, "utf8");
  const at = text.search(/[^\0-\x7f]/);
  if (at < 0) return;
  const place = JSON.stringify(text.slice(Math.max(0, at - 40), at + 20));
  throw new Error(`the bundle is not ASCII: spell out with \\u what is in ${place}`);
}

/** A package that is loaded when it is first needed. */
function buildLatePackage(root, name, outfile) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    // As CommonJS loads it: some packages are something else to an import.
    stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
    outfile,
    format: "cjs",
    minify: true,
    plugins: [patchModules],
  });
}

/** The simulated exchange of the demo: the entry of a worker thread. */
function buildWorker(root, outfile) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: ["src/commands/simulator-worker.ts"],
    outfile,
    minify: true,
    external: [...bundleOptions.external, "../dist/*"],
    plugins: [patchModules, requireOutside],
    banner: { js: requireBanner },
  });
}

/** Bundles everything and keeps compiled code, then leaves the digest of the sources as a stamp. */
export async function buildAll({ root, stampFile, digest }) {
  const dist = join(root, "dist");
  await rm(dist, { recursive: true, force: true });
  const bundles = await Promise.all([
    buildProgram(root, join(dist, "monitor.js")),
    buildWorker(root, join(dist, "simulator-worker.js")),
    ...latePackages.map((name) => buildLatePackage(root, name, join(dist, `${name}.cjs`))),
  ]);
  await requireAscii(join(dist, "monitor.js"));
  const metafiles = bundles.map(({ metafile }) => metafile);
  await writeFile(join(dist, "third-party-licenses.txt"), licencesText(root, metafiles));
  // Without it the program starts a little later, and is the same otherwise.
  spawnSync(process.execPath, [join(root, "scripts", "code-cache.mjs")], {
    stdio: ["ignore", "ignore", 2],
    timeout: CODE_CACHE_TIMEOUT_MS,
  });
  await mkdir(dirname(stampFile), { recursive: true });
  await writeFile(stampFile, digest);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { root, sourcesDigest } = await import("./setup.mjs");
  await buildAll({ root, stampFile: join(root, "dist", ".sources"), digest: sourcesDigest() });
}

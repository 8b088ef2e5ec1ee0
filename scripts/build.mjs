// Bundles the program into dist/: code-split, so that the first frame waits for nothing that it does not
// need, and with React's production build by construction.
import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

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
    // A pattern of every emoji, which takes tens of milliseconds to compile: made when a text first needs it.
    filter: /string-width[\\/]index\.js$/,
    change: (text) =>
      text
        .replace(/^const rgiEmojiRegex = (.+);$/m, "let rgiEmoji;")
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

/** Bundles everything, then leaves the digest of the sources as a stamp. */
export async function buildAll({ root, stampFile, digest }) {
  const outdir = join(root, "dist");
  await rm(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ["src/cli/monitor.ts", "src/cli/simulator-worker.ts"],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "esm",
    chunkNames: "chunks/[name]-[hash]",
    define: { "process.env.NODE_ENV": '"production"' },
    // Optional speedups of ws, which are not installed.
    external: ["bufferutil", "utf-8-validate"],
    plugins: [patchModules],
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  await mkdir(dirname(stampFile), { recursive: true });
  await writeFile(stampFile, digest);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { root, sourcesDigest } = await import("./setup.mjs");
  await buildAll({ root, stampFile: join(root, "dist", ".sources"), digest: sourcesDigest() });
}

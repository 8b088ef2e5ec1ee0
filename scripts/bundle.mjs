// How esbuild bundles the program, its benches and the programs of tests. Packages are bundled as they are.
import { join } from "node:path";
import { root } from "./setup.mjs";

const bundled = (name) => join(root, "scripts", "bundled", name);

const ownParts = {
  name: "own-parts",
  setup({ onResolve }) {
    const table = bundled("ink-table.mjs");
    onResolve({ filter: /^ink-table$/ }, ({ importer }) =>
      importer === table ? undefined : { path: table },
    );
    onResolve({ filter: /^ink$/ }, ({ kind }) =>
      kind === "require-call" ? { path: bundled("ink.cjs") } : undefined,
    );
    // Ink connects to React's developer tools where DEV is true; they are not installed.
    onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: bundled("nothing.mjs") }));
    // Of the Model Context Protocol: nothing is asked of a client, whose answers it would check.
    onResolve({ filter: /\/ajv-provider\.js$/ }, () => ({ path: bundled("nothing.mjs") }));
  },
};

export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  jsx: "automatic",
  define: {
    "process.env.NODE_ENV": '"production"',
    // Yoga would load all of Node's HTTP client with `fetch`, only to read its own data URL.
    fetch: "undefined",
    "Intl.Segmenter": "LazySegmenter",
  },
  inject: [bundled("segmenter.mjs")],
  alias: {
    "string-width": bundled("string-width.mjs"),
    "object-hash": bundled("row-key.cjs"),
  },
  // Optional accelerators of ws, which are not installed.
  external: ["bufferutil", "utf-8-validate"],
  plugins: [ownParts],
  metafile: true,
  logLevel: "error",
};

/** Prologue of a module that uses `require`. */
export const requireBanner =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';

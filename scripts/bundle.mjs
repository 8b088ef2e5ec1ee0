// How esbuild bundles the program, its benches and the programs of tests. Packages are bundled as they are.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./setup.mjs";

const bundled = (name) => join(root, "scripts", "bundled", name);

const ownParts = {
  name: "own-parts",
  setup({ onResolve, onLoad }) {
    const table = bundled("ink-table.mjs");
    onResolve({ filter: /^ink-table$/ }, ({ importer }) =>
      importer === table ? undefined : { path: table },
    );
    onResolve({ filter: /^ink$/ }, ({ kind }) =>
      kind === "require-call" ? { path: bundled("ink.cjs") } : undefined,
    );
    // Ink connects to React's developer tools where DEV is true, and reads who it is; they are not installed.
    onResolve({ filter: /^(?:\.\/devtools\.js|node:fs)$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: bundled("nothing.mjs") } : undefined,
    );
    // Of the Model Context Protocol: nothing is asked of a client, whose answers it would check.
    onResolve({ filter: /\/ajv-provider\.js$/ }, () => ({ path: bundled("nothing.mjs") }));
    // Ink would show the source of a component that has failed; the program reports the error itself.
    onResolve({ filter: /\/ErrorOverview\.js$/ }, () => ({ path: bundled("nothing.mjs") }));
    // meow is told what it would look for in a package.json, with all licences of the world at hand.
    onResolve({ filter: /^\.\/dependencies\.js$/ }, ({ importer }) =>
      /meow\/build\/options\.js$/.test(importer) ? { path: bundled("nothing.mjs") } : undefined,
    );
    // What it has bundled is then left out where it is not used.
    onLoad({ filter: /meow\/build\/dependencies\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /^((?:var|const) \S+ = )(?=\S+\(\S*\);$)/gm,
        "$1/* @__PURE__ */ ",
      ),
    }));
  },
};

const require = createRequire(import.meta.url);

/** React is CommonJS: of its names, each of thirty importers would make an object of its own. */
const oneReact = {
  name: "one-react",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^react(?:\/jsx-runtime)?$/ }, ({ path, kind, namespace }) =>
      kind === "import-statement" && namespace === "file" ? { path, namespace: "one" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "one" }, ({ path }) => {
      const names = Object.keys(require(path)).map((name) => `export const ${name} = all.${name};`);
      const contents = [`import all from "${path}";`, "export default all;", ...names].join("\n");
      return { contents, resolveDir: root };
    });
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
    atob: "decodeBase64",
  },
  inject: [bundled("segmenter.mjs"), bundled("base64.mjs")],
  alias: {
    "string-width": bundled("string-width.mjs"),
    "object-hash": bundled("row-key.cjs"),
    assert: bundled("assert.cjs"),
  },
  // Optional accelerators of ws, which are not installed.
  external: ["bufferutil", "utf-8-validate"],
  plugins: [ownParts, oneReact],
  metafile: true,
  logLevel: "error",
};

// Text patches of packages, applied while bundling. The build fails if a patch no longer matches: the package has changed, and
// its patch must be reviewed.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A segmenter takes tens of milliseconds to create, so it is created on first use. */
const lazySegmenter = [
  /^const (\w+) = (new Intl\.Segmenter\(.*\));$/m,
  "let lazySegmenter;\nconst $1 = { segment: (text) => (lazySegmenter ??= $2).segment(text) };",
];

/** By file below node_modules: pattern and replacement. A nested package comes before its namesake. */
export const patches = {
  // A WebAssembly module in a data: URL. Node's fetch would be loaded only to read it; decoding it by characters takes 3 ms; and
  // asynchronous compilation on another thread would be waited for anyway.
  "yoga-layout/dist/binaries/yoga-wasm-base64-esm.js": [
    [/^.*\bfetch\b.*$/s, "const fetch = undefined;\n$&"],
    [
      /(\w)=xa\((\w\.slice\(37\))\),(\w)=new Uint8Array\(\1\.length\);for\((\w)=0;\4<\1\.length;\+\+\4\)\3\[\4\]=\1\.charCodeAt\(\4\);/,
      '$3=Buffer.from($2,"base64");',
    ],
    [
      "return WebAssembly.instantiate(f,d)",
      "return{instance:new WebAssembly.Instance(new WebAssembly.Module(f),d)}",
    ],
  ],
  // A CommonJS module that cannot `require` ink, which is an ES module with top-level await.
  "ink-table/dist/index.js": [
    [
      /^.*require\("react"\).*require\("ink"\).*require\("object-hash"\).*$/s,
      [
        'import * as react from "react";',
        'import * as ink from "ink";',
        'import * as hash from "object-hash";',
        'const modules = { react: react.default ?? react, ink, "object-hash": hash.default ?? hash };',
        "const exports = {};",
        "((exports, require) => {\n$&\n})(exports, (name) => modules[name]);",
        "export default exports.default;",
        "export const { Header, Cell, Skeleton } = exports;",
      ].join("\n"),
    ],
  ],
  // crypto takes milliseconds to load: required with the first hash instead of at every start.
  "object-hash/index.js": [
    [
      /^var crypto = require\('crypto'\);$/m,
      "const crypto = { createHash: (name) => require('crypto').createHash(name) };",
    ],
  ],
  "wrap-ansi/node_modules/string-width/index.js": [lazySegmenter],
  // Also compiles a pattern of every emoji on first use.
  "string-width/index.js": [
    lazySegmenter,
    [/^const rgiEmojiRegex = .+;$/m, "let rgiEmoji;"],
    ["rgiEmojiRegex.test(", "(rgiEmoji ??= /^\\p{RGI_Emoji}$/v).test("],
  ],
  "slice-ansi/tokenize-ansi.js": [lazySegmenter],
  "@alcalzone/ansi-tokenize/build/tokenize.js": [lazySegmenter],
  // Finding and parsing a package.json, which the program never asks for, is more than half of meow's code.
  "meow/build/options.js": [
    [
      /^import \{[^}]*readPackageUpSync[^}]*\} from '\.\/dependencies\.js';$/m,
      "const readPackageUpSync = () => undefined, normalizePackageData = () => {};",
    ],
  ],
  // Lets the bundler drop it as unused.
  "meow/build/dependencies.js": [
    ["= requireNormalize();", "= /* @__PURE__ */ requireNormalize();"],
    [
      "= getDefaultExportFromCjs(normalizeExports);",
      "= /* @__PURE__ */ getDefaultExportFromCjs(normalizeExports);",
    ],
    ["\npromisify(execFile);\n", "\n"],
  ],
  // Only the parts of undici that are used: its fetch, caches, mocks and WebSocket are three fifths of it.
  "undici/index.js": [
    [
      /^.*Object\.assign\(Dispatcher\.prototype, api\).*exports\.Pool = Pool.*exports\.buildConnector = buildConnector.*$/s,
      [
        'const Dispatcher = require("./lib/dispatcher/dispatcher");',
        'Object.assign(Dispatcher.prototype, require("./lib/api"));',
        'const Pool = require("./lib/dispatcher/pool");',
        'module.exports = { Dispatcher, Pool, buildConnector: require("./lib/core/connect") };',
      ].join("\n"),
    ],
  ],
  // Text messages within one chunk, as nearly all are, are read from it in a loop, without a view of the bytes of each and without
  // the state machine. U+FFFD marks invalid UTF-8, or stands for itself: then, like any other message, it takes the normal path.
  "ws/lib/receiver.js": [
    [
      /^ {2}getInfo\(cb\) \{$/m,
      [
        "  passTexts() {",
        "    if (this._isServer || this._fragmented !== 0 || !this._allowSynchronousEvents) return false;",
        "    const piece = this._buffers[0];",
        "    const size = piece === undefined ? 0 : piece.length;",
        "    let at = 0;",
        "    try {",
        "      while (size - at >= 4 && piece[at] === 0x81 && piece[at + 1] <= 126) {",
        "        const isLong = piece[at + 1] === 126;",
        "        const start = at + (isLong ? 4 : 2);",
        "        const length = isLong ? piece.readUInt16BE(at + 2) : piece[at + 1];",
        "        if (length === 0 || start + length > size) break;",
        "        if (length > this._maxPayload && this._maxPayload > 0) break;",
        "        const text = piece.utf8Slice(start, start + length);",
        "        if (!this._skipUTF8Validation && text.includes('\\uFFFD')) break;",
        "        at = start + length;",
        "        this.emit('message', text, false);",
        "      }",
        "    } finally {",
        "      this._bufferedBytes -= at;",
        "      if (at > 0 && at === size) this._buffers.shift();",
        "      else if (at > 0) this._buffers[0] = new FastBuffer(piece.buffer, piece.byteOffset + at, size - at);",
        "    }",
        "    return at > 0;",
        "  }",
        "",
        "  getInfo(cb) {",
        "    if (this.passTexts()) return;",
      ].join("\n"),
    ],
  ],
  // A paused socket still reads until 16 KB are buffered, in one turn of the event loop for each chunk. This stops reading at once,
  // as a full buffer does; resuming the socket starts reading again.
  "ws/lib/websocket.js": [
    [
      "    this._paused = true;\n    this._socket.pause();\n",
      [
        "    this._paused = true;",
        "    this._socket.pause();",
        "    const { _handle: handle, _readableState: state } = this._socket;",
        "    if (!handle || !handle.reading) return;",
        "    handle.reading = false;",
        "    handle.readStop();",
        "    state.reading = false;",
        "",
      ].join("\n"),
    ],
  ],
  // Keys that Ink has no name for, such as Ctrl+F1, and responses of the terminal: Ink would throw, or pass their characters on as
  // if typed. A partial sequence, or the start or end of a string, keeps its ESC.
  "ink/build/hooks/use-input.js": [
    [
      /^( *)if \(input\.startsWith\('\\u001B'\)\) \{$/m,
      [
        "$1const isPart = /^\\u001B(?:[\\]PX^_\\\\]|\\[[0-?]*[ -/]*)$$/.test(input ??= '');",
        "$1if (!isPart && /^\\u001B+(?:\\[(?!<|20[01]~)|O.)/.test(input)) input = '';",
        "$1if (!isPart && input.startsWith('\\u001B')) {",
      ].join("\n"),
    ],
  ],
  // Ink's connection to React's developer tools.
  "ink/build/devtools.js": [[/^.*react-devtools-core.*$/s, "export {};"]],
};

/** The key in `patches` for the module at this path; undefined if it is not patched. */
function patchOf(path) {
  const unix = path.replaceAll("\\", "/");
  return Object.keys(patches).find((name) => unix.endsWith(`/node_modules/${name}`));
}

/** @throws {Error} if a pattern does not match */
export function patchText(name, text) {
  return patches[name].reduce((last, [sought, replacement]) => {
    const next = last.replace(sought, replacement);
    if (next !== last) return next;
    throw new Error(
      `${name} has changed: scripts/patches.mjs finds no ${String(sought)} in it any more`,
    );
  }, text);
}

/** The patches as an esbuild plugin. @param patched receives the names of those that were applied */
export function patchModules(patched = new Set()) {
  return {
    name: "patch-modules",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]node_modules[\\/].*\.js$/ }, async ({ path }) => {
        const name = patchOf(path);
        if (name === undefined) return undefined;
        patched.add(name);
        return { contents: patchText(name, await readFile(path, "utf8")) };
      });
    },
  };
}

/** @throws {Error} if a module with a patch is in no bundle */
export function requirePatched(patched) {
  const missed = Object.keys(patches).filter((name) => !patched.has(name));
  if (missed.length === 0) return;
  throw new Error(
    `in no bundle any more, but patched in scripts/patches.mjs: ${missed.join(", ")}`,
  );
}

/** The patches as a Vite plugin, so that tests load the same modules as the bundle. */
export function patchModulesForTests() {
  return {
    name: "patch-modules",
    enforce: "pre",
    load(id) {
      const path = id.split("?")[0] ?? "";
      const name = patchOf(path);
      if (name !== undefined) return patchText(name, readFileSync(path, "utf8"));
      // Removes references to source maps whose sources are not in the package: Vite warns of each.
      if (!/[\\/]node_modules[\\/]ink[\\/]build[\\/].*\.js$/.test(path)) return null;
      return readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");
    },
  };
}

// Loads the built program: one script, with the compiled code that is kept beside it. CommonJS, because Node's loader
// of modules alone would take a third of the time that is left for the first frame.
const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

const dist = join(__dirname, "..", "dist");
const filename = join(dist, "monitor.js");
/** Each Node has one of its own: it takes no other's. The build makes the one of its Node, a long run on a terminal any other. */
const cacheFile = join(dist, `monitor-${process.version}-${process.arch}.code-cache`);

/** Late enough that the screen has been drawn, and early enough that V8 has dropped nothing that a start needs. */
const KEEP_AFTER_MS = 5_000;

/** @returns undefined when there is none */
function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

/** Keeps what V8 has compiled so far. Where the folder cannot be written, starts stay a little slower. */
function keepCode(script, file = cacheFile) {
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, script.createCachedData());
    renameSync(part, file);
  } catch {}
}

/** The program, compiled: `script`, and `run`, which ends when the program has set its exit code. */
function loadProgram({ usesCache = true } = {}) {
  const cachedData = usesCache ? readCache() : undefined;
  // The bundler writes ASCII only.
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  const isCompiled = cachedData !== undefined && !script.cachedDataRejected;
  if (usesCache && !isCompiled && process.stdout.isTTY) {
    setTimeout(keepCode, KEEP_AFTER_MS, script).unref();
  }
  const run = (give = require) => {
    const url = pathToFileURL(filename).href;
    return script.runInThisContext()(give, { url, filename, dirname: dist });
  };
  return { script, run };
}

module.exports = { cacheFile, keepCode, loadProgram };

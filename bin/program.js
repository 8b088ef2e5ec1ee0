// Loads the built program: one script, with the compiled code that the build has kept beside it. CommonJS, because
// Node's loader of modules alone would take a third of the time that is left for the first frame.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

const filename = join(__dirname, "..", "dist", "monitor.js");
const cacheFile = join(__dirname, "..", "dist", "monitor.code-cache");

/** @returns undefined when there is none; one that another Node has made is not used by this one */
function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

/** The program, compiled: `script`, and `run`, which ends when the program has set its exit code. */
function loadProgram({ usesCache = true } = {}) {
  const cachedData = usesCache ? readCache() : undefined;
  // The bundler writes ASCII only.
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  const run = (give = require) => {
    const url = pathToFileURL(filename).href;
    return script.runInThisContext()(give, {
      url,
      filename,
      dirname: join(__dirname, "..", "dist"),
    });
  };
  return { script, run };
}

module.exports = { cacheFile, loadProgram };

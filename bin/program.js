// Loads the built program: one script, because Node 20 can take compiled code for a script only.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

const dist = join(__dirname, "..", "dist");
const filename = join(dist, "monitor.js");

/**
 * Where the build stores compiled code: of exactly this program, as V8 compares the lengths of two texts only, and for exactly this
 * Node. Everything else runs without it and only starts later.
 */
function cacheFileOf(code) {
  const digest = crc32(code).toString(16).padStart(8, "0");
  return join(dist, `monitor-${digest}-${process.version}-${process.arch}.code-cache`);
}

/** @returns undefined if there is none */
function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The compiled `script`, where its compiled code belongs, and `run`, which ends when the program has set its exit code. */
function loadProgram({ usesCache = true } = {}) {
  const code = readFileSync(filename);
  const cacheFile = cacheFileOf(code);
  const cachedData = usesCache ? readIfThere(cacheFile) : undefined;
  // The build has made sure that it is ASCII.
  const script = new Script(code.latin1Slice(), { filename, cachedData });
  const run = (give = require) => {
    const url = pathToFileURL(filename).href;
    return script.runInThisContext()(give, { url, filename, dirname: dist });
  };
  return { script, cacheFile, run };
}

module.exports = { loadProgram };

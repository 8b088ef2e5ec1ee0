// Loads the built program: one script, with the compiled code that is kept beside it. CommonJS, because Node's loader
// of modules alone would take a third of the time that is left for the first frame.
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { getHeapSpaceStatistics, setFlagsFromString } = require("node:v8");
const { Script } = require("node:vm");

const dist = join(__dirname, "..", "dist");
const filename = join(dist, "monitor.js");
/** Each Node has one of its own: it takes no other's. The build makes the one of its Node, a long run on a terminal any other. */
const cacheFile = join(dist, `monitor-${process.version}-${process.arch}.code-cache`);

/** Late enough that the screen has been drawn, and early enough that V8 has dropped nothing that a start needs. */
const KEEP_AFTER_MS = 5_000;

/** From then on memory is held down: before, a start would take a tenth longer. */
const SETTLE_AFTER_MS = 500;

/**
 * Room for new objects, both halves of it. With less, messages of the last moment are moved to the old objects, where they
 * lie until all are looked through; with V8's usual 32 MB, network buffers of seconds lie about, and nothing is quicker. (An
 * export, of which many pages live on for a while, is.) V8 takes room away from a quiet market.
 */
const ROOM_BYTES = 8 * 1024 * 1024;
const LOOK_EVERY_MS = 500;

/** Old objects are looked through when they have grown by this much, and not only when they have become four times as many. */
const GROWTH_PERCENT = 50;

/**
 * Code that has run through this many bytes is compiled at its best; V8 waits for seven times as many. What runs 60 times a second
 * would be interpreted for a minute, and keys until a user has typed hundreds.
 */
const COMPILED_AFTER_BYTES = 10_000;

/**
 * V8 moves the objects of a page together when hardly any are left on it. Those that live for seconds leave gaps on all pages,
 * and in an hour a heap takes half as much again as it did. When so much room stands empty behind a collection, the next one
 * moves all of them: 20 ms, at most once in so long.
 */
const EMPTY_BYTES = 6 * 1024 * 1024;
const TIDY_EVERY_MS = 120_000;

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
  } catch {
    rmSync(part, { force: true });
  }
}

/** Whether code that is compiled here is any good to others: V8 refuses what was compiled with other options. */
function isUsual({ execArgv, env }) {
  return execArgv.length === 0 && !env.NODE_OPTIONS;
}

function limitRoom(spaces) {
  const { space_used_size: used, space_available_size: free } = spaces.find(
    ({ space_name }) => space_name === "new_space",
  );
  // Not its `space_size`: V8 gives the half that is empty back for a while, and grows from both.
  const mayGrow = 2 * (used + free) * 2 <= ROOM_BYTES;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

/** @returns what looks at the old objects from time to time, and has them moved together where that is due */
function createTidying() {
  let lastUsed = 0;
  let isDue = false;
  let dueAt = 0;
  const setDue = (value) => {
    isDue = value;
    setFlagsFromString(value ? "--compact-on-every-full-gc" : "--no-compact-on-every-full-gc");
  };
  return (spaces) => {
    const { space_size: size, space_used_size: used } = spaces.find(
      ({ space_name }) => space_name === "old_space",
    );
    const isCollected = used < lastUsed;
    lastUsed = used;
    if (!isCollected) return;
    const now = performance.now();
    if (isDue) setDue(false);
    else if (size - used > EMPTY_BYTES && now - dueAt > TIDY_EVERY_MS) {
      dueAt = now;
      setDue(true);
    }
  };
}

/** @param uncompiled a script of which compiled code is to be kept: before, because it holds for one set of flags only */
function settleLater(uncompiled) {
  const settle = () => {
    if (uncompiled !== undefined) keepCode(uncompiled);
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
    setFlagsFromString(`--interrupt-budget=${COMPILED_AFTER_BYTES}`);
    const tidy = createTidying();
    const look = () => {
      const spaces = getHeapSpaceStatistics();
      limitRoom(spaces);
      tidy(spaces);
    };
    look();
    setInterval(look, LOOK_EVERY_MS).unref();
  };
  setTimeout(settle, uncompiled === undefined ? SETTLE_AFTER_MS : KEEP_AFTER_MS).unref();
}

/** The program, compiled: `script`, and `run`, which ends when the program has set its exit code. */
function loadProgram({ usesCache = true } = {}) {
  const cachedData = usesCache ? readCache() : undefined;
  // The build has made sure that it is ASCII.
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  const isCompiled = cachedData !== undefined && !script.cachedDataRejected;
  const isKept = !isCompiled && isUsual(process);
  if (usesCache && process.stdout.isTTY) settleLater(isKept ? script : undefined);
  const run = (give = require) => {
    const url = pathToFileURL(filename).href;
    return script.runInThisContext()(give, { url, filename, dirname: dist });
  };
  return { script, run };
}

module.exports = { cacheFile, isUsual, keepCode, loadProgram };

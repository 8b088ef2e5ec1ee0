// Runs the built program up to its first price on a terminal that shows nothing, and stores the code that V8 has compiled until
// then: what a start needs, and nothing else.
import fs from "node:fs";
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";

const require = createRequire(import.meta.url);
const { loadProgram } = require("../bin/program.js");

/** A price in a cell of the screen. */
const PRICE = /\d{2},\d{3}\.\d{2}/;

/** Node's file system, of which the program writes its frames with two functions. */
const watchedFs = {
  ...fs,
  writeSync(_, bytes) {
    if (PRICE.test(Buffer.from(bytes).toString("latin1"))) store();
    return bytes.length;
  },
  write(fd, bytes, done) {
    done(null, watchedFs.writeSync(fd, bytes));
  },
};

let isStored = false;

function store() {
  // Exiting writes to the terminal, too.
  if (isStored) return;
  isStored = true;
  fs.writeFileSync(cacheFile, script.createCachedData());
  process.exit(0);
}

function replaceStream(name, ...properties) {
  const stream = Object.assign(new PassThrough(), { isTTY: true }, ...properties);
  Object.defineProperty(process, name, { value: stream });
}

replaceStream("stdout", { columns: 120, rows: 40 });
replaceStream("stdin", { setRawMode() {}, ref() {}, unref() {} });
process.argv = [process.execPath, "monitor", "demo"];
const { script, cacheFile, run } = loadProgram({ usesCache: false });
run((name) => (/^(?:node:)?fs$/.test(name) ? watchedFs : require(name)));

// Runs the built program up to its first frame, on a terminal that is not there, and keeps the code that V8 has
// compiled until then: what a start needs, and nothing else. With --print-required it keeps nothing, and prints
// what the program has required until then.
import fs from "node:fs";
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";

const require = createRequire(import.meta.url);
const { keepCode, loadProgram } = require("../bin/program.js");

/** The end of a synchronised update: a frame is whole. */
const FRAME_END = "\u001b[?2026l";
/** The exit code where the program has ended without a frame. */
const NO_FRAME = 4;
const isPrinting = process.argv.includes("--print-required");
const required = new Set();

function replaceStream(name, stream) {
  Object.defineProperty(process, name, { value: stream });
}

let hasFinished = false;
function finish() {
  // The way out writes to the terminal, too.
  if (hasFinished) return;
  hasFinished = true;
  // It is in the bundle: only what it leaves on the global object tells that it has been run.
  if ("__zod_globalConfig" in globalThis) required.add("zod");
  if (isPrinting) fs.writeSync(1, [...required, ""].join("\n"));
  else keepCode(script);
  process.exit(0);
}

/** Node's file system, on which frames are not written but seen, whichever way they are written. */
const watchedFs = {
  ...fs,
  writeSync(_, bytes) {
    if (Buffer.from(bytes).includes(FRAME_END)) finish();
    return bytes.length;
  },
  write(fd, bytes, done) {
    done(null, watchedFs.writeSync(fd, bytes));
  },
};

function give(name) {
  required.add(name);
  return /^(node:)?fs$/.test(name) ? watchedFs : require(name);
}

replaceStream("stdout", Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 40 }));
replaceStream(
  "stdin",
  Object.assign(new PassThrough(), { isTTY: true, setRawMode() {}, ref() {}, unref() {} }),
);
process.on("exit", () => {
  if (!hasFinished) process.exitCode = NO_FRAME;
});
process.argv = [process.execPath, "monitor", "demo"];
const { script, run } = loadProgram({ usesCache: false });
run(give);

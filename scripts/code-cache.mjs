// Runs the built program up to the first price on a fake terminal, and stores the code that V8 has compiled until then: what a
// start needs, and nothing else. With --print-required it stores nothing and prints the modules that the program required until
// its first frame.
import fs from "node:fs";
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";

const require = createRequire(import.meta.url);
const { keepCode, loadProgram } = require("../bin/program.js");

/** End of a synchronised update, and so of a frame. */
const FRAME_END = "\u001b[?2026l";
/** A price in a cell of the screen. */
const PRICE = /\d{2},\d{3}\.\d{2}/;
/** If no price appears in this time, the code of the first frame is stored. */
const MAX_WAIT_MS = 10_000;
/** Exit code if the program ends without a frame. */
const NO_FRAME = 4;
const isPrinting = process.argv.includes("--print-required");

// The environment of the build must not matter: a config file, a screen reader, a dumb terminal.
for (const name of Object.keys(process.env)) if (name !== "PATH") delete process.env[name];
Object.assign(process.env, { HOME: "/dev/null", TERM: "xterm-256color" });

const required = new Set();

function replaceStream(name, stream) {
  Object.defineProperty(process, name, { value: stream });
}

let hasFinished = false;
let hasDrawn = false;
function finish() {
  // Exiting writes to the terminal too.
  if (hasFinished) return;
  hasFinished = true;
  // zod is bundled, so it is not required: only its global object shows that it has run.
  if ("__zod_globalConfig" in globalThis) required.add("zod");
  if (isPrinting) fs.writeSync(1, [...required, ""].join("\n"));
  else keepCode(script);
  process.exit(0);
}

/** Node's file system, with writes to the terminal intercepted instead of executed. */
const watchedFs = {
  ...fs,
  writeSync(_, bytes) {
    const text = Buffer.from(bytes).toString("latin1");
    if (text.includes(FRAME_END) && (isPrinting || PRICE.test(text))) finish();
    else if (text.includes(FRAME_END) && !hasDrawn) {
      hasDrawn = true;
      setTimeout(finish, MAX_WAIT_MS);
    }
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

// Entry of the program: parses the command line, runs the command, reports errors, sets the exit code.
import fs from "node:fs";
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { isatty } from "node:tty";
import { EXIT } from "./cli/context.ts";
import { main, report } from "./run.ts";
import { watchInterrupts } from "./system/interrupts.ts";
import { systemClock } from "./system/system-clock.ts";
import { replaceGone } from "./terminal/output.ts";

const terminals = [0, 1, 2].filter(isatty);
process.on("exit", () => replaceGone(fs, terminals, isatty));
// Of a name's addresses Node gives each a quarter of a second: too little on the other side of the world.
setDefaultAutoSelectFamilyAttemptTimeout(2500);

const LAST_WORDS_MS = 1000;

const argv = process.argv.slice(2);
// Node would write its warnings over the screen.
if (!argv.includes("--debug")) process.removeAllListeners("warning");
let isFailed = false;
const { interrupt, onHangup, stop } = watchInterrupts(process, {
  terminal() {
    if (terminals.length === 0) return "none";
    return terminals.every(isatty) ? "there" : "gone";
  },
  onFailure(error) {
    if (!isFailed) {
      process.stderr.write(`monitor: standard output failed: ${error.message}\n`);
      process.stderr.write("make room where it goes, or send it elsewhere\n");
    }
    isFailed = true;
    process.exitCode = EXIT.failed;
  },
  onFault(error) {
    isFailed = true;
    process.exitCode = report(error, argv, { stderr: process.stderr, env: process.env });
  },
});
const code = await main(argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: systemClock,
  random: Math.random,
  interrupt,
  onHangup,
});
process.exitCode = isFailed ? EXIT.failed : code;
stop();
// Whoever ends it does not wait for a reader that has stopped.
if (interrupt.aborted) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();

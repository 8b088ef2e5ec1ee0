// The program's entry: reads the command line, runs the command, words errors, sets the exit code.
import fs from "node:fs";
import { isatty } from "node:tty";
import { guardStdio } from "../terminal/session/stdio-guard.ts";
import { EXIT } from "./context.ts";
import { watchInterrupts } from "./interrupts.ts";
import { main } from "./main.ts";
import { systemClock } from "./system-clock.ts";

const restoreStdio = guardStdio(fs, isatty);
process.on("exit", restoreStdio);

let isStdoutLost = false;
const { interrupt, stop } = watchInterrupts(process, (error) => {
  if (!isStdoutLost) {
    process.stderr.write(`monitor: standard output failed: ${error.message}\n`);
    process.stderr.write("make room where it goes, or send it elsewhere\n");
  }
  isStdoutLost = true;
  process.exitCode = EXIT.failed;
});
const code = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: systemClock,
  random: Math.random,
  interrupt,
});
process.exitCode = isStdoutLost ? EXIT.failed : code;
stop();

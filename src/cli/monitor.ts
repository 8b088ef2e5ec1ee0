// The program's entry: reads the command line, runs the command, words errors, sets the exit code.

import { watchInterrupts } from "./interrupts.ts";
import { main } from "./main.ts";
import { systemClock } from "./system-clock.ts";

const { interrupt, stop } = watchInterrupts(process);
process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: systemClock,
  random: Math.random,
  interrupt,
});
stop();

// One run of the program: command line in, exit code out.

import { visible } from "../terminal/visible.ts";
import { type ErrorKind, MonitorError } from "../units/monitor-error.ts";
import { parseArguments } from "./arguments.ts";
import { type Context, EXIT } from "./context.ts";
import { helpText } from "./help.ts";
import { VERSION } from "./version.ts";

const EXIT_OF: Readonly<Record<ErrorKind, number>> = {
  usage: EXIT.usage,
  failed: EXIT.failed,
  unproven: EXIT.unproven,
};

/** Runs a command line. Every error becomes one line on stderr and an exit code. Never throws. */
export async function main(
  argv: readonly string[],
  world: Omit<Context, "args" | "options">,
): Promise<number> {
  try {
    return await runCommand(argv, world);
  } catch (error) {
    return report(error, argv, world);
  }
}

async function runCommand(
  argv: readonly string[],
  world: Omit<Context, "args" | "options">,
): Promise<number> {
  const { command, args, options } = parseArguments(argv);
  if (options.version) {
    world.stdout.write(`${VERSION}\n`);
    return EXIT.done;
  }
  if (options.help || command === undefined) {
    const out = options.help ? world.stdout : world.stderr;
    out.write(`${helpText(command)}\n`);
    return options.help ? EXIT.done : EXIT.usage;
  }
  const { run } = await command.load();
  return run({ ...world, args, options });
}

function report(
  error: unknown,
  argv: readonly string[],
  { stderr }: Pick<Context, "stderr">,
): number {
  const isExpected = error instanceof MonitorError;
  const message = error instanceof Error ? error.message : String(error);
  stderr.write(`monitor: ${visible(isExpected ? message : `unexpected error: ${message}`)}\n`);
  const advice = isExpected ? error.advice : "this is a fault of monitor itself; --debug says more";
  if (advice) stderr.write(`${visible(advice)}\n`);
  if (argv.includes("--debug") && error instanceof Error) {
    for (const line of (error.stack ?? "").split("\n")) stderr.write(`${visible(line)}\n`);
  }
  return isExpected ? EXIT_OF[error.kind] : EXIT.failed;
}

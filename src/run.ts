// One run of the program: command line in, exit code out.

import { parseArguments } from "./args/arguments.ts";
import type { Command, CommandName } from "./args/commands.ts";
import { type Context, EXIT, interruptedExitCode } from "./args/context.ts";
import { helpText } from "./args/help.ts";
import { givenSecrets, hideSecrets } from "./config/secrets.ts";
import { checkDistinct } from "./system/named-file.ts";
import { VERSION } from "./system/version.ts";
import { visible } from "./terminal/visible.ts";
import { type ErrorKind, errorText, MonitorError } from "./units/monitor-error.ts";

const COMMAND_CODE: Readonly<
  Record<CommandName, () => Promise<{ run(context: Context): Promise<number> }>>
> = {
  "": () => import("./commands/market.ts"),
  demo: () => import("./commands/demo.ts"),
  account: () => import("./commands/account.ts"),
  tail: () => import("./commands/tail.ts"),
  record: () => import("./commands/record.ts"),
  replay: () => import("./commands/replay.ts"),
  doctor: () => import("./commands/doctor.ts"),
  trades: () => import("./commands/trades.ts"),
  liquidations: () => import("./commands/liquidations.ts"),
  fills: () => import("./commands/fills.ts"),
  export: () => import("./commands/export.ts"),
  simulate: () => import("./commands/simulate.ts"),
  config: () => import("./commands/config.ts"),
  schema: () => import("./commands/schema.ts"),
  completion: () => import("./commands/completion.ts"),
};

const EXIT_OF: Readonly<Record<ErrorKind, number>> = {
  usage: EXIT.usage,
  failed: EXIT.failed,
  unproven: EXIT.unproven,
};

/** The code of a command, which is loaded when it is run. */
export function loadCommand({ name }: Command) {
  return COMMAND_CODE[name as CommandName]();
}

/** Runs a command line. Every error becomes one line on stderr and an exit code. Never throws. */
export async function main(
  argv: readonly string[],
  world: Omit<Context, "args" | "options">,
): Promise<number> {
  try {
    return await runCommand(argv, world);
  } catch (error) {
    const { interrupt } = world;
    if (interrupt.aborted && error === interrupt.reason) return interruptedExitCode(interrupt);
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
  const { output, manifest, log, record } = options;
  checkDistinct({ output, manifest, log, record });
  const { run } = await loadCommand(command);
  return logged(command.name, { ...world, args, options }, run);
}

/** Runs a command with the log file that --log asks for. */
async function logged(
  name: string,
  context: Context,
  run: (context: Context) => Promise<number>,
): Promise<number> {
  const { options, clock } = context;
  if (options.log === undefined) return run(context);
  const { openLog } = await import("./system/log-file.ts");
  const log = openLog(options.log, options.logLevel ?? "info", clock);
  try {
    log.say("info", "start", {
      command: name || "market",
      version: VERSION,
      node: process.version,
    });
    const code = await run({ ...context, log });
    log.say("info", "end", { code });
    return code;
  } catch (error) {
    log.say("error", "failed", { detail: errorText(error) });
    throw error;
  } finally {
    log.close();
  }
}

/** Words an error on stderr, on one line and one more of what to do. Answers the exit code. Never throws. */
export function report(
  error: unknown,
  argv: readonly string[],
  { stderr, env }: Pick<Context, "stderr" | "env">,
): number {
  const secrets = givenSecrets(argv, env);
  const tell = (text: string) => stderr.write(`${visible(hideSecrets(text, secrets))}\n`);
  const isExpected = error instanceof MonitorError;
  const message = errorText(error);
  tell(`monitor: ${isExpected ? message : `unexpected error: ${message}`}`);
  const advice = isExpected ? error.advice : "this is a fault of monitor itself; --debug says more";
  if (advice) tell(advice);
  if (argv.includes("--debug") && error instanceof Error) {
    for (const line of (error.stack ?? "").split("\n")) tell(line);
  }
  return isExpected ? EXIT_OF[error.kind] : EXIT.failed;
}

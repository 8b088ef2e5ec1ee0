// One run of the program: command line in, exit code out.

import { parseArguments } from "./cli/arguments.ts";
import type { Command } from "./cli/commands.ts";
import { hideSecrets } from "./cli/config/secrets.ts";
import { type Context, EXIT, interruptedExitCode } from "./cli/context.ts";
import { helpText } from "./cli/help.ts";
import { requireDistinctFiles } from "./system/named-file.ts";
import { VERSION } from "./system/version.ts";
import { errorText, MonitorError, UsageError } from "./units/monitor-error.ts";
import { visible } from "./units/visible.ts";

type Run = (context: Context, name: string) => Promise<number>;

/** Command modules are loaded on demand. */
const COMMAND_FILES: Readonly<Record<string, () => Promise<{ readonly run: Run }>>> = {
  "": () => import("./cli/commands/market.ts"),
  demo: () => import("./cli/commands/demo.ts"),
  account: () => import("./cli/commands/account.ts"),
  markets: () => import("./cli/commands/markets.ts"),
  doctor: () => import("./cli/commands/doctor.ts"),
  tail: () => import("./cli/commands/tail.ts"),
  watch: () => import("./cli/commands/watch.ts"),
  trades: () => import("./cli/commands/listing.ts"),
  liquidations: () => import("./cli/commands/listing.ts"),
  fills: () => import("./cli/commands/listing.ts"),
  export: () => import("./cli/commands/export.ts"),
  statement: () => import("./cli/commands/statement.ts"),
  config: () => import("./cli/commands/config.ts"),
  completion: () => import("./cli/commands/completion.ts"),
  record: () => import("./cli/commands/record.ts"),
  replay: () => import("./cli/commands/replay.ts"),
  mcp: () => import("./cli/commands/mcp.ts"),
  simulate: () => import("./cli/commands/simulate.ts"),
};

/** @returns the exit code. @throws as the command */
async function runCommand({ name }: Command, context: Context): Promise<number> {
  const file = await COMMAND_FILES[name]?.();
  return file?.run(context, name) ?? EXIT.failed;
}

/** Runs a command line. Every error becomes one line on stderr and an exit code. */
export async function main(
  argv: readonly string[],
  world: Omit<Context, "args" | "options">,
): Promise<number> {
  try {
    return await runArguments(argv, world);
  } catch (error) {
    const { interrupt } = world;
    if (interrupt.aborted && error === interrupt.reason) return interruptedExitCode(interrupt);
    return report(error, argv, world);
  }
}

async function runArguments(
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
  requireFolder();
  const { output, manifest, log, record } = options;
  requireDistinctFiles({
    "-o": output,
    "--manifest": manifest,
    "--log": log,
    "--record": record,
  });
  return logged(command, { ...world, args, options }, argv);
}

/** Node itself needs one, for threads and requests. @throws {UsageError} when it was deleted */
function requireFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new UsageError("the current folder has been deleted", "go to another one");
  }
}

/** Runs a command with the log file that --log asks for. */
async function logged(
  command: Command,
  context: Context,
  argv: readonly string[],
): Promise<number> {
  const { options, clock } = context;
  if (options.log === undefined) return runCommand(command, context);
  const { openLog } = await import("./system/log-file.ts");
  const log = openLog(options.log, options.debug ? "debug" : "info", clock);
  try {
    log.write("info", "start", {
      command: command.name || "market",
      version: VERSION,
      node: process.version,
    });
    const code = await runCommand(command, { ...context, log });
    log.write("info", "end", { code });
    return code;
  } catch (error) {
    log.write("error", "failed", { detail: hideSecrets(errorText(error), argv, context.env) });
    throw error;
  } finally {
    log.close();
  }
}

/** Prints an error on stderr: one line, and one of advice where there is any. @returns the exit code */
export function report(
  error: unknown,
  argv: readonly string[],
  { stderr, env }: Pick<Context, "stderr" | "env">,
): number {
  const print = (text: string) => stderr.write(`${visible(hideSecrets(text, argv, env))}\n`);
  const isExpected = error instanceof MonitorError;
  const message = errorText(error);
  print(`monitor: ${isExpected ? message : `unexpected error: ${message}`}`);
  const advice = isExpected ? error.advice : "this is a fault of monitor itself; --debug says more";
  if (advice) print(advice);
  if (argv.includes("--debug") && error instanceof Error) {
    for (const line of (error.stack ?? "").split("\n")) print(line);
  }
  return isExpected ? EXIT[error.kind] : EXIT.failed;
}

// monitor config path|print|check: where the config file is, a template with every key, and its problems.

import { type Context, EXIT } from "../args/context.ts";
import { checkConfig, configText, formatProblem } from "../config/config-file.ts";
import { locateConfig, readConfigText } from "../config/config-location.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { CONFIG_RULES } from "./config-rules.ts";

/** @throws {UsageError} on an unknown action, or when the file has a problem */
export async function run(context: Context): Promise<number> {
  const { args, stdout } = context;
  const [word = ""] = args;
  if (word === "path") stdout.write(`${(await locateConfig(context)).path}\n`);
  else if (word === "print") stdout.write(configText());
  else if (word === "check") await check(context);
  else throw new UsageError(`not an action of config: ${word}`, "expected: path, print or check");
  return EXIT.done;
}

/** @throws {UsageError} if there are problems, after printing each on stdout */
async function check(context: Context): Promise<void> {
  const location = await locateConfig(context);
  const text = await readConfigText(location, {
    clock: context.clock,
    interrupt: context.interrupt,
  });
  const path = visible(location.path);
  if (text === undefined) {
    context.stdout.write(`${path}: there is no config file, and none is needed\n`);
    return;
  }
  const checked = checkConfig(text, CONFIG_RULES);
  const problems = [...checked.problems, ...checked.removed];
  for (const problem of problems) {
    context.stdout.write(`${visible(formatProblem(location.path, problem))}\n`);
  }
  if (problems.length === 0) context.stdout.write(`${path}: no problems\n`);
  else {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    throw new UsageError(`the config file has ${count}: ${location.path}`, "mend it where it says");
  }
}

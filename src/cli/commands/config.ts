// monitor config path|print|check: where the config file is, a template with every key, and its problems.

import { UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import { checkConfig, configText } from "../config/config-file.ts";
import { readConfigText, requireLocation } from "../config/config-location.ts";
import { resolveSettings } from "../config/settings.ts";
import { type Context, EXIT } from "../context.ts";

/** @throws {UsageError} on an unknown action, or when the file has a problem */
export async function run(context: Context): Promise<number> {
  const { args, stdout } = context;
  const [word = ""] = args;
  if (word === "path") stdout.write(`${requireLocation(context).path}\n`);
  else if (word === "print") stdout.write(configText());
  else if (word === "check") await check(context);
  else throw new UsageError(`not an action of config: ${word}`, "expected: path, print or check");
  return EXIT.done;
}

/** @throws {UsageError} if there are problems, after printing each on stdout */
async function check(context: Context): Promise<void> {
  const { clock, interrupt, stdout } = context;
  const location = requireLocation(context);
  const text = await readConfigText(location, { clock, interrupt });
  const path = visible(location.path);
  if (text === undefined) {
    stdout.write(`${path}: there is no config file, and none is needed\n`);
    return;
  }
  const { config, problems } = checkConfig(text);
  if (config !== undefined) resolveSettings({ options: { insecure: true }, env: {} }, config);
  for (const problem of problems) stdout.write(`${path}: ${visible(problem)}\n`);
  if (problems.length === 0) stdout.write(`${path}: no problems\n`);
  else {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    throw new UsageError(`the config file has ${count}: ${path}`, "mend it where it says");
  }
}

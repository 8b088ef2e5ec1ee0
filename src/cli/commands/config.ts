// monitor config path|print|check: where the config file is, a template with every key, and its problems.

import { UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import { checkConfig, configText } from "../config/config-file.ts";
import { configPath, readConfigText } from "../config/config-location.ts";
import { resolveSettings } from "../config/settings.ts";
import { type Context, EXIT } from "../context.ts";

/** @throws {UsageError} on an unknown action, or when the file has a problem */
export async function run(context: Context): Promise<number> {
  const { args, stdout } = context;
  const [word = ""] = args;
  const path = configPath(context);
  if (word !== "path" && word !== "print" && word !== "check")
    throw new UsageError(`not an action of config: ${word}`, "expected: path, print or check");
  if (word === "print") stdout.write(configText());
  else if (path === undefined)
    throw new UsageError("there is no home folder", "name the file: --config, or MONITOR_CONFIG");
  else if (word === "path") stdout.write(`${path}\n`);
  else await check(context, path);
  return EXIT.done;
}

/** @throws {UsageError} if there are problems, after printing each on stdout */
async function check(context: Context, path: string): Promise<void> {
  const text = await readConfigText(path, context);
  const say = (words: string) => context.stdout.write(`${visible(path)}: ${visible(words)}\n`);
  const { config, problems } = checkConfig(text ?? "");
  if (config !== undefined) resolveSettings({ options: { insecure: true }, env: {} }, config);
  for (const problem of problems) say(problem);
  if (text === undefined) say("there is no config file, and none is needed");
  else if (problems.length === 0) say("no problems");
  else throw new UsageError(`the config file has problems: ${path}`, "mend it where it says");
}

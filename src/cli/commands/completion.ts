// monitor completion bash|zsh|fish: a shell script that calls `monitor completion words` with the line in COMP_LINE.

import { UsageError } from "../../units/monitor-error.ts";
import { COMMANDS, type Command, MARKET } from "../commands.ts";
import type { Config } from "../config/config-keys.ts";
import { readState, statePath } from "../config/persisted-state.ts";
import { type Context, EXIT } from "../context.ts";
import { type Completes, OPTION_KEYS, OPTIONS, type Option } from "../options.ts";
import { findConfig } from "../prepare.ts";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of monitor for bash: source <(monitor completion bash)
complete -o default -C 'monitor completion words --' monitor
`,
  zsh: `# Completion of monitor for zsh: source <(monitor completion zsh)
autoload -U +X bashcompinit && bashcompinit
complete -o default -C 'monitor completion words --' monitor
`,
  fish: `# Completion of monitor for fish: monitor completion fish | source
complete -c monitor -a '(COMP_LINE=(commandline -cp) monitor completion words 2>/dev/null)'
`,
};

/** Where nothing is offered, the shell completes file names. @throws {UsageError} on an unknown shell or an invalid config file */
export async function run(context: Context): Promise<number> {
  const { args, stdout, env } = context;
  const [word = ""] = args;
  const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
  if (script === undefined && word !== "words")
    throw new UsageError(`no completion for ${word}`, "expected: bash, zsh or fish");
  if (script !== undefined) stdout.write(script);
  else {
    const line = (env.COMP_LINE ?? "").split(/\s+/).slice(1);
    const typed = line.pop() ?? "";
    const offered = await offer(context, line, typed);
    for (const each of offered) if (each.startsWith(typed)) stdout.write(`${each}\n`);
  }
  return EXIT.done;
}

/** @param before whole words of the line; the last one is being typed */
async function offer(
  context: Context,
  before: readonly string[],
  typed: string,
): Promise<readonly string[]> {
  const form = formAfter(before.at(-1));
  if (form !== undefined) return offerValues(context, form.completes);
  const name = before.find((word, i) => !word.startsWith("-") && !formAfter(before[i - 1]));
  const command = COMMANDS.find((each) => each.name === name) ?? MARKET;
  if (typed.startsWith("-")) return command.options.map((key) => `--${OPTIONS[key].name}`);
  if (name !== undefined) return command === MARKET ? [] : offerValues(context, first(command));
  const markets = await offerValues(context, "market");
  return [...COMMANDS.flatMap((each) => each.name || []), ...markets];
}

/** Of the value that stands behind `word`; undefined if it is no option that takes one. */
function formAfter(word: string | undefined): Option["form"] {
  const key = OPTION_KEYS.find((each) => {
    const { name, short } = OPTIONS[each];
    return word === `--${name}` || word === `-${short}`;
  });
  return key && OPTIONS[key].form;
}

/** What a command's first argument can be, by its usage. */
function first({ usage }: Command): Completes {
  if (/^[<[]market/.test(usage)) return "market";
  if (usage.startsWith("FILE")) return "file";
  const words = usage.split(" | ").map((form) => form.split(" ")[0] ?? "");
  return words.flatMap((word) => word.split("|")).filter((word) => /^[a-z]+$/.test(word));
}

/** Omits names that a shell would split or expand: some are of the service. */
async function offerValues(
  context: Context,
  completes: Completes = [],
): Promise<readonly string[]> {
  if (completes === "file") return [];
  if (typeof completes !== "string") return completes;
  const { config } = await findConfig(context);
  const names =
    completes === "profile" ? Object.keys(config.profiles ?? {}) : marketNames(context, config);
  return names.filter((name) => /^[\w./-]{1,40}$/.test(name));
}

/** Markets of the config file and of the last run, and two examples: completion never asks the service. */
function marketNames({ env }: Context, { aliases = {}, markets = {} }: Config): readonly string[] {
  const { symbols } = readState(statePath(env));
  const named = [...Object.keys(aliases), ...Object.keys(markets)];
  return [...new Set([...named, ...symbols, "perp/1", "spot/1"])];
}

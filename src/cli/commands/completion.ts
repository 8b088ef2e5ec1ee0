// monitor completion bash|zsh|fish: a shell script that calls `monitor completion words -- WORD...` to complete the last word.

import { UsageError } from "../../units/monitor-error.ts";
import { COMMANDS, type Command, MARKET } from "../commands.ts";
import type { Config } from "../config/config-keys.ts";
import { readState, statePath } from "../config/persisted-state.ts";
import { type Context, EXIT } from "../context.ts";
import { type Completes, OPTION_KEYS, OPTIONS, type Option } from "../options.ts";
import { findConfig } from "../prepare.ts";

/** Offered instead of words: the shell completes file names. */
const FILES = ":files";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of monitor for bash: source <(monitor completion bash)
_monitor() {
  local IFS=$'\\n' words
  words=$(monitor completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $words == ${FILES} ]]; then
    # A bash older than 4 has no compopt: it offers names as they are.
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=($words)
  fi
}
complete -F _monitor monitor
`,
  zsh: `#compdef monitor
# Completion of monitor for zsh: monitor completion zsh > "\${fpath[1]}/_monitor", or source it
_monitor() {
  local -a offered
  offered=(\${(f)"$(monitor completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $offered == ${FILES} ]]; then _files; return; fi
  compadd -a offered
}
(( $+functions[compdef] )) && compdef _monitor monitor
[[ $funcstack[1] == _monitor ]] && _monitor "$@"
`,
  fish: `# Completion of monitor for fish: monitor completion fish | source
function __monitor_offered
  set -l current (commandline -ct)
  set -l before (commandline -opc)
  set -l offered (monitor completion words -- $before[2..-1] "$current" 2>/dev/null)
  if test "$offered" = ${FILES}
    __fish_complete_path "$current"
  else
    printf '%s\\n' $offered
  end
end
complete -c monitor -f -a '(__monitor_offered)'
`,
};

/** @throws {UsageError} on an unknown shell or an invalid config file */
export async function run(context: Context): Promise<number> {
  const [word = "", ...line] = context.args;
  const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
  if (script === undefined && word !== "words")
    throw new UsageError(`no completion for ${word}`, "expected: bash, zsh or fish");
  context.stdout.write(script ?? (await offerText(context, line)));
  return EXIT.done;
}

/** @param line the words after the program's name; the last one, which may be empty, is being typed */
async function offerText(context: Context, line: readonly string[]): Promise<string> {
  const offered = await offer(context, line.slice(0, -1), line.at(-1) ?? "");
  const fitting = offered.filter((word) => word === FILES || word.startsWith(line.at(-1) ?? ""));
  return fitting.map((word) => `${word}\n`).join("");
}

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
  if (completes === "file") return [FILES];
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

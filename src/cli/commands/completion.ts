// monitor completion bash|zsh|fish: a shell script that calls `monitor completion words -- WORD...` to complete the last word.

import { UsageError } from "../../units/monitor-error.ts";
import { COMMANDS, MARKET } from "../commands.ts";
import { openPersistedState, readTexts } from "../config/persisted-state.ts";
import { type Context, EXIT } from "../context.ts";
import { type Completes, OPTIONS, type Option, type OptionKey } from "../options.ts";
import { findConfig } from "../prepare.ts";

/** Offered instead of words: the shell completes file names. */
const FILES = ":files";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of monitor for bash: source <(monitor completion bash)
_monitor() {
  local line isFile=
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ $line == ${FILES} ]]; then isFile=1; else COMPREPLY+=("$line"); fi
  done < <(monitor completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ -n $isFile ]] || return 0
  # A bash older than 4 has no compopt: it offers names as they are.
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -F _monitor monitor
`,
  zsh: `#compdef monitor
# Completion of monitor for zsh: monitor completion zsh > "\${fpath[1]}/_monitor", or source it
_monitor() {
  local -a offered names shown
  offered=(\${(f)"$(monitor completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $offered == ${FILES} ]]; then _files; return; fi
  names=("\${(@)offered%%$'\\t'*}")
  shown=("\${(@)offered/$'\\t'/  -- }")
  compadd -l -d shown -a names
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
  if (script === undefined && word !== "words") {
    throw new UsageError(`no completion for ${word}`, "expected: bash, zsh or fish");
  }
  if (script !== undefined && line.length > 0) {
    throw new UsageError(
      `unexpected argument: ${line[0]}`,
      "expected: monitor completion bash|zsh|fish",
    );
  }
  context.stdout.write(script ?? (await offerText(context, line)));
  return EXIT.done;
}

async function offerText(context: Context, line: readonly string[]): Promise<string> {
  const offered = await offer(context, line);
  const prefix = line.at(-1) ?? "";
  return offered
    .filter(([word]) => word === FILES || word.startsWith(prefix))
    .map((each) => `${each.filter(Boolean).join("\t")}\n`)
    .join("");
}

type Offer = readonly [word: string, summary: string];

/** @param line the words after the program's name; the last one, which may be empty, is being typed */
async function offer(context: Context, line: readonly string[]): Promise<readonly Offer[]> {
  const before = line.slice(0, -1);
  const option = findValueOption(before.at(-1));
  if (option !== undefined) return offerValues(context, option.completes ?? option.words);
  const name = before.find((word, i) => !word.startsWith("-") && !findValueOption(before[i - 1]));
  const command = COMMANDS.find((each) => each.name === name) ?? MARKET;
  if (line.at(-1)?.startsWith("-")) {
    const keys: readonly OptionKey[] =
      name === undefined ? [...MARKET.options, "version"] : command.options;
    return keys.map((key) => [`--${OPTIONS[key].name}`, OPTIONS[key].summary]);
  }
  if (name !== undefined) return command === MARKET ? [] : offerValues(context, command.completes);
  const commands = COMMANDS.filter((each) => each.name !== "").map(
    (each): Offer => [each.name, each.summary],
  );
  return [...commands, ...(await offerValues(context, MARKET.completes))];
}

/** The option named by `word`, if it takes a value. */
function findValueOption(word: string | undefined): Option | undefined {
  return Object.values<Option>(OPTIONS).find(
    ({ name, short, type }) => type !== "flag" && (word === `--${name}` || word === `-${short}`),
  );
}

async function offerValues(
  context: Context,
  completes: Completes | undefined,
): Promise<readonly Offer[]> {
  switch (completes) {
    case "file":
      return [[FILES, ""]];
    case "market":
      return offerNames(await listMarkets(context), "market");
    case "profile":
      return offerNames(Object.keys((await findConfig(context)).config.profiles ?? {}), "profile");
    default:
      return offerNames(completes ?? [], "");
  }
}

/** Omits names that a shell would split or expand: some are of the service. */
function offerNames(names: readonly string[], summary: string): readonly Offer[] {
  return names.filter((name) => /^[\w./-]{1,40}$/.test(name)).map((name) => [name, summary]);
}

/** Examples of how a market is written, offered beside the configured names. */
const FORMS = ["perp/1", "spot/1"];

/** Markets of the config file and of the last run: completion never asks the service. */
async function listMarkets(context: Context): Promise<readonly string[]> {
  const { aliases = {}, markets = {} } = (await findConfig(context)).config;
  const symbols = readTexts(openPersistedState(context.env)?.get("symbols"));
  return [...new Set([...Object.keys(aliases), ...Object.keys(markets), ...symbols, ...FORMS])];
}

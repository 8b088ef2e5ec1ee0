// monitor completion bash|zsh|fish: a script for the shell. The scripts ask it for markets and profiles.

import { COMMANDS, type Command, MARKET } from "../args/commands.ts";
import { type Context, EXIT } from "../args/context.ts";
import { type Completes, OPTIONS, type Option, type OptionKey } from "../args/options.ts";
import { openPersistedState, readSymbols } from "../config/persisted-state.ts";
import { themeNames } from "../screen/theme/theme.ts";
import { PALETTES } from "../screen/theme/themes.ts";
import { UsageError } from "../units/monitor-error.ts";
import { findConfig } from "./prepare.ts";

const SCRIPTS: Readonly<Record<string, (context: Context) => Promise<string>>> = {
  bash: async () => bashCompletion(),
  zsh: async () => zshCompletion(),
  fish: async () => fishCompletion(),
  markets,
  profiles,
};

/** What a market is written like where the config names none. */
const FORMS = ["perp/1", "spot/1"];

/**
 * Answers the exit code.
 * @throws {UsageError} when there is no such shell, or the config file is wrong
 */
export async function run(context: Context): Promise<number> {
  const [word = ""] = context.args;
  const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
  if (script === undefined) {
    throw new UsageError(`no completion for ${word}`, "expected: bash, zsh or fish");
  }
  context.stdout.write(await script(context));
  return EXIT.done;
}

/** Markets that the config file names and those of the last run: nothing is asked of the service while the user types. */
async function markets(context: Context): Promise<string> {
  const { aliases = {}, markets: known = {} } = (await findConfig(context)).config;
  const symbols = readSymbols(await openPersistedState(context.clock));
  const names = [...Object.keys(aliases), ...Object.keys(known), ...symbols, ...FORMS];
  return lines([...new Set(names)]);
}

async function profiles(context: Context): Promise<string> {
  return lines(Object.keys((await findConfig(context)).config.profiles ?? {}));
}

/** Names with anything that a shell would take apart are left out. */
function lines(names: readonly string[]): string {
  return names
    .filter((name) => /^[\w./-]+$/.test(name))
    .map((name) => `${name}\n`)
    .join("");
}

// Completion for bash, zsh and fish, made from the tables of commands and options.

function commandWords(): readonly string[] {
  return COMMANDS.map(({ name }) => name).filter((name) => name !== "");
}

function getOptions(command: Command): readonly Option[] {
  return command.options.map((key): Option => OPTIONS[key]);
}

function optionWords(command: Command): readonly string[] {
  return getOptions(command).map(({ name }) => `--${name}`);
}

/** Options that take a value: the words that they are written as, and what the value can be. */
function valueOptions(): readonly {
  readonly words: readonly string[];
  readonly completes: Completes | undefined;
}[] {
  return (Object.keys(OPTIONS) as OptionKey[])
    .map((key): Option => OPTIONS[key])
    .filter(({ type }) => type !== "flag")
    .map(({ name, short, completes, words }) => ({
      words: [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
      completes: completes ?? words,
    }));
}

/** What is offered where the shell has nothing to look up. */
function getWords(completes: "theme" | "palette" | readonly string[]): readonly string[] {
  if (completes === "theme") return themeNames({ custom: {} });
  return completes === "palette" ? Object.keys(PALETTES) : completes;
}

/** The script, for `source <(monitor completion bash)`. */
export function bashCompletion(): string {
  return `# Completion of monitor for bash: source <(monitor completion bash)
_monitor() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= i
  local options= kind= words=
  COMPREPLY=()
  case $prev in
${valueOptions()
  .map(({ words, completes }) => `    ${words.join("|")}) ${offer(completes)} return ;;`)
  .join("\n")}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${valueOptions()
        .flatMap(({ words }) => words)
        .join("|")}) ((i++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
${COMMANDS.filter(({ name }) => name !== "")
  .map(commandCase)
  .join("\n")}
    "") options="${optionWords(MARKET).join(" ")} --version"
      [[ $cur == -* ]] || { _monitor_offer "${commandWords().join(" ")} $(monitor completion markets 2>/dev/null)"; return; } ;;
    *) options="${optionWords(MARKET).join(" ")}" ;;
  esac
  if [[ $cur == -* ]]; then _monitor_offer "$options"; return; fi
  case $kind in
    market) _monitor_offer "$(monitor completion markets 2>/dev/null)" ;;
    file) COMPREPLY=($(compgen -f -- "$cur")) ;;
    words) _monitor_offer "$words" ;;
  esac
}
_monitor_offer() {
  COMPREPLY=($(compgen -W "$1" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _monitor monitor
`;
}

function commandCase(command: Command): string {
  const { name, completes } = command;
  const kind = completes === undefined ? "" : typeof completes === "string" ? completes : "words";
  const words = typeof completes === "object" ? ` words="${getWords(completes).join(" ")}"` : "";
  return `    ${name}) options="${optionWords(command).join(" ")}" kind=${kind}${words} ;;`;
}

function offer(completes: Completes | undefined): string {
  if (completes === undefined) return "";
  if (completes === "file") return 'COMPREPLY=($(compgen -f -- "$cur"));';
  if (completes === "market") return '_monitor_offer "$(monitor completion markets 2>/dev/null)";';
  if (completes === "profile")
    return '_monitor_offer "$(monitor completion profiles 2>/dev/null)";';
  return `_monitor_offer "${getWords(completes).join(" ")}";`;
}

/** The script, for a file `_monitor` in `$fpath`, or for `source <(monitor completion zsh)`. */
export function zshCompletion(): string {
  const named = COMMANDS.filter(({ name }) => name !== "");
  return `#compdef monitor
# Completion of monitor for zsh: monitor completion zsh > "\${fpath[1]}/_monitor", or source it
_monitor_markets() { local -a found; found=(\${(f)"$(monitor completion markets 2>/dev/null)"}); compadd -a found }
_monitor_profiles() { local -a found; found=(\${(f)"$(monitor completion profiles 2>/dev/null)"}); compadd -a found }
_monitor_commands() {
  local -a commands; commands=(
${named.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
  )
  _describe command commands
  _monitor_markets
}
_monitor() {
  local state line curcontext=$curcontext
  _arguments -C ${specs(MARKET)} '(-V --version)'{-V,--version}'[print the version]' '1:command or market:_monitor_commands' '*::argument:->rest'
  [[ $state == rest ]] || return
  case $line[1] in
${named
  .map((command) => `    ${command.name}) _arguments ${specs(command)} ${argument(command)} ;;`)
  .join("\n")}
    *) _arguments ${specs(MARKET)} ;;
  esac
}
(( $+functions[compdef] )) && compdef _monitor monitor
[[ $funcstack[1] == _monitor ]] && _monitor "$@"
`;
}

function specs(command: Command): string {
  return getOptions(command).map(spec).join(" ");
}

function spec(option: Option): string {
  const { name, short, summary, value, completes, isRepeatable } = option;
  const words = short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
  const action = value === undefined ? "" : `:${escaped(value)}:${formatAction(completes)}`;
  const star = isRepeatable ? "*" : "";
  return words.map((word) => quoted(`${star}${word}[${escaped(summary)}]${action}`)).join(" ");
}

function argument({ usage, completes }: Command): string {
  return usage === "" ? "" : quoted(`*:${escaped(usage)}:${formatAction(completes)}`);
}

function formatAction(completes: Completes | undefined): string {
  if (completes === undefined) return " ";
  if (completes === "file") return "_files";
  if (completes === "market") return "_monitor_markets";
  if (completes === "profile") return "_monitor_profiles";
  return `(${getWords(completes).join(" ")})`;
}

/** Signs that mean something inside a specification. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The script, for `monitor completion fish | source`. */
export function fishCompletion(): string {
  const commands = commandWords().join(" ");
  const named = COMMANDS.filter(({ name }) => name !== "");
  const isFirst = `not __fish_seen_subcommand_from ${commands}`;
  return [
    "# Completion of monitor for fish: monitor completion fish | source",
    "complete -c monitor -f",
    ...named.map(
      ({ name, summary }) =>
        `complete -c monitor -n '${isFirst}' -a ${name} -d ${quotedForFish(summary)}`,
    ),
    `complete -c monitor -n '${isFirst}' -a '(monitor completion markets 2>/dev/null)' -d market`,
    `complete -c monitor -n '${isFirst}' -s V -l version -d 'print the version'`,
    ...COMMANDS.flatMap((command) => formatLines(command, isFirst)),
    "",
  ].join("\n");
}

function formatLines(command: Command, isFirst: string): string[] {
  const { name, completes } = command;
  const when = name === "" ? isFirst : `__fish_seen_subcommand_from ${name}`;
  const start = `complete -c monitor -n '${when}'`;
  const offers = name === "" || completes === undefined ? "" : formatOffers(completes);
  return [
    ...(offers === "" ? [] : [`${start}${offers}`]),
    ...getOptions(command).map((option) => `${start}${formatOption(option)}`),
  ];
}

function formatOption({ name, short, type, summary, completes }: Option): string {
  const names = short === undefined ? ` -l ${name}` : ` -s ${short} -l ${name}`;
  // -x: its value is no file of the folder.
  const needed = completes === "file" ? " -r" : " -x";
  const value =
    type === "flag" ? "" : `${needed}${completes === undefined ? "" : formatOffers(completes)}`;
  return `${names}${value} -d ${quotedForFish(summary)}`;
}

function formatOffers(completes: Completes): string {
  if (completes === "file") return " -F";
  if (completes === "market") return " -a '(monitor completion markets 2>/dev/null)'";
  if (completes === "profile") return " -a '(monitor completion profiles 2>/dev/null)'";
  return ` -a '${getWords(completes).join(" ")}'`;
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

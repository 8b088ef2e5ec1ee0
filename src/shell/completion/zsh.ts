// Completion for zsh, made from the tables of commands and options.
import { COMMANDS, type Command, MARKET } from "../../args/commands.ts";
import type { Completes, Option } from "../../args/options.ts";
import { optionsOf, wordsOf } from "./words.ts";

/** The script, for a file `_monitor` in `$fpath`, or for `source <(monitor completion zsh)`. Never throws. */
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
  return optionsOf(command).map(spec).join(" ");
}

function spec(option: Option): string {
  const { name, short, summary, value, completes, isRepeatable } = option;
  const words = short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
  const action = value === undefined ? "" : `:${escaped(value)}:${actionOf(completes)}`;
  const star = isRepeatable ? "*" : "";
  return words.map((word) => quoted(`${star}${word}[${escaped(summary)}]${action}`)).join(" ");
}

function argument({ usage, completes }: Command): string {
  return usage === "" ? "" : quoted(`*:${escaped(usage)}:${actionOf(completes)}`);
}

function actionOf(completes: Completes | undefined): string {
  if (completes === undefined) return " ";
  if (completes === "file") return "_files";
  if (completes === "market") return "_monitor_markets";
  if (completes === "profile") return "_monitor_profiles";
  return `(${wordsOf(completes).join(" ")})`;
}

/** Signs that mean something inside a specification. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

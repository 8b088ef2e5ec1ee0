// Completion for bash, made from the tables of commands and options.
import { COMMANDS, type Command, MARKET } from "../../args/commands.ts";
import type { Completes } from "../../args/options.ts";
import { commandWords, optionWords, valueOptions, wordsOf } from "./words.ts";

/** The script, for `source <(monitor completion bash)`. Never throws. */
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
  const words = typeof completes === "object" ? ` words="${wordsOf(completes).join(" ")}"` : "";
  return `    ${name}) options="${optionWords(command).join(" ")}" kind=${kind}${words} ;;`;
}

function offer(completes: Completes | undefined): string {
  if (completes === undefined) return "";
  if (completes === "file") return 'COMPREPLY=($(compgen -f -- "$cur"));';
  if (completes === "market") return '_monitor_offer "$(monitor completion markets 2>/dev/null)";';
  if (completes === "profile")
    return '_monitor_offer "$(monitor completion profiles 2>/dev/null)";';
  return `_monitor_offer "${wordsOf(completes).join(" ")}";`;
}

// Completion for fish, made from the tables of commands and options.
import { COMMANDS, type Command } from "../../args/commands.ts";
import type { Completes, Option } from "../../args/options.ts";
import { commandWords, optionsOf, wordsOf } from "./words.ts";

/** The script, for `monitor completion fish | source`. Never throws. */
export function fishCompletion(): string {
  const commands = commandWords().join(" ");
  const named = COMMANDS.filter(({ name }) => name !== "");
  const isFirst = `not __fish_seen_subcommand_from ${commands}`;
  return [
    "# Completion of monitor for fish: monitor completion fish | source",
    "complete -c monitor -f",
    ...named.map(
      ({ name, summary }) => `complete -c monitor -n '${isFirst}' -a ${name} -d ${quoted(summary)}`,
    ),
    `complete -c monitor -n '${isFirst}' -a '(monitor completion markets 2>/dev/null)' -d market`,
    `complete -c monitor -n '${isFirst}' -s V -l version -d 'print the version'`,
    ...COMMANDS.flatMap((command) => linesOf(command, isFirst)),
    "",
  ].join("\n");
}

function linesOf(command: Command, isFirst: string): string[] {
  const { name, completes } = command;
  const when = name === "" ? isFirst : `__fish_seen_subcommand_from ${name}`;
  const start = `complete -c monitor -n '${when}'`;
  const offers = name === "" || completes === undefined ? "" : offersOf(completes);
  return [
    ...(offers === "" ? [] : [`${start}${offers}`]),
    ...optionsOf(command).map((option) => `${start}${optionOf(option)}`),
  ];
}

function optionOf({ name, short, type, summary, completes }: Option): string {
  const names = short === undefined ? ` -l ${name}` : ` -s ${short} -l ${name}`;
  // -x: its value is no file of the folder.
  const needed = completes === "file" ? " -r" : " -x";
  const value =
    type === "flag" ? "" : `${needed}${completes === undefined ? "" : offersOf(completes)}`;
  return `${names}${value} -d ${quoted(summary)}`;
}

function offersOf(completes: Completes): string {
  if (completes === "file") return " -F";
  if (completes === "market") return " -a '(monitor completion markets 2>/dev/null)'";
  if (completes === "profile") return " -a '(monitor completion profiles 2>/dev/null)'";
  return ` -a '${wordsOf(completes).join(" ")}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

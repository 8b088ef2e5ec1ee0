// What the completion of every shell offers, from the tables of commands and options.
import { COMMANDS, type Command } from "../../args/commands.ts";
import { type Completes, OPTIONS, type Option, type OptionKey } from "../../args/options.ts";
import { PALETTES, THEMES } from "../../screen/theme/themes.ts";

/** Names of the commands. Never throws. */
export function commandWords(): readonly string[] {
  return COMMANDS.map(({ name }) => name).filter((name) => name !== "");
}

/** The options that a command takes, by their table entries. Never throws. */
export function optionsOf(command: Command): readonly Option[] {
  return command.options.map((key): Option => OPTIONS[key]);
}

/** `--name` of each option of a command. Never throws. */
export function optionWords(command: Command): readonly string[] {
  return optionsOf(command).map(({ name }) => `--${name}`);
}

/** Options that take a value: the words that they are written as, and what the value can be. Never throws. */
export function valueOptions(): readonly {
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
export function wordsOf(completes: "theme" | "palette" | readonly string[]): readonly string[] {
  if (completes === "theme") return Object.keys(THEMES);
  return completes === "palette" ? Object.keys(PALETTES) : completes;
}

// docs/reference.md: commands, options, config keys and exit codes, made from their tables.

import { COMMANDS, type Command } from "../../args/commands.ts";
import { OPTIONS, type Option, type OptionKey } from "../../args/options.ts";
import { CONFIG_SECTIONS, type ConfigSection } from "../../config/config-keys.ts";
import { ERRORS, EXIT_CODES, FILES } from "./notes.ts";

/** The same text for the same tables. Never throws. */
export function referenceText(): string {
  return `${[
    "# Reference",
    "",
    "Made by `node scripts/docs.mjs` from the tables of the program.",
    "",
    "## Commands",
    ...COMMANDS.flatMap(commandLines),
    "",
    "## Options",
    "",
    ...table(["option", "environment", "what it does"], optionRows()),
    "",
    "## Config file",
    "",
    "`monitor config print` writes a file with every key, `monitor config check` says what is wrong with yours.",
    "What is given on the command line or in the environment counts more, then the profile, then the file.",
    ...CONFIG_SECTIONS.flatMap(sectionLines),
    "",
    "## Files",
    "",
    ...table(["file", "what it is"], FILES),
    "",
    "## Exit codes",
    "",
    ...table(["code", "meaning"], EXIT_CODES),
    "",
    "## Errors",
    "",
    "One line says what has happened, a second one what to do; `--debug` adds the stack. Codes stand in `--log` and in the",
    "source. 2 is the exit code of `usage`, 1 that of all others.",
    "",
    ...table(["code", "what has happened", "what helps"], errorRows()),
  ].join("\n")}\n`;
}

function commandLines({ name, usage, summary, options }: Command): string[] {
  const title = ["monitor", name, usage].filter(Boolean).join(" ");
  const names = options.map((key) => `\`--${OPTIONS[key].name}\``).join(" ");
  return ["", `### \`${title}\``, "", capital(summary), "", `Options: ${names}`];
}

/** Rows of options: the option with its value, its environment variable, what it does. Never throws. */
export function optionRows(): string[][] {
  return (Object.keys(OPTIONS) as OptionKey[]).map((key) => {
    const { name, short, value, env, summary }: Option = OPTIONS[key];
    const words = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [
      code([words, value].filter(Boolean).join(" ")),
      env === undefined ? "" : code(env),
      summary,
    ];
  });
}

function errorRows(): string[][] {
  return ERRORS.map(([name, meaning, advice]) => [code(name), meaning, advice]);
}

function sectionLines({ heading, summary, options }: ConfigSection): string[] {
  const title = heading === "" ? summary : `${summary}: \`${heading}\``;
  const rows = Object.entries(options).map(([name, { example, summary: words }]) => [
    code(`${name} = ${example}`),
    words,
  ]);
  return ["", `### ${title}`, "", ...table(["key", "what it is for"], rows)];
}

/** Lines of a table; what stands in a cell is escaped. Never throws. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** As it is typed. Never throws. */
export function code(text: string): string {
  return `\`${text}\``;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

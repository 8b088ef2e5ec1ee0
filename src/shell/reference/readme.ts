// The tables of README.md, each between two comments that name it, made from the tables of the program.

import { COMMANDS } from "../../args/commands.ts";
import { CONFIG_SECTIONS } from "../../config/config-keys.ts";
import { code, optionRows, table } from "./markdown.ts";
import { ERRORS, EXIT_CODES } from "./notes.ts";

const SECTIONS: Readonly<Record<string, () => readonly string[]>> = {
  commands: () =>
    table(
      ["command", "what it does"],
      COMMANDS.map(({ name, usage, summary }) => [
        code(["monitor", name, usage].filter(Boolean).join(" ")),
        summary,
      ]),
    ),
  options: () => table(["option", "environment", "what it does"], optionRows()),
  config: () =>
    table(
      ["section", "keys", "what it is for"],
      CONFIG_SECTIONS.map(({ heading, summary, options }) => [
        heading && code(heading),
        Object.keys(options).map(code).join(" "),
        summary,
      ]),
    ),
  "exit-codes": () => table(["exit code", "meaning"], EXIT_CODES),
  errors: () =>
    table(
      ["error", "what has happened"],
      ERRORS.map(([name, meaning]) => [code(name), meaning]),
    ),
};

/**
 * The text with its tables as they are now.
 * @throws {Error} when a table has no place in it
 */
export function fillReadme(text: string): string {
  return Object.entries(SECTIONS).reduce(fill, text);
}

function fill(text: string, [name, lines]: [string, () => readonly string[]]): string {
  const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!place.test(text)) throw new Error(`README.md has no place for ${name}`);
  return text.replace(
    place,
    (_, start: string, end: string) => `${start}${lines().join("\n")}\n${end}`,
  );
}

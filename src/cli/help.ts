// Help, made from the tables of commands and options.
import { COMMANDS, type Command } from "./commands.ts";
import { OPTIONS, type Option } from "./options.ts";

/** Help of one command, or of the whole program. */
export function helpText(command: Command | undefined): string {
  return command === undefined ? programHelp() : commandHelp(command);
}

function programHelp(): string {
  const rows = COMMANDS.map(({ name, usage, summary }): [string, string] => [
    ["monitor", name, usage].filter(Boolean).join(" "),
    summary,
  ]);
  return [
    "A live, read-only monitor of one exchange.",
    "",
    "Usage:",
    ...table(rows),
    "",
    "Options of all commands:",
    ...optionRows([OPTIONS.help, OPTIONS.version, OPTIONS.noColor, OPTIONS.debug]),
    "",
    "monitor <command> --help says more. Nothing to connect to? Try: monitor demo",
  ].join("\n");
}

function commandHelp({ name, usage, summary, options }: Command): string {
  return [
    `monitor ${[name, usage].filter(Boolean).join(" ")}`,
    "",
    summary,
    "",
    "Options:",
    ...optionRows(options.map((key) => OPTIONS[key])),
  ].join("\n");
}

function optionRows(options: readonly Option[]): string[] {
  return table(
    options.map(({ name, short, value, summary, env }) => [
      `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      env === undefined ? summary : `${summary} [${env}]`,
    ]),
  );
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

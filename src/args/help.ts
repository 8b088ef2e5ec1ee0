// Help, made from the tables of commands and options.
import { wrapWords } from "../terminal/cells/text-cells.ts";
import { COMMANDS, type Command } from "./commands.ts";
import { OPTIONS, type Option } from "./options.ts";

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
    ...wrapWords(summary, LINE_CELLS),
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

/** Cells of a line: as wide as any terminal. */
const LINE_CELLS = 80;
/** What is longer stands on a line of its own. */
const MOST_LEFT_CELLS = 28;
const GAP_CELLS = 2;

function table(rows: readonly (readonly [string, string])[]): string[] {
  const widths = rows.map(([left]) => left.length).filter((width) => width <= MOST_LEFT_CELLS);
  const leftCells = Math.max(...widths);
  const indent = " ".repeat(GAP_CELLS + leftCells + GAP_CELLS);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrapWords(right, LINE_CELLS - indent.length);
    const beside = left.length <= leftCells;
    const head = beside ? [`  ${left.padEnd(leftCells)}  ${first}`] : [`  ${left}`, indent + first];
    return [...head, ...rest.map((line) => indent + line)];
  });
}

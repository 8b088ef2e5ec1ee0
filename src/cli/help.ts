// Help texts, generated from the tables of commands and options.
import { wrapText } from "../terminal/width.ts";
import { ADDRESSES, COMMANDS, COMMON_OPTIONS, type Command, formatUsage } from "./commands.ts";
import { OPTIONS, type Option, type OptionKey } from "./options.ts";

export function helpText(command: Command | undefined): string {
  return command === undefined ? programHelp() : commandHelp(command);
}

function programHelp(): string {
  const rows = COMMANDS.map((each): [string, string] => [formatUsage(each), each.summary]);
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

/** The command's own options first, then the common ones. */
function commandHelp({ name, usage, summary, options, examples }: Command): string {
  const section = (title: string, isIn: (key: OptionKey) => boolean) => {
    const rows = options.filter(isIn).map((key) => OPTIONS[key]);
    return rows.length === 0 ? [] : ["", `${title}:`, ...optionRows(rows)];
  };
  const isCommon = (key: OptionKey) => ADDRESSES.includes(key) || COMMON_OPTIONS.includes(key);
  const lines = (title: string, list: readonly string[] = []) =>
    list.length === 0 ? [] : ["", `${title}:`, ...list.map((line) => `  ${line}`)];
  return [
    ...usage.split(" | ").map((form) => formatUsage({ name, usage: form })),
    "",
    ...wrapText(summary, LINE_CELLS),
    ...lines("Examples", examples),
    ...section("Options", (key) => !isCommon(key)),
    ...section("Where the service is", (key) => ADDRESSES.includes(key)),
    ...section("Options of most commands", (key) => COMMON_OPTIONS.includes(key)),
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

/** Line width in cells: fits every terminal. */
const LINE_CELLS = 80;
/** Longer entries of the left column get a line of their own. */
const MAX_LEFT_CELLS = 28;
const GAP_CELLS = 2;

function table(rows: readonly (readonly [string, string])[]): string[] {
  const widths = rows.map(([left]) => left.length).filter((width) => width <= MAX_LEFT_CELLS);
  const leftCells = Math.max(...widths);
  const indent = " ".repeat(GAP_CELLS + leftCells + GAP_CELLS);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrapText(right, LINE_CELLS - indent.length);
    const beside = left.length <= leftCells;
    const head = beside ? [`  ${left.padEnd(leftCells)}  ${first}`] : [`  ${left}`, indent + first];
    return [...head, ...rest.map((line) => indent + line)];
  });
}

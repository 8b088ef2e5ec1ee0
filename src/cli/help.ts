// Help texts, generated from the tables of commands and options.
import { wrapText } from "../terminal/width.ts";
import { ADDRESSES, COMMANDS, COMMON_OPTIONS, type Command, formatUsage } from "./commands.ts";
import { OPTIONS, type OptionKey } from "./options.ts";

export function helpText(command: Command | undefined): string {
  return command === undefined ? programHelp() : commandHelp(command);
}

function programHelp(): string {
  const rows = COMMANDS.map((each): [string, string] => [formatUsage(each), each.summary]);
  return [
    "A live, read-only monitor of one exchange.",
    ...["", "Usage:"],
    ...table(rows),
    ...section("Options of all commands", ["help", "version", "noColor", "debug"]),
    "",
    "monitor <command> --help says more. Nothing to connect to? Try: monitor demo",
  ].join("\n");
}

/** The command's own options first, then the common ones. */
function commandHelp({ name, usage, summary, options }: Command): string {
  const common = [...ADDRESSES, ...COMMON_OPTIONS];
  const isOwn = (key: OptionKey) => !common.includes(key);
  const given = (keys: readonly OptionKey[]) => keys.filter((key) => options.includes(key));
  return [
    ...usage.split(" | ").map((form) => formatUsage({ name, usage: form })),
    "",
    ...wrapText(summary, LINE_CELLS),
    ...section("Options", options.filter(isOwn)),
    ...section("Where the service is", given(ADDRESSES)),
    ...section("Options of most commands", given(COMMON_OPTIONS)),
  ].join("\n");
}

function section(title: string, keys: readonly OptionKey[]): string[] {
  if (keys.length === 0) return [];
  const rows = keys.map((key): [string, string] => {
    const { name, short, form, summary, env } = OPTIONS[key];
    const words = `${short === undefined ? "" : `-${short}, `}--${name} ${form?.value ?? ""}`;
    return [words.trimEnd(), env === undefined ? summary : `${summary} [${env}]`];
  });
  return ["", `${title}:`, ...table(rows)];
}

/** Line width in cells: fits every terminal. */
const LINE_CELLS = 80;
/** Longer entries of the left column get a line of their own. */
const MAX_LEFT_CELLS = 28;

function table(rows: readonly (readonly [string, string])[]): string[] {
  const widths = rows.map(([left]) => left.length).filter((width) => width <= MAX_LEFT_CELLS);
  const leftCells = Math.max(...widths);
  const indent = " ".repeat(leftCells + 4);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrapText(right, LINE_CELLS - indent.length);
    const beside = left.length <= leftCells;
    const head = beside ? [`  ${left.padEnd(leftCells)}  ${first}`] : [`  ${left}`, indent + first];
    return [...head, ...rest.map((line) => indent + line)];
  });
}

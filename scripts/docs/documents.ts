// The generated documents: their paths and texts, including the manual page in roff.
import { COMMANDS, type Command, formatUsage } from "../../src/args/commands.ts";
import { OPTIONS, type Option, type OptionKey } from "../../src/args/options.ts";
import { formatKey } from "../../src/screen/keymap.ts";
import { CONTEXT_HEADINGS, KEYS, type KeyContext } from "../../src/screen/keys.ts";
import { metricsText } from "./metrics.ts";
import { CONTEXTS, EXIT_CODES, FILES, keysText, referenceText } from "./reference.ts";

/** Generators of documents, by path from the root of the project. */
export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/keys.md": keysText,
  "docs/metrics.md": metricsText,
  "docs/monitor.1": manPage,
  "docs/reference.md": referenceText,
};

/** docs/monitor.1. Deterministic. */
function manPage(): string {
  const options = (Object.keys(OPTIONS) as OptionKey[]).map((key): Option => OPTIONS[key]);
  return `${[
    '.\\" Made by scripts/docs.mjs from the tables of commands and options.',
    ".TH MONITOR 1",
    ".SH NAME",
    "monitor \\- live, read\\-only monitor of one exchange",
    ".SH SYNOPSIS",
    ...COMMANDS.flatMap(synopsis),
    ".SH COMMANDS",
    ...COMMANDS.flatMap((command) => item(bold(formatUsage(command)), command.summary)),
    ".SH OPTIONS",
    "Which options a command takes: monitor COMMAND \\-\\-help.",
    ...options.flatMap((option) => item(optionTitle(option), option.summary, environment(option))),
    ".SH KEYS",
    ...CONTEXTS.flatMap(keyItems),
    ".SH FILES",
    ...FILES.flatMap(([file, meaning]) => item(`\\fI${escaped(file)}\\fR`, meaning)),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => item(bold(code), meaning)),
  ].join("\n")}\n`;
}

function keyItems(context: KeyContext): string[] {
  const bindings = KEYS.filter((binding) => binding.context === context);
  if (bindings.length === 0) return [];
  return [
    `.SS ${escaped(CONTEXT_HEADINGS[context])}`,
    ...bindings.flatMap(({ keys, description }) =>
      item(keys.map((key) => bold(formatKey(key))).join(", "), description),
    ),
  ];
}

function synopsis(command: Command): string[] {
  return [".br", `${bold(formatUsage(command))} [\\fIoptions\\fR]`];
}

function item(title: string, ...description: string[]): string[] {
  return [".TP", title, ...description.filter(Boolean).map(escaped)];
}

function optionTitle({ name, short, value }: Option): string {
  const description = short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
  const title = description.map(bold).join(", ");
  return value === undefined ? title : `${title} \\fI${escaped(value)}\\fR`;
}

function environment({ env, isRepeatable }: Option): string {
  if (env === undefined) return "";
  return `Environment: ${env}${isRepeatable ? ", one a line" : ""}.`;
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** Escapes a point or quote at the start of a line, which roff would take for a command. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}

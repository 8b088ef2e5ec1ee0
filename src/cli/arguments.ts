// Parses the command line into a command, its arguments and its checked options.
import meow from "meow";
import { UsageError } from "../units/monitor-error.ts";
import { nearest } from "../units/nearest.ts";
import {
  arityOf,
  COMMANDS,
  type Command,
  formatUsage,
  MARKET,
  nearestCommand,
} from "./commands.ts";
import {
  getFlag,
  OPTION_KEYS,
  OPTIONS,
  type Option,
  type OptionKey,
  type Options,
} from "./options.ts";

/** The command is undefined if the line is empty; `help COMMAND` means COMMAND with --help. @throws {UsageError} for an unknown, missing, repeated or malformed argument or option */
export function parseArguments(argv: readonly string[]) {
  const { input, flags } = meow({
    importMeta: import.meta,
    pkg: { name: "monitor" },
    argv,
    autoHelp: false,
    autoVersion: false,
    allowUnknownFlags: true,
    booleanDefault: undefined,
    flags: Object.fromEntries(given(argv).map((key) => [key, meowFlag(OPTIONS[key])])),
  });
  const isHelp = input[0] === "help";
  const [first, ...rest] = isHelp ? input.slice(1) : input;
  const named = COMMANDS.find(({ name }) => name !== "" && name === first);
  const command = named ?? (first === undefined ? undefined : MARKET);
  const args = named === undefined ? input : rest;
  const options = readOptions(isHelp ? { ...flags, help: true } : flags, command);
  // After `help`, a word must be a command or look like a market by id.
  if (isHelp && command === MARKET && !/^(?:[a-z]+\/)?[0-9]+$/.test(first ?? ""))
    throw unknownCommand(first ?? "", "see monitor --help");
  const isAsking = options.help === true || options.version === true;
  if (command !== undefined && !isAsking) checkArity(command, args);
  return { command, args, options };
}

/** Of sixty options few are given, and the parser takes its time for each that it knows. */
function given(argv: readonly string[]): readonly OptionKey[] {
  const end = argv.indexOf("--");
  const words = argv.slice(0, end < 0 ? argv.length : end);
  const names = words.flatMap((word) => {
    const [, dashes, name = ""] = /^(--?)(?:no-)?([^=]*)/.exec(word) ?? [];
    return dashes === "-" ? [...name] : dashes === "--" ? [name] : [];
  });
  return OPTION_KEYS.filter((key) => {
    const { name, short = name } = OPTIONS[key];
    return [key, name, short].some((each) => names.includes(each));
  });
}

function meowFlag({ short, form }: Option) {
  const shortFlag = short === undefined ? {} : { shortFlag: short };
  return form === undefined
    ? ({ type: "boolean", ...shortFlag } as const)
    : ({ type: "string", isMultiple: true, ...shortFlag } as const);
}

function readOptions(flags: Record<string, unknown>, command: Command | undefined): Options {
  const options: Record<string, unknown> = {};
  for (const [flag, value] of Object.entries(flags)) {
    // The parser turns --no-color into color: false, and --no-json into json: false.
    const key = flag === "color" && value === false ? "noColor" : flag;
    const known = OPTION_KEYS.find((each) => each === key);
    if (known === undefined) throw unknownOption(getFlag(flag));
    if (key === flag && !value) continue;
    checkAllowed(known, command);
    options[known] = readValue(OPTIONS[known], value);
  }
  return options;
}

/** The options set by the environment; an empty variable counts as unset. @throws {UsageError} as the command line */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Options {
  const entries = OPTION_KEYS.flatMap((key) => {
    const option = OPTIONS[key];
    const text = option.env === undefined ? undefined : env[option.env];
    if (!text) return [];
    const values = option.isRepeatable ? text.split(/\r?\n/).filter(Boolean) : [text];
    return [[key, readValue(option, values)]];
  });
  return Object.fromEntries(entries);
}

function unknownOption(name: string): UsageError {
  const near = nearest(name, OPTION_KEYS.map(getFlag));
  const advice = near === undefined ? "see monitor --help" : `did you mean --${near}?`;
  return new UsageError(`unknown option: --${name}`, advice);
}

function checkAllowed(key: OptionKey, command: Command | undefined): void {
  const isOfAll = key === "help" || key === "version" || key === "debug";
  if (isOfAll || command?.options.includes(key)) return;
  const where = command === undefined ? "without a command" : `with ${command.name || "a market"}`;
  const help = ["see monitor", command?.name, "--help"].filter(Boolean).join(" ");
  throw new UsageError(`--${OPTIONS[key].name} has no meaning ${where}`, help);
}

function readValue(option: Option, value: unknown): unknown {
  const { name, form, isRepeatable } = option;
  if (form === undefined) return true;
  const texts = (value as unknown[]).map(String);
  const [text = "", ...more] = texts;
  const expected = `expected: --${name} ${form.value} (${form.says})`;
  // The parser has no word for a missing value.
  if (text === "") throw new UsageError(`--${name} needs a value`, expected);
  if (more.length > 0 && !isRepeatable)
    throw new UsageError(`--${name} is given more than once`, expected);
  const read = option.read(texts);
  if (read !== undefined) return read;
  throw new UsageError(`--${name} cannot be ${JSON.stringify(text)}`, expected);
}

function checkArity(command: Command, args: readonly string[]): void {
  const { name } = command;
  const [least, most] = arityOf(command);
  const expected = `expected: ${formatUsage(command)}`;
  if (args.length < least) {
    const after = args.length === 0 ? "" : ` after ${args.at(-1)}`;
    throw new UsageError(`${name || "monitor"} needs an argument${after}`, expected);
  }
  if (args.length <= most) return;
  if (name === "") throw unknownCommand(args[0] ?? "", expected);
  throw new UsageError(`unexpected argument: ${args[most]}`, expected);
}

function unknownCommand(word: string, advice: string): UsageError {
  const near = nearestCommand(word);
  const hint = near === undefined ? advice : `did you mean monitor ${near}?`;
  return new UsageError(`unknown command: ${word}`, hint);
}

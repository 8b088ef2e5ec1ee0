// Parses the command line into a command, its arguments and its checked options.
import meow from "meow";
import { UsageError } from "../units/monitor-error.ts";
import { nearest } from "../units/nearest.ts";
import { COMMANDS, type Command, formatUsage, MARKET } from "./commands.ts";
import type { Options } from "./context.ts";
import { formOf, getFlag, OPTIONS, type Option, type OptionKey, readOption } from "./options.ts";

/** A parsed command line; `command` is undefined if it is empty. */
export interface Arguments {
  readonly command: Command | undefined;
  readonly args: readonly string[];
  readonly options: Options;
}

const optionKeys = Object.keys(OPTIONS) as OptionKey[];

/** `help COMMAND` means COMMAND with --help. @throws {UsageError} for an unknown, missing, repeated or malformed argument or option */
export function parseArguments(argv: readonly string[]): Arguments {
  checkValues(argv);
  const { input, flags } = meow({
    importMeta: import.meta,
    pkg: { name: "monitor" },
    argv,
    autoHelp: false,
    autoVersion: false,
    allowUnknownFlags: true,
    booleanDefault: undefined,
    flags: Object.fromEntries(mentioned(argv).map((key) => [key, meowFlag(OPTIONS[key])])),
  });
  const isHelp = input[0] === "help";
  const [first, ...rest] = isHelp ? input.slice(1) : input;
  const named = COMMANDS.find(({ name }) => name !== "" && name === first);
  const command = named ?? (first === undefined ? undefined : MARKET);
  const args = named === undefined ? input : rest;
  const options = readOptions(isHelp ? { ...flags, help: true } : flags, command);
  if (isHelp && named === undefined && first !== undefined) checkMarket(first);
  const isAsking = options.help === true || options.version === true;
  if (command !== undefined && !isAsking) checkArity(command, args);
  return { command, args, options };
}

/** Of sixty options few are given, and the parser takes its time for each that it knows. */
function mentioned(argv: readonly string[]): readonly OptionKey[] {
  return optionKeys.filter((key) => {
    const { name, short }: Option = OPTIONS[key];
    const isIn = (word: string) => word.includes(name) || word.includes(key);
    return argv.some((word) => isIn(word) || (short !== undefined && /^-[^-]/.test(word)));
  });
}

function meowFlag(option: Option) {
  const shortFlag = option.short === undefined ? {} : { shortFlag: option.short };
  return option.type === "flag"
    ? ({ type: "boolean", ...shortFlag } as const)
    : ({ type: "string", isMultiple: true, ...shortFlag } as const);
}

/** The option that a word names by its long or short name. */
function findOption(dashes: string, name: string): Option | undefined {
  return optionKeys
    .map((key): Option => OPTIONS[key])
    .find((option) => (dashes === "-" ? option.short : option.name) === name);
}

/** Reports missing values: the parser would silently take the next word as the value, or none. */
function checkValues(argv: readonly string[]): void {
  for (const [i, word] of argv.entries()) {
    if (word === "--") return;
    const [, dashes = "", name = "", value] = /^(--?)([a-z-]+)(=.*)?$/s.exec(word) ?? [];
    const option = findOption(dashes, name);
    if (option === undefined || option.type === "flag" || value !== undefined) continue;
    const next = argv[i + 1];
    if (next === undefined || next.startsWith("--")) {
      throw new UsageError(`${dashes}${name} needs a value`, formatForm(option));
    }
  }
}

function readOptions(flags: Record<string, unknown>, command: Command | undefined): Options {
  const options: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(flags)) {
    // The parser turns --no-color into color: false, and --no-json into json: false.
    const name = key === "color" && given === false ? "noColor" : key;
    const known = optionKeys.find((each) => each === name);
    if (known === undefined) throw unknownOption(key);
    if (name === key && isAbsent(given)) continue;
    checkAllowed(known, command);
    options[known] = readValue(OPTIONS[known], given);
  }
  return options as Options;
}

const isAbsent = (given: unknown) => !given || (Array.isArray(given) && given.length === 0);

/** The options set by the environment; an empty variable counts as unset. @throws {UsageError} as the command line */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Options {
  const entries = optionKeys.flatMap((key) => {
    const option: Option = OPTIONS[key];
    const text = option.env === undefined ? "" : (env[option.env] ?? "");
    if (text === "") return [];
    const values = option.isRepeatable ? text.split(/\r?\n/).filter(Boolean) : [text];
    return [[key, readValue(option, values)]];
  });
  return Object.fromEntries(entries);
}

function unknownOption(key: string): UsageError {
  const name = getFlag(key);
  const suggestion = nearest(
    name,
    optionKeys.map((each) => OPTIONS[each].name),
  );
  const advice = suggestion === undefined ? "see monitor --help" : `did you mean --${suggestion}?`;
  return new UsageError(`unknown option: --${name}`, advice);
}

function checkAllowed(key: OptionKey, command: Command | undefined): void {
  if (key === "help" || key === "version" || key === "debug") return;
  if (command?.options.includes(key)) return;
  const where = command === undefined ? "without a command" : `with ${command.name || "a market"}`;
  const help = ["see monitor", command?.name, "--help"].filter(Boolean).join(" ");
  throw new UsageError(`--${OPTIONS[key].name} has no meaning ${where}`, help);
}

function readValue(option: Option, given: unknown): unknown {
  if (option.type === "flag") return true;
  const values = (given as unknown[]).map(String);
  if (option.isRepeatable) return values;
  const [text = "", ...more] = values;
  if (more.length > 0) {
    throw new UsageError(`--${option.name} is given more than once`, formatForm(option));
  }
  const value = readOption(option, text);
  if (value === undefined) {
    throw new UsageError(`--${option.name} cannot be ${JSON.stringify(text)}`, formatForm(option));
  }
  return value;
}

function formatForm(option: Option): string {
  const placeholder = option.value === undefined ? "" : ` ${option.value}`;
  return `expected: --${option.name}${placeholder} (${formOf(option)})`;
}

function checkArity(command: Command, args: readonly string[]): void {
  const { name, arity } = command;
  const [least, most] = arity;
  const expected = `expected: ${formatUsage(command)}`;
  if (args.length < least) {
    const after = args.length === 0 ? "" : ` after ${args.at(-1)}`;
    throw new UsageError(`${name || "monitor"} needs an argument${after}`, expected);
  }
  const extra = args[most];
  if (extra === undefined) return;
  if (name !== "") throw new UsageError(`unexpected argument: ${extra}`, expected);
  throw unknownCommand(args[0] ?? "", expected);
}

/** After `help`, a word must be a command or look like a market by id. */
function checkMarket(word: string): void {
  if (!/^(?:[a-z]+\/)?[0-9]+$/.test(word)) throw unknownCommand(word, "see monitor --help");
}

function unknownCommand(word: string, advice: string): UsageError {
  const near = nearestCommand(word);
  const hint = near === undefined ? advice : `did you mean monitor ${near}?`;
  return new UsageError(`unknown command: ${word}`, hint);
}

export function nearestCommand(word: string): string | undefined {
  return nearest(word, COMMAND_NAMES);
}

const COMMAND_NAMES = COMMANDS.map(({ name }) => name).filter((name) => name !== "");

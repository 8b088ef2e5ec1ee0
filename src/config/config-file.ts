// The config file: TOML text to checked settings. It is untrusted input, like everything from outside.

import { statSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import { wrapWords } from "../terminal/cells/text-cells.ts";
import { type Clock, every } from "../units/clock.ts";
import { errorText, UsageError } from "../units/monitor-error.ts";
import { formatNearest } from "../units/nearest.ts";
import { CONFIG, CONFIG_SECTIONS, type ConfigSection } from "./config-keys.ts";
import { type ConfigLocation, readConfigText } from "./config-location.ts";

export type Config = z.infer<typeof CONFIG>;

/** Keys from the outside to the inside; tables of a list by their number. */
type KeyPath = readonly (string | number)[];

/** Line and column of the text, from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ConfigProblem {
  /** The key, with dots; empty when the text is no TOML. */
  readonly key: string;
  readonly message: string;
  /** Undefined where the key is not found by a look at the lines. */
  readonly at: Position | undefined;
}

/** What only others know to be wrong, such as the name of a theme. */
export interface ConfigFault {
  readonly path: KeyPath;
  readonly message: string;
}

export type ConfigRule = (config: Config) => readonly ConfigFault[];

/** Settings, or everything that stands in their way, by place. */
export type CheckedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config: undefined; readonly problems: readonly ConfigProblem[] };

export function checkConfig(text: string, rules: readonly ConfigRule[] = []): CheckedConfig {
  const parsed = parseToml(text);
  if ("problem" in parsed) return { config: undefined, problems: [parsed.problem] };
  const fit = CONFIG.safeParse(parsed.value);
  const faults = fit.success
    ? rules.flatMap((rule) => rule(fit.data))
    : fit.error.issues.flatMap(formatFaults);
  if (fit.success && faults.length === 0) return { config: fit.data, problems: [] };
  const positions = positionsIn(text);
  const problems = faults.map(({ path, message }) => ({
    key: path.map(String).join("."),
    message,
    at: findPosition(positions, path),
  }));
  const lineOf = ({ at }: ConfigProblem) => at?.line ?? Number.MAX_SAFE_INTEGER;
  problems.sort((a, b) => lineOf(a) - lineOf(b));
  return { config: undefined, problems };
}

/** @param name the file, for messages. @throws {UsageError} that names the place of the first problem */
export function parseConfig(text: string, name: string, rules: readonly ConfigRule[] = []): Config {
  const { config, problems } = checkConfig(text, rules);
  if (config !== undefined) return config;
  const [first, ...more] = problems.map((problem) => formatProblem(name, problem));
  throw new UsageError(
    first ?? name,
    more.length === 0
      ? "mend the file there"
      : `monitor config check names the other ${more.length}, too`,
  );
}

/** `FILE:LINE:COLUMN: key: what is wrong`, as compilers print it; without a position if unknown. */
export function formatProblem(name: string, { at, key, message }: ConfigProblem): string {
  const place = at === undefined ? name : `${name}:${at.line}:${at.column}`;
  return `${place}: ${key === "" ? "" : `${key}: `}${message}`;
}

const PART = /"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+/g;
const PARTS = `(?:${PART.source})(?:\\s*\\.\\s*(?:${PART.source}))*`;
const HEADING_OR_KEY = new RegExp(`^\\s*(?:\\[+\\s*(${PARTS})\\s*\\]|(${PARTS})\\s*=)`);

/** A longer line is none that a person has written, and deeper keys the file does not know. */
const MAX_LINE = 1000;
const MAX_PARTS = 16;

/** Positions of keys and tables; none if the file has multi-line strings, which may look like keys. */
function positionsIn(text: string): ReadonlyMap<string, Position> {
  const positions = new Map<string, Position>();
  if (/"""|'''/.test(text)) return positions;
  const counts = new Map<string, number>();
  let table: readonly string[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const found = line.length > MAX_LINE ? null : HEADING_OR_KEY.exec(line);
    if (found === null) continue;
    const [, heading, key = ""] = found;
    if (heading !== undefined) table = formatTable(line, heading, counts);
    const name = formatName([...table, ...splitParts(key)]);
    const column = line.length - line.trimStart().length + 1;
    if (!positions.has(name)) positions.set(name, { line: i + 1, column });
  }
  return positions;
}

function formatName(path: KeyPath): string {
  return JSON.stringify(path.slice(0, MAX_PARTS).map(String));
}

/** The position of a key, or of the table around it. */
function findPosition(
  positions: ReadonlyMap<string, Position>,
  path: KeyPath,
): Position | undefined {
  for (let length = Math.min(path.length, MAX_PARTS); length > 0; length--) {
    const position = positions.get(formatName(path.slice(0, length)));
    if (position !== undefined) return position;
  }
  return undefined;
}

/** Tables of a list are distinguished by their number. */
function formatTable(
  line: string,
  heading: string,
  counts: Map<string, number>,
): readonly string[] {
  if (!line.trimStart().startsWith("[[")) return splitParts(heading);
  const number = counts.get(heading) ?? 0;
  counts.set(heading, number + 1);
  return [...splitParts(heading), String(number)];
}

function splitParts(key: string): string[] {
  return (key.match(PART) ?? []).map((part) => (/^["']/.test(part) ? part.slice(1, -1) : part));
}

function formatFaults(issue: z.core.$ZodIssue): ConfigFault[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown key; ${formatNearest(key, known)}`,
    }));
  }
  if (issue.code === "invalid_key") {
    return [{ path, message: issue.issues[0]?.message ?? issue.message }];
  }
  return [{ path, message: worded(issue.message) }];
}

function worded(message: string): string {
  if (/received undefined$/.test(message)) return "is missing";
  return message.replace(/^Invalid (?:input|option): /, "");
}

/** As much of a schema as its insides are found by, whatever its kind. */
interface SchemaParts {
  readonly shape?: Readonly<Record<string, SchemaParts>>;
  readonly valueType?: SchemaParts;
  readonly element?: SchemaParts;
  readonly def?: { readonly innerType?: SchemaParts };
}

function knownKeys(path: KeyPath): readonly string[] {
  const bare = (schema: SchemaParts): SchemaParts =>
    schema.def?.innerType === undefined ? schema : bare(schema.def.innerType);
  let found = CONFIG as object as SchemaParts;
  for (const part of path) {
    const { shape, valueType, element } = bare(found);
    found = shape?.[part] ?? valueType ?? element ?? {};
  }
  return Object.keys(bare(found).shape ?? {});
}

function parseToml(text: string): { value: unknown } | { problem: ConfigProblem } {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    const { line, column } = error;
    return { problem: { key: "", message, at: { line, column } } };
  }
}

const LINE_CELLS = 100;

/** A whole config file in which nothing is set: a key comes into force when the `#` right before it is taken away. */
export function configText(): string {
  const head = [
    "# Config file of monitor. Nothing here is needed; take the # before a key away to set it.",
    "# What is given on the command line or in the environment counts more, then the profile, then this file.",
  ];
  return `${[...head, ...CONFIG_SECTIONS.flatMap(sectionLines)].join("\n")}\n`;
}

function sectionLines({ heading, summary, options }: ConfigSection): string[] {
  const pairs = Object.entries(options).flatMap(([name, { summary: words, example }]) => [
    ...comment(words),
    `#${name} = ${example}`,
  ]);
  const title =
    heading === "" ? [`# ── ${summary} ──`] : [...comment(`── ${summary} ──`), `#${heading}`];
  return ["", ...title, ...pairs];
}

function comment(words: string): string[] {
  return wrapWords(words, LINE_CELLS - 2).map((line) => `# ${line}`);
}

// A config file that changes while the program runs.

const LOOK_EVERY_MS = 1000;

interface ConfigWatchOptions {
  readonly location: ConfigLocation;
  readonly clock: Clock;
  readonly rules: readonly ConfigRule[];
  /** A file that is gone is a problem; else it counts as an empty one. */
  readonly isNeeded: boolean;
  /** The file has changed, and is right. */
  readonly onConfig: (config: Config) => void;
  /** It has changed, and is invalid. */
  readonly onProblem: (words: string) => void;
}

/** Looks once a second: editors replace files, and no other way works everywhere. Returns its undo. */
export function watchConfig(options: ConfigWatchOptions): () => void {
  const { location, clock, rules, isNeeded, onConfig, onProblem } = options;
  const { path } = location;
  const take = (text: string | undefined) => {
    if (text === undefined && isNeeded) return onProblem(`${path} is gone`);
    const { config, problems } = checkConfig(text ?? "", rules);
    const [first] = problems;
    if (config !== undefined) onConfig(config);
    else if (first !== undefined) onProblem(formatProblem(path, first));
  };
  let seen = readStamp(path);
  return every(clock, LOOK_EVERY_MS, () => {
    const stamp = readStamp(path);
    if (stamp === seen) return;
    seen = stamp;
    // A file that changed during the read is read again at the next check.
    const isStill = () => readStamp(path) === stamp;
    readConfigText({ path, isNamed: false }, { clock })
      .then((text) => isStill() && take(text))
      .catch((error) => isStill() && onProblem(errorText(error)));
  });
}

/** What changes whenever the file does, and never of a pipe; undefined where none can be looked at: reading it shows why. */
function readStamp(path: string): string | undefined {
  try {
    const facts = statSync(path, { bigint: true });
    return facts.isFile() ? `${facts.mtimeNs} ${facts.size} ${facts.ino}` : "no file";
  } catch {
    return undefined;
  }
}

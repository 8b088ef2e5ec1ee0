// The config file: TOML text to checked settings. Like all input, it is untrusted.

import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import { wrapText } from "../../terminal/width.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { formatNearest } from "../../units/nearest.ts";
import { formatRemoved } from "../../units/removed.ts";
import { isObject } from "../../wire/json.ts";
import { CONFIG, CONFIG_SECTIONS, type ConfigSection } from "./config-keys.ts";

export type Config = z.infer<typeof CONFIG>;

/** Keys from outermost to innermost; tables of an array by their index. */
type KeyPath = readonly (string | number)[];

/** Line and column, from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ConfigProblem {
  /** The dotted key; empty if the text is not TOML. */
  readonly key: string;
  readonly message: string;
  /** Undefined if the key cannot be located by scanning the lines. */
  readonly at: Position | undefined;
}

/** A fault that the schema cannot know, such as an unknown theme. */
export interface ConfigFault {
  readonly path: KeyPath;
  readonly message: string;
}

export type ConfigRule = (config: Config) => readonly ConfigFault[];

/** The settings, or all problems in the order of their lines; keys of earlier versions, which are ignored. */
export type CheckedConfig = { readonly removed: readonly ConfigProblem[] } & (
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config: undefined; readonly problems: readonly ConfigProblem[] }
);

export function checkConfig(text: string, rules: readonly ConfigRule[] = []): CheckedConfig {
  const parsed = parseToml(text);
  if ("problem" in parsed) return { config: undefined, problems: [parsed.problem], removed: [] };
  const { kept, removed } = dropRemoved(parsed.value);
  const fit = CONFIG.safeParse(kept);
  const faults = fit.success
    ? rules.flatMap((rule) => rule(fit.data))
    : fit.error.issues.flatMap(formatFaults);
  const positions = positionsIn(text);
  const locate = (found: readonly ConfigFault[]): readonly ConfigProblem[] => {
    const problems = found.map(({ path, message }) => ({
      key: path.map(String).join("."),
      message,
      at: findPosition(positions, path),
    }));
    const lineOf = ({ at }: ConfigProblem) => at?.line ?? Number.MAX_SAFE_INTEGER;
    return problems.sort((a, b) => lineOf(a) - lineOf(b));
  };
  return fit.success && faults.length === 0
    ? { config: fit.data, problems: [], removed: locate(removed) }
    : { config: undefined, problems: locate(faults), removed: locate(removed) };
}

type TomlTable = Readonly<Record<string, unknown>>;

/** Without the keys of earlier versions, at the top and in profiles. */
function dropRemoved(value: TomlTable): { kept: TomlTable; removed: readonly ConfigFault[] } {
  const removed: ConfigFault[] = [];
  const keep = (table: unknown, path: KeyPath): unknown =>
    !isObject(table)
      ? table
      : Object.fromEntries(
          Object.entries(table).filter(([key]) => {
            const message = formatRemoved("config", key, "this key");
            if (message !== undefined) removed.push({ path: [...path, key], message });
            return message === undefined;
          }),
        );
  const { themes } = value;
  // An own theme, gone with the table that describes it.
  const isOwnTheme = isObject(themes) && Object.hasOwn(themes, String(value.theme));
  const kept: Record<string, unknown> = { ...(keep(value, []) as TomlTable) };
  if (isOwnTheme) delete kept.theme;
  if (isObject(kept.profiles)) {
    kept.profiles = Object.fromEntries(
      Object.entries(kept.profiles).map(([name, each]) => [name, keep(each, ["profiles", name])]),
    );
  }
  return { kept, removed };
}

/** @param name the file, for messages. @throws {UsageError} with the position of the first problem */
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

/** `FILE:LINE:COLUMN: key: message`, as compilers print it; without a position if it is unknown. */
export function formatProblem(name: string, { at, key, message }: ConfigProblem): string {
  const place = at === undefined ? name : `${name}:${at.line}:${at.column}`;
  return `${place}: ${key === "" ? "" : `${key}: `}${message}`;
}

const PART = /"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+/g;
const PARTS = `(?:${PART.source})(?:\\s*\\.\\s*(?:${PART.source}))*`;
const HEADING_OR_KEY = new RegExp(`^\\s*(?:\\[+\\s*(${PARTS})\\s*\\]|(${PARTS})\\s*=)`);

/** Nobody writes longer lines by hand, and no known key is nested deeper. */
const MAX_LINE = 1000;
const MAX_PARTS = 16;

/** Positions of keys and tables; none if the file has multi-line strings, whose lines may look like keys. */
function positionsIn(text: string): ReadonlyMap<string, Position> {
  const positions = new Map<string, Position>();
  if (/"""|'''/.test(text)) return positions;
  const counts = new Map<string, number>();
  let table: readonly string[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const hit = line.length > MAX_LINE ? null : HEADING_OR_KEY.exec(line);
    if (hit === null) continue;
    const [, heading, key = ""] = hit;
    if (heading !== undefined) table = formatTable(line, heading, counts);
    const column = line.length - line.trimStart().length + 1;
    // The outer table, too: it may have no heading of its own.
    const names = [[...table, ...splitParts(key)], table.slice(0, 1)].map(formatName);
    for (const name of names.filter((each) => !positions.has(each)))
      positions.set(name, { line: i + 1, column });
  }
  return positions;
}

function formatName(path: KeyPath): string {
  return JSON.stringify(path.slice(0, MAX_PARTS).map(String));
}

/** The position of a key, or else of the table around it. */
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

/** Tables of an array are distinguished by their index. */
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

/** The parts of any zod schema that lead to its nested schemas. */
interface SchemaParts {
  readonly shape?: Readonly<Record<string, SchemaParts>>;
  readonly valueType?: SchemaParts;
  readonly element?: SchemaParts;
  readonly def?: { readonly innerType?: SchemaParts };
}

function knownKeys(path: KeyPath): readonly string[] {
  const bare = (schema: SchemaParts): SchemaParts =>
    schema.def?.innerType === undefined ? schema : bare(schema.def.innerType);
  let current = CONFIG as object as SchemaParts;
  for (const part of path) {
    const { shape, valueType, element } = bare(current);
    current = shape?.[part] ?? valueType ?? element ?? {};
  }
  return Object.keys(bare(current).shape ?? {});
}

function parseToml(text: string): { value: TomlTable } | { problem: ConfigProblem } {
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

/** A template with every key commented out. */
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
  return wrapText(words, LINE_CELLS - 2).map((line) => `# ${line}`);
}

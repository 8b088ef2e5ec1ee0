// The config file: TOML text to checked settings. It is untrusted input, like everything from outside.
import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import { UsageError } from "../units/monitor-error.ts";
import { formatNearest } from "../units/nearest.ts";
import { CONFIG } from "./config-options.ts";
import { type KeyPath, KeyPlaces, type Place } from "./key-places.ts";

/** Settings of the config file, under the names that they have there. */
export type Config = z.infer<typeof CONFIG>;

/** What is wrong with a config file, and where. */
export interface ConfigProblem extends Place {
  /** The key, with dots; empty when the text is no TOML. */
  readonly key: string;
  readonly message: string;
}

/** What only others know to be wrong, such as the name of a theme. */
export interface ConfigFault {
  readonly path: KeyPath;
  readonly message: string;
}

/** Looks at settings of the right form for what is wrong with them. Never throws. */
export type ConfigRule = (config: Config) => readonly ConfigFault[];

/** Settings, or everything that stands in their way, by place. */
export type CheckedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config: undefined; readonly problems: readonly ConfigProblem[] };

/** Reads the text of a config file and says everything that is wrong with it. Never throws. */
export function checkConfig(text: string, rules: readonly ConfigRule[] = []): CheckedConfig {
  const parsed = parseToml(text);
  if ("problem" in parsed) return { config: undefined, problems: [parsed.problem] };
  const fit = CONFIG.safeParse(parsed.value);
  const faults = fit.success
    ? rules.flatMap((rule) => rule(fit.data))
    : fit.error.issues.flatMap(faultsOf);
  if (fit.success && faults.length === 0) return { config: fit.data, problems: [] };
  const places = new KeyPlaces(text);
  const problems = faults.map(({ path, message }) => ({
    key: path.map(String).join("."),
    message,
    ...places.of(path),
  }));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { config: undefined, problems };
}

/**
 * Reads the text of a config file.
 * @param name the file, for messages
 * @throws {UsageError} that names the place of the first problem
 */
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

/** `FILE:LINE:COLUMN: key: what is wrong`, as compilers say it. Never throws. */
export function formatProblem(name: string, { line, column, key, message }: ConfigProblem): string {
  return `${name}:${line}:${column}: ${key === "" ? "" : `${key}: `}${message}`;
}

function faultsOf(issue: z.core.$ZodIssue): ConfigFault[] {
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

/** The keys that the table at this path may hold. */
function knownKeys(path: KeyPath): readonly string[] {
  let schema: unknown = CONFIG;
  for (const part of path) schema = inside(bare(schema), part);
  const { shape } = bare(schema) as { shape?: Readonly<Record<string, unknown>> };
  return Object.keys(shape ?? {});
}

function bare(schema: unknown): unknown {
  const { type, def } = schema as { type?: string; def?: { innerType?: unknown } };
  return type === "optional" || type === "nonoptional" ? bare(def?.innerType) : schema;
}

function inside(schema: unknown, key: string | number): unknown {
  const { shape, valueType, element } = schema as {
    shape?: Readonly<Record<string, unknown>>;
    valueType?: unknown;
    element?: unknown;
  };
  return shape?.[String(key)] ?? valueType ?? element ?? {};
}

function parseToml(text: string): { value: unknown } | { problem: ConfigProblem } {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    return { problem: { line: error.line, column: error.column, key: "", message } };
  }
}

// The config file: TOML text to checked settings. Like all input, it is untrusted.

import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import { wrapText } from "../../terminal/width.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { nearest } from "../../units/nearest.ts";
import { isObject } from "../../wire/json.ts";
import { formatRemoved } from "../removed.ts";
import { CONFIG, CONFIG_SECTIONS, type Config, type ConfigSection } from "./config-keys.ts";

type Path = readonly (string | number)[];

interface Fault {
  readonly path: Path;
  readonly message: string;
}

/**
 * The settings, unless something in the text is wrong.
 * @returns problems as `LINE:COLUMN: key: message`, in the order of their lines; `removed`: keys of earlier versions, which are ignored
 */
export function checkConfig(text: string): {
  readonly config: Config | undefined;
  readonly problems: readonly string[];
  readonly removed: readonly string[];
} {
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const words = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    const problems = [`${error.line}:${error.column}: ${words}`];
    return { config: undefined, problems, removed: [] };
  }
  const removed = takeRemoved(table);
  const fit = CONFIG.safeParse(table);
  const faults = fit.error?.issues.flatMap(faultsOf) ?? [];
  const findPlace = placesIn(faults.length + removed.length === 0 ? "" : text);
  const formatAll = (all: readonly Fault[]) =>
    all
      .map(({ path, message }) => ({ at: findPlace(path), key: path.join("."), message }))
      .sort((a, b) => (a.at?.[0] ?? Number.MAX_VALUE) - (b.at?.[0] ?? Number.MAX_VALUE))
      .map(({ at, key, message }) => `${at ? `${at.join(":")}: ` : ""}${key}: ${message}`);
  return {
    config: fit.data,
    problems: formatAll(faults),
    removed: formatAll(removed),
  };
}

/** @param name of the file, for messages. @throws {UsageError} with the position of the first problem */
export function parseConfig(text: string, name: string): Config {
  const { config, problems } = checkConfig(text);
  if (config !== undefined) return config;
  const [first = "", ...more] = problems;
  throw new UsageError(
    `${name}:${first}`,
    more.length === 0
      ? "mend the file there"
      : `monitor config check names the other ${more.length}, too`,
  );
}

/** Keys of earlier versions, at the top and in profiles; they are deleted. */
function takeRemoved(table: Record<string, unknown>): readonly Fault[] {
  // An own theme is gone with the table that describes it.
  if (isObject(table.themes) && Object.hasOwn(table.themes, String(table.theme)))
    delete table.theme;
  const profiles = Object.entries(isObject(table.profiles) ? table.profiles : {});
  const tables: [Path, unknown][] = [
    [[], table],
    ...profiles.map(([name, profile]): [Path, unknown] => [["profiles", name], profile]),
  ];
  return tables.flatMap(([path, each]) =>
    Object.keys(isObject(each) ? each : {}).flatMap((key) => {
      const message = formatRemoved("config", key, "this key");
      if (message === undefined) return [];
      delete (each as Record<string, unknown>)[key];
      return [{ path: [...path, key], message }];
    }),
  );
}

function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const near = (key: string) => nearest(key, KNOWN_KEYS);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown key; ${near(key) ? `did you mean ${near(key)}?` : "see monitor config print"}`,
    }));
  }
  const message = issue.code === "invalid_key" ? issue.issues[0]?.message : issue.message;
  if (/received undefined$/.test(issue.message)) return [{ path, message: "is missing" }];
  return [{ path, message: (message ?? "").replace(/^Invalid (?:input|option): /, "") }];
}

const KNOWN_KEYS = [
  ...CONFIG_SECTIONS.flatMap(({ options }) => Object.keys(options)),
  ...Object.keys(CONFIG.shape),
];

type Place = readonly [line: number, column: number];

/** Nobody writes more by hand. */
const MAX_LINES = 1000;
const BLANK = /^\s*(?:#|$)/;

/** Finds keys and tables by the shortest beginning of the text that has them; of a key that is not there, the table around it. */
function placesIn(text: string): (path: Path) => Place | undefined {
  const lines = text.split("\n").slice(0, MAX_LINES);
  const beginnings: { readonly table: unknown; readonly place: Place }[] = [];
  let start = 0;
  for (const [i, line] of lines.entries()) {
    if (BLANK.test(line)) continue;
    while (BLANK.test(lines[start] ?? "") && start < i) start++;
    try {
      const table = parse(lines.slice(0, i + 1).join("\n"));
      beginnings.push({ table, place: [start + 1, (lines[start] ?? "").search(/\S/) + 1] });
      start = i + 1;
    } catch {
      // A value of several lines.
    }
  }
  const find = (path: Path): Place | undefined =>
    beginnings.find(({ table }) => has(table, path))?.place ??
    (path.length > 1 ? find(path.slice(0, -1)) : undefined);
  return find;
}

function has(table: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return true;
  const isIn = typeof table === "object" && table !== null && Object.hasOwn(table, first);
  return isIn && has((table as Record<string, unknown>)[first], rest);
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

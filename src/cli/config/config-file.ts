// The config file: TOML text to checked settings. Like all input, it is untrusted.

import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import { wrapText } from "../../terminal/width.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { nearest } from "../../units/nearest.ts";
import { CONFIG, CONFIG_SECTIONS, type Config } from "./config-keys.ts";

/** The settings, unless something in the text is wrong. @returns problems as `key: message`, or `LINE:COLUMN: message` of what is no TOML */
export function checkConfig(text: string): {
  readonly config: Config | undefined;
  readonly problems: readonly string[];
} {
  try {
    const fit = CONFIG.safeParse(parse(text));
    return { config: fit.data, problems: fit.error?.issues.flatMap(problemsOf) ?? [] };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const words = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    return { config: undefined, problems: [`${error.line}:${error.column}: ${words}`] };
  }
}

/** @param name of the file, for messages. @throws {UsageError} with the first problem */
export function parseConfig(text: string, name: string): Config {
  const { config, problems } = checkConfig(text);
  if (config !== undefined) return config;
  throw new UsageError(`${name}: ${problems[0]}`, "monitor config check names all problems");
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const name = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const near = nearest(key, KNOWN_KEYS);
      const hint = near === undefined ? "see monitor config print" : `did you mean ${near}?`;
      return `${[...issue.path, key].join(".")}: unknown key; ${hint}`;
    });
  }
  if (/received undefined$/.test(issue.message)) return [`${name}: is missing`];
  const { message = "" } = issue.code === "invalid_key" ? (issue.issues[0] ?? {}) : issue;
  return [`${name}: ${message.replace(/^Invalid (?:input|option): /, "")}`];
}

const KNOWN_KEYS = [
  ...CONFIG_SECTIONS.flatMap(({ options }) => Object.keys(options)),
  ...Object.keys(CONFIG.shape),
];

const HEAD = `# Config file of monitor. Nothing here is needed; take the # before a key away to set it.
# What is given on the command line or in the environment counts more, then the profile, then this file.
`;

/** A template with every key commented out. */
export function configText(): string {
  const lines = CONFIG_SECTIONS.flatMap(({ heading, summary, options }) => [
    ...["", ...comment(`── ${summary} ──`)],
    ...(heading === "" ? [] : [`#${heading}`]),
    ...Object.entries(options).flatMap(([name, { summary: words, example }]) => [
      ...comment(words),
      `#${name} = ${example}`,
    ]),
  ]);
  return `${HEAD}${lines.join("\n")}\n`;
}

const LINE_CELLS = 98;

function comment(words: string): string[] {
  return wrapText(words, LINE_CELLS).map((line) => `# ${line}`);
}

// The options of an export, validated together before anything is requested.
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { dirname, extname } from "node:path";
import type { Options } from "../args/context.ts";
import { OPTIONS, type OptionKey } from "../args/options.ts";
import type { Listings } from "../config/settings.ts";
import type { Listing } from "../listing/listing.ts";
import type { Bounds } from "../listing/paging/bounds.ts";
import { DEFAULT_PROBES } from "../listing/paging/pager.ts";
import type { CursorField } from "../listing/paging/source.ts";
import { type NamedFile, resolveOutputPath } from "../system/named-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";

export interface ExportOptions {
  readonly format: "csv" | "ndjson";
  readonly limit: number;
  /** Maximum number of requests below the apparent end. */
  readonly probes: number;
  readonly bounds: Bounds;
  readonly isOldestFirst: boolean;
  readonly isAppended: boolean;
}

/** @throws {UsageError} when an option is out of range, or two contradict each other */
export function readExportOptions(options: Options): ExportOptions {
  const { max, since, until, pageSize = MAX_PAGE_LIMIT, append = false, output } = options;
  if (pageSize < 1 || pageSize > MAX_PAGE_LIMIT) {
    throw new UsageError(`--page-size cannot be ${pageSize}`, `expected: 1 to ${MAX_PAGE_LIMIT}`);
  }
  if (since !== undefined && until !== undefined && since > until) {
    throw new UsageError(
      `--since is after --until: ${formatIsoMs(since)} > ${formatIsoMs(until)}`,
      "exchange them, or leave one out",
    );
  }
  if (append && output === undefined) {
    throw new UsageError("--append needs a file", "expected: --append -o FILE");
  }
  return {
    format: readFormat(options),
    limit: pageSize,
    probes: options.probes ?? DEFAULT_PROBES,
    bounds: { max, sinceMs: since, untilMs: until },
    isOldestFirst: append || (options.oldestFirst ?? false),
    isAppended: append,
  };
}

const ENDINGS: Readonly<Record<string, "csv" | "ndjson">> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

function readFormat({ format, output }: Options): "csv" | "ndjson" {
  if (format === undefined) return ENDINGS[extname(output ?? "").toLowerCase()] ?? "csv";
  if (format === "csv" || format === "ndjson") return format;
  throw new UsageError(`--format cannot be ${JSON.stringify(format)}`, "expected: csv or ndjson");
}

export function chooseCursorFields<T>(
  { fields }: Listing<T>,
  name: string | undefined,
): readonly CursorField<T>[] {
  if (name === undefined) return fields.cursorFields;
  if (name === "search") return [];
  const field = fields.cursorFields.find((each) => each.name === name);
  if (field !== undefined) return [field];
  const names = fields.cursorFields.map((each) => each.name).join(", ");
  throw new UsageError(
    `--cursor-field cannot be ${JSON.stringify(name)}`,
    `expected: one of ${names}, or search`,
  );
}

/** Targets of -o and --manifest. */
export interface ExportTargets {
  readonly output: NamedFile | undefined;
  readonly manifest: NamedFile | undefined;
}

/** Other names of standard output need not be opened; opening fails if it is a socket. */
const STANDARD_OUTPUT = /^\/(?:dev\/(?:stdout|fd\/1)|proc\/self\/fd\/1)$/;

/** @throws {UsageError} when a target cannot be written at its path */
export function readExportTargets({ output, manifest, append }: Options): ExportTargets {
  const named = {
    output:
      output === undefined || STANDARD_OUTPUT.test(output)
        ? undefined
        : resolveOutputPath(output, "expected: -o FILE (leave it out to write to standard output)"),
    manifest: manifest === undefined ? undefined : resolveManifest(manifest),
  };
  if (append && named.output?.kind !== "file") {
    throw new UsageError(
      `${output} is no file that could be added to`,
      "expected: --append -o FILE",
    );
  }
  return named;
}

function resolveManifest(name: string): NamedFile {
  const expected = "expected: --manifest FILE, a file of its own in a folder that is there";
  const named = resolveOutputPath(name, expected);
  if (statSync(dirname(named.path), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`cannot write ${name}: no such folder`, expected);
  }
  return named;
}

/** Everything that determines the bytes of a file. Times are Unix milliseconds. */
interface ExportFacts extends Listings {
  /** `trades perp/1` */
  readonly name: string;
  readonly format: string;
  readonly order: "added" | "oldest first" | "newest first";
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly max?: number | undefined;
  readonly more?: readonly string[];
}

export function exportIdentity(facts: ExportFacts): string {
  const { name, baseUrl, headers, format, order, sinceMs, untilMs, max, more = [] } = facts;
  const parts = [
    order,
    sinceMs !== undefined && `since ${sinceMs}`,
    untilMs !== undefined && `until ${untilMs}`,
    max !== undefined && `at most ${max}`,
    ...more,
  ];
  const whole = [`${name} of ${baseUrl}`, format, ...parts.filter(Boolean)].join(", ");
  const digest = getDigest(headers, whole);
  return digest === undefined ? whole : `${whole}, with headers ${digest}`;
}

/** A service may list other rows for other credentials. Their values must not be written to a file. */
function getDigest(headers: Listings["headers"], salt: string): string | undefined {
  const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  if (lines.length === 0) return undefined;
  const digest = createHash("sha256").update(salt);
  for (const line of lines.sort()) digest.update(`\n${line}`);
  return digest.digest("hex").slice(0, DIGEST_DIGITS);
}

const DIGEST_DIGITS = 12;

/** Command-line options that identify the service; environment and config file will apply again anyway. */
const OF_SERVICE = ["baseUrl", "profile", "config", "insecure"] as const;
const BARE = /^[0-9A-Za-z_@%+=:,./-]+$/;

/** Shell-quoted. Header values are secrets: only names are shown. @param file name relative to the current folder */
export function continueCommand(
  { name, sinceMs, untilMs }: Pick<ExportFacts, "name" | "sinceMs" | "untilMs">,
  file: string,
  options: Options,
): string {
  const bounds = [
    ...(sinceMs === undefined ? [] : [`--since ${sinceMs}`]),
    ...(untilMs === undefined ? [] : [`--until ${untilMs}`]),
  ];
  const service = OF_SERVICE.flatMap((key) => optionWords(key, options[key]));
  const headers = (options.header ?? []).map((header) => {
    return `--header ${quoted(`${header.split(":", 1)[0]}: …`)}`;
  });
  return ["monitor export", name, ...bounds, "-o", quoted(file), ...service, ...headers].join(" ");
}

function optionWords(key: OptionKey, value: string | boolean | undefined): string[] {
  if (value === undefined || value === false) return [];
  const name = `--${OPTIONS[key].name}`;
  return [value === true ? name : `${name} ${quoted(value)}`];
}

function quoted(word: string): string {
  return BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// The options of an export, checked together before anything is requested.
import { statSync } from "node:fs";
import { dirname, extname } from "node:path";
import type { FormatName } from "../export/format.ts";
import type { Bounds } from "../listing/pager.ts";
import { type NamedFile, resolveOutputPath } from "../system/named-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { Options } from "./context.ts";

export interface ExportOptions {
  readonly format: FormatName;
  readonly limit: number;
  readonly bounds: Bounds;
  readonly isOldestFirst: boolean;
  readonly isAppended: boolean;
  readonly isForced: boolean;
  readonly allowsUnproven: boolean;
  /** Undefined for standard output. */
  readonly output: NamedFile | undefined;
  readonly manifest: NamedFile | undefined;
}

/** Other names of standard output need not be opened; opening fails if it is a socket. */
const STANDARD_OUTPUT = /^(?:-|\/dev\/(?:stdout|fd\/1)|\/proc\/self\/fd\/1)$/;

/** @throws {UsageError} when an option is out of range, two contradict each other, or a file cannot be written where it is named */
export function readExportOptions(options: Options): ExportOptions {
  const { append = false, pageSize = MAX_PAGE_LIMIT, manifest } = options;
  if (pageSize < 1 || pageSize > MAX_PAGE_LIMIT)
    throw new UsageError(`--page-size cannot be ${pageSize}`, `expected: 1 to ${MAX_PAGE_LIMIT}`);
  return {
    format: readFormat(options),
    limit: pageSize,
    bounds: readBounds(options),
    isOldestFirst: append || (options.oldestFirst ?? false),
    isAppended: append,
    isForced: options.force ?? false,
    allowsUnproven: options.allowUnproven ?? false,
    output: readOutput(options),
    manifest: manifest === undefined ? undefined : resolveManifest(manifest),
  };
}

/** @throws {UsageError} when they leave nothing in between */
export function readBounds({ max, since, until }: Options): Bounds {
  if (since === undefined || until === undefined || since <= until)
    return { max, sinceMs: since, untilMs: until };
  throw new UsageError(
    `--since is after --until: ${formatIsoMs(since)} > ${formatIsoMs(until)}`,
    "exchange them, or leave one out",
  );
}

function readOutput({ output, append }: Options): NamedFile | undefined {
  const isStandard = output === undefined || STANDARD_OUTPUT.test(output);
  const expected = "expected: -o FILE (leave it out to write to standard output)";
  const file = isStandard ? undefined : resolveOutputPath(output, expected);
  if (!append || file?.kind === "file") return file;
  throw new UsageError(
    output === undefined ? "--append needs a file" : `${output} is no file to add to`,
    "expected: --append -o FILE",
  );
}

const ENDINGS: Readonly<Record<string, FormatName>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

function readFormat({ format, output = "" }: Options): FormatName {
  if (format === undefined) return ENDINGS[extname(output).toLowerCase()] ?? "csv";
  if (format === "csv" || format === "ndjson") return format;
  throw new UsageError(`--format cannot be ${format} with export`, "expected: csv or ndjson");
}

function resolveManifest(name: string): NamedFile {
  const expected = "expected: --manifest FILE, a file of its own in a folder that is there";
  const named = resolveOutputPath(name, expected);
  if (statSync(dirname(named.path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`cannot write ${name}: no such folder`, expected);
  return named;
}

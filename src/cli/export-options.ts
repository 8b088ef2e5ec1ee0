// Options of an export whose values depend on others or on files: they are checked before anything is requested.
import { statSync } from "node:fs";
import { dirname, extname } from "node:path";
import type { FormatName } from "../export/format.ts";
import type { Bounds } from "../listing/pager.ts";
import { type NamedFile, resolveOutputPath } from "../system/named-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import type { Options } from "./options.ts";

/** Other names of standard output need not be opened; opening fails if it is a socket. */
const STANDARD_OUTPUT = /^(?:-|\/dev\/(?:stdout|fd\/1)|\/proc\/self\/fd\/1)$/;

/** @throws {UsageError} when they leave nothing in between */
export function readBounds({ max, since, until }: Options): Bounds {
  if (since === undefined || until === undefined || since <= until)
    return { max, sinceMs: since, untilMs: until };
  const words = `--since is after --until: ${formatIsoMs(since)} > ${formatIsoMs(until)}`;
  throw new UsageError(words, "exchange them, or leave one out");
}

/** Undefined for standard output. @throws {UsageError} when it cannot be written where it is named */
export function readOutput({ output, append }: Options): NamedFile | undefined {
  const isStandard = output === undefined || STANDARD_OUTPUT.test(output);
  const file = isStandard ? undefined : resolveOutputPath(output, "expected: -o FILE");
  if (append && file?.kind !== "file")
    throw new UsageError("--append needs a file", "expected: --append -o FILE");
  return file;
}

/** @throws {UsageError} for a format of other commands */
export function readFormat({ format, output = "" }: Options): FormatName {
  if (format === "koinly")
    throw new UsageError("--format cannot be koinly with export", "expected: csv or ndjson");
  return format ?? (/^\.(?:ndjson|jsonl)$/i.test(extname(output)) ? "ndjson" : "csv");
}

/** @throws {UsageError} when it cannot be written where it is named */
export function readManifest({ manifest }: Options): NamedFile | undefined {
  if (manifest === undefined) return undefined;
  const expected = "expected: --manifest FILE, a file of its own in a folder that is there";
  const named = resolveOutputPath(manifest, expected);
  if (statSync(dirname(named.path), { throwIfNoEntry: false })?.isDirectory()) return named;
  throw new UsageError(`cannot write ${manifest}: no such folder`, expected);
}

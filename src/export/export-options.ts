// The options of an export, checked together before anything is sent.
import { extname } from "node:path";
import type { Options } from "../args/context.ts";
import type { Listing } from "../listing/listing.ts";
import type { Bounds } from "../listing/paging/bounds.ts";
import { DEFAULT_PROBES } from "../listing/paging/pager.ts";
import type { CursorField } from "../listing/paging/record-reading.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";

/** How an export is made. `limit` is rows of a page; times of the bounds are Unix milliseconds. */
export interface ExportOptions {
  readonly format: "csv" | "ndjson";
  readonly limit: number;
  /** Most requests below what seems to be the end. */
  readonly probes: number;
  readonly bounds: Bounds;
  readonly isOldestFirst: boolean;
  readonly isAppended: boolean;
}

/** @throws {UsageError} when one is out of range, or two contradict each other */
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

const endings: Readonly<Record<string, "csv" | "ndjson">> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

function readFormat({ format, output }: Options): "csv" | "ndjson" {
  if (format === undefined) return endings[extname(output ?? "").toLowerCase()] ?? "csv";
  if (format === "csv" || format === "ndjson") return format;
  throw new UsageError(`--format cannot be ${JSON.stringify(format)}`, "expected: csv or ndjson");
}

/** The fields that may propose cursors. @throws {UsageError} when the named one is none of the listing */
export function chooseCursorFields<T>(
  { reading }: Listing<T>,
  name: string | undefined,
): readonly CursorField<T>[] {
  if (name === undefined) return reading.cursorFields;
  if (name === "search") return [];
  const field = reading.cursorFields.find((each) => each.name === name);
  if (field !== undefined) return [field];
  const names = reading.cursorFields.map((each) => each.name).join(", ");
  throw new UsageError(
    `--cursor-field cannot be ${JSON.stringify(name)}`,
    `expected: one of ${names}, or search`,
  );
}

// What was exported, and how it was proven, for machines: the form of --manifest.
import { win32 } from "node:path";
import { formatProof } from "../listing/paging/verdict.ts";
import { visibleJson } from "../terminal/visible.ts";
import { formatIsoMs } from "../units/time.ts";
import { parseJson } from "../wire/json.ts";
import type { ExportResult } from "./export-run.ts";

interface ManifestFacts {
  readonly listing: string;
  readonly baseUrl: string;
  readonly format: string;
  /** Undefined for standard output. */
  readonly file: string | undefined;
  /** Requests that were tried again. */
  readonly retries: number;
  readonly drifts: number;
}

/** One JSON object with a line end. */
export function manifestText(result: ExportResult, facts: ManifestFacts): string {
  const { verdict, counts, notes } = result;
  const iso = (ms: number | undefined) => (ms === undefined ? null : formatIsoMs(ms));
  const manifest = {
    listing: facts.listing,
    base_url: facts.baseUrl,
    file: facts.file ?? null,
    format: facts.format,
    sha256: result.sha256 ?? null,
    as_of: iso(result.asOfMs),
    newest: iso(result.newestMs),
    oldest: iso(result.oldestMs),
    rows: result.rows,
    records: result.records,
    pages: result.pages,
    requests: counts.requests,
    probes: counts.probes,
    retries: facts.retries,
    complete: verdict.isComplete,
    proven_by: verdict.isComplete ? verdict.provenBy : null,
    proof: verdict.isComplete ? formatProof(verdict) : null,
    ended_at: verdict.isComplete ? verdict.reach : null,
    flags: verdict.isComplete ? [] : [{ flag: verdict.flag, detail: verdict.detail }],
    notes,
    compared: result.compared ?? null,
    pages_with_unlisted_fields: facts.drifts,
  };
  return `${visibleJson(JSON.stringify(manifest, null, 2))}\n`;
}

/**
 * True for the manifest of an earlier run of an export, whatever came of it.
 * @param facts.file name of the file without its folder; undefined for standard output
 */
export function isManifestFor(
  text: string,
  { listing, file }: { readonly listing: string; readonly file: string | undefined },
): boolean {
  const manifest = parseJson(text) as Partial<Record<string, unknown>> | null | undefined;
  if (manifest?.listing !== listing || typeof manifest.complete !== "boolean") return false;
  // One that could not be proven is of a part file, or of none.
  if (manifest.file === null || file === undefined) return true;
  const name = win32.basename(String(manifest.file));
  return name === file || name === `${file}.part`;
}

// May an existing file be replaced? An export is recognised by its header, first row and last row; a manifest by its content.
// Changes nothing.
import { basename, win32 } from "node:path";
import type { ListingArgument } from "../args/targets.ts";
import { formatProof } from "../listing/paging/verdict.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import type { Market } from "../select/market.ts";
import { visibleJson } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { parseJson } from "../wire/json.ts";
import type { RowFormat } from "./csv.ts";
import type { ExportTargets } from "./export-options.ts";
import type { ExportResult } from "./export-run.ts";
import { type Files, type OpenFile, readAt } from "./files.ts";
import { type LineParser, lineParser, type RowCells } from "./lines.ts";

export interface OwnRows {
  /** `trades perp/1` */
  readonly name: string;
  /** False when the row belongs to another listing. */
  isOwn(cells: RowCells): boolean;
}

export function getOwnRows(listing: ListingArgument): OwnRows {
  const { name } = listing;
  if (listing.kind === "trades")
    return { name, isOwn: (cells) => isOfMarket(cells, listing.market) };
  if (listing.kind === "fills") return { name, isOwn: (cells) => isOfOwner(cells, listing.owner) };
  // An event touches more markets than its row names.
  return { name, isOwn: () => true };
}

const OTHER_TYPE = { perp: "spot", spot: "perp" };

/** Services may name market types differently: only the opposite of the expected type counts as another type. */
function isOfMarket({ market_id, market_type = "" }: RowCells, { type, id }: Market): boolean {
  return market_id === id && market_type.toLowerCase() !== OTHER_TYPE[type];
}

const OWNER_FORM = /^0x[0-9a-f]{40}$/;

/** Addresses in other formats do not identify an owner. */
function isOfOwner(cells: RowCells, { owner, subaccountId }: FillsOwner): boolean {
  const sides = (["maker", "taker"] as const).map((side) => ({
    address: cells[`${side}_address`]?.toLowerCase() ?? "",
    id: cells[`${side}_subaccount_id`],
  }));
  if (!sides.some(({ address }) => OWNER_FORM.test(address))) return true;
  return sides.some(
    ({ address, id }) => address === owner.toLowerCase() && id === String(subaccountId),
  );
}

/** Larger than the longest plausible row. */
const END_BYTES = 256 * 1024;
/** Line endings tried from either end of a file, because text cells may contain some. */
const MAX_TRIES = 200;

/**
 * @param path with links already resolved
 * @throws {UsageError} when an existing file is neither empty nor an export of this listing
 */
export async function checkReplaceable(
  files: Files,
  path: string,
  { header, name }: Pick<RowFormat<never>, "header" | "name">,
  rows: OwnRows,
): Promise<void> {
  const stats = await files.stat(path);
  if (stats === undefined || stats.bytes === 0) return;
  const file = await files.open(path, "read");
  try {
    const what = await findForeign(file, stats.bytes, header, rows);
    if (what === undefined) return;
    throw new UsageError(
      `${path} is not an export of ${rows.name} as ${name}: ${what}`,
      "choose another file with -o, or replace it with --force",
    );
  } finally {
    await file.close();
  }
}

async function findForeign(
  file: OpenFile,
  bytes: number,
  header: string,
  { isOwn }: OwnRows,
): Promise<string | undefined> {
  const length = Math.min(bytes, END_BYTES);
  const start = (await readAt(file, 0, length)).toString();
  if (!start.startsWith(header)) return "it has another header";
  const rest = start.slice(header.length);
  if (rest === "" && bytes === Buffer.byteLength(header)) return undefined;
  const parser = lineParser(header);
  const first = firstRow(rest, parser);
  if (first === undefined) return "its first row is none";
  if (!isOwn(first)) return "its first row is of another listing";
  const last = lastRow((await readAt(file, bytes - length, length)).toString(), parser);
  if (last === undefined) return "its last row is none";
  return isOwn(last) ? undefined : "its last row is of another listing";
}

function firstRow(text: string, { cellsOf }: LineParser): RowCells | undefined {
  for (let end = text.indexOf("\n"), tries = 0; end >= 0 && tries < MAX_TRIES; tries++) {
    const row = cellsOf(text.slice(0, end + 1));
    if (row !== undefined) return row;
    end = text.indexOf("\n", end + 1);
  }
  return undefined;
}

function lastRow(text: string, { cellsOf }: LineParser): RowCells | undefined {
  for (let start = text.length - 1, tries = 0; start > 0 && tries < MAX_TRIES; tries++) {
    start = text.lastIndexOf("\n", start - 1);
    const row = cellsOf(text.slice(start + 1));
    if (row !== undefined) return row;
  }
  return undefined;
}

const MANIFEST_BYTES = 1024 * 1024;

/** @throws {UsageError} when --manifest names an existing file that is not a manifest of this export */
export async function checkManifest(
  files: Files,
  { manifest, output }: ExportTargets,
  listing: string,
): Promise<void> {
  if (manifest?.kind !== "file") return;
  const { path } = manifest;
  const { bytes = 0 } = (await files.stat(path)) ?? {};
  if (bytes === 0) return;
  const file = output?.kind === "file" ? basename(output.path) : undefined;
  if (bytes <= MANIFEST_BYTES) {
    const open = await files.open(path, "read");
    const text = (await readAt(open, 0, bytes).finally(() => open.close())).toString();
    if (isManifestFor(text, { listing, file })) return;
  }
  throw new UsageError(
    `${path} is not the manifest of ${listing}${file === undefined ? "" : ` in ${file}`}`,
    "choose another file with --manifest, or replace it with --force",
  );
}

// The manifest: what was exported and how it was proven, machine-readable.

interface ManifestFacts {
  readonly listing: string;
  readonly baseUrl: string;
  readonly format: string;
  readonly file: string | undefined;
  /** Repeated requests. */
  readonly retries: number;
  readonly drifts: number;
}

/** JSON, with a line ending. */
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
    rows_before: result.rowsBefore ?? 0,
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

/** Regardless of the outcome of the earlier run. @param facts.file without its folder */
function isManifestFor(
  text: string,
  { listing, file }: { readonly listing: string; readonly file: string | undefined },
): boolean {
  const manifest = parseJson(text) as Partial<Record<string, unknown>> | null | undefined;
  if (manifest?.listing !== listing || typeof manifest.complete !== "boolean") return false;
  // An unproven export has a part file, or none.
  if (manifest.file === null || file === undefined) return true;
  const name = win32.basename(String(manifest.file));
  return name === file || name === `${file}.part`;
}

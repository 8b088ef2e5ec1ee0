// Where an export and its manifest go: looked at together, before anything is asked for.
import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Options } from "../args/context.ts";
import type { ListingArgument } from "../args/listing-argument.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import type { Market } from "../select/market.ts";
import { type NamedFile, resolveNamed } from "../system/named-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import { disk } from "./disk.ts";
import { isManifestOf } from "./manifest.ts";
import type { OwnRows, RowCells } from "./own-export.ts";

/** What -o and --manifest name; undefined where they are not given. */
export interface ExportTargets {
  readonly output: NamedFile | undefined;
  readonly manifest: NamedFile | undefined;
}

/** Standard output by another name: it need not be opened, which a socket could not be. */
const STANDARD_OUTPUT = /^\/(?:dev\/(?:stdout|fd\/1)|proc\/self\/fd\/1)$/;
/** More than any manifest has. */
const MANIFEST_BYTES = 1024 * 1024;

/** @throws {UsageError} when something cannot be written where it is named */
export function readExportTargets({ output, manifest, append }: Options): ExportTargets {
  const named = {
    output:
      output === undefined || STANDARD_OUTPUT.test(output)
        ? undefined
        : resolveNamed(output, "expected: -o FILE (leave it out to write to standard output)"),
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
  const named = resolveNamed(name, expected);
  if (statSync(dirname(named.path), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`cannot write ${name}: no such folder`, expected);
  }
  return named;
}

/** @throws {UsageError} when something else than a manifest of this export is where --manifest is to be */
export async function checkManifest(
  { manifest, output }: ExportTargets,
  listing: string,
): Promise<void> {
  if (manifest?.kind !== "file") return;
  const { bytes = 0 } = (await disk.stat(manifest.path)) ?? {};
  if (bytes === 0) return;
  const file = output?.kind === "file" ? basename(output.path) : undefined;
  const text = bytes > MANIFEST_BYTES ? "" : await textOf(manifest.path, bytes);
  if (isManifestOf(text, { listing, file })) return;
  throw new UsageError(
    `${manifest.path} is not the manifest of ${listing}${file === undefined ? "" : ` in ${file}`}`,
    "choose another file with --manifest, or replace it with --force",
  );
}

async function textOf(path: string, bytes: number): Promise<string> {
  const file = await disk.open(path, "read");
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.toString("utf8", 0, await file.read(buffer, 0));
  } finally {
    await file.close();
  }
}

/** Which rows are of a listing, as far as a row shows it. */
export function ownRowsOf(listing: ListingArgument): OwnRows {
  const { name } = listing;
  if (listing.kind === "trades")
    return { name, isOwn: (cells) => isOfMarket(cells, listing.market) };
  if (listing.kind === "fills") return { name, isOwn: (cells) => isOfOwner(cells, listing.owner) };
  // An event touches more markets than its row names.
  return { name, isOwn: () => true };
}

const OTHER_TYPE = { perp: "spot", spot: "perp" };

/** The words that a service has for the types are its own: only the other one of ours is another type. */
function isOfMarket({ market_id, market_type = "" }: RowCells, { type, id }: Market): boolean {
  return market_id === id && market_type.toLowerCase() !== OTHER_TYPE[type];
}

const OWNER_FORM = /^0x[0-9a-f]{40}$/;

/** Addresses of another form say nothing of their owner. */
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

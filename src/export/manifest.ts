// What was exported and how it is proven, as one JSON object in a file of its own.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { formatWriteError, type NamedFile } from "../system/named-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { visibleJson } from "../units/visible.ts";
import { getMembers, parseJson } from "../wire/json.ts";
import type { ExportResult } from "./export.ts";
import { endStream, openInPlaceStream } from "./in-place.ts";
import { ifMissing } from "./part-file.ts";

/** More is no manifest. */
const MAX_BYTES = 1 << 16;

interface ManifestFacts {
  readonly listing: string;
  readonly baseUrl: string;
  readonly format: string;
  /** Undefined for standard output. */
  readonly file: string | undefined;
  readonly retries: number;
}

/** @throws {UsageError} when --manifest names a file that is not the manifest of this listing */
export async function checkManifest({ kind, path }: NamedFile, listing: string): Promise<void> {
  const size = kind === "file" ? (await lstat(path).catch(ifMissing(undefined)))?.size : 0;
  if (size === undefined || size === 0) return;
  const handle = await open(path, "r");
  const text = size > MAX_BYTES ? "" : await handle.readFile("utf8");
  await handle.close();
  const { listing: listed, complete } = getMembers(parseJson(text));
  if (listed === listing && typeof complete === "boolean") return;
  throw new UsageError(
    `${path} is not the manifest of ${listing}`,
    "choose another file with --manifest, or replace it with --force",
  );
}

export async function writeManifest(
  { kind, path }: NamedFile,
  result: ExportResult,
  { listing, baseUrl, format, file, retries }: ManifestFacts,
): Promise<void> {
  const { verdict, isWritten, newestMs, oldestMs, rows, pages, requests } = result;
  const time = (ms: number | undefined) => (ms === undefined ? null : formatIsoMs(ms));
  const isFile = file !== undefined && isWritten;
  const manifest = {
    listing,
    base_url: baseUrl,
    file: isFile ? file : null,
    format,
    sha256: isFile ? await sha256Of(file) : null,
    newest: time(newestMs),
    oldest: time(oldestMs),
    rows,
    pages,
    requests,
    retries,
    complete: verdict.isComplete,
    proof: verdict.why,
  };
  const text = `${visibleJson(JSON.stringify(manifest, null, 2))}\n`;
  try {
    if (kind === "file") await replaceFile(path, text);
    else await endStream(openInPlaceStream(path), text);
  } catch (error) {
    throw formatWriteError(error, path, "choose another file with --manifest");
  }
}

/** Whole or not at all. */
async function replaceFile(path: string, text: string): Promise<void> {
  const ours = `${path}.${process.pid}.tmp`;
  const handle = await open(ours, "wx", 0o600);
  try {
    await handle.writeFile(text).finally(() => handle.close());
    await rename(ours, path);
  } catch (error) {
    await rm(ours, { force: true });
    throw error;
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

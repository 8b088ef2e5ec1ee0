// What may be replaced or appended to: nothing, an empty file, or an export of this listing in this format.
import { open, stat } from "node:fs/promises";
import type { Listing } from "../listing/listing.ts";
import { UsageError } from "../units/monitor-error.ts";
import { parseJson } from "../wire/json.ts";
import type { Format } from "./format.ts";
import { ifMissing } from "./part-file.ts";

/** Enough for a page of rows, which is what an appended export is compared with. */
const END_BYTES = 1 << 20;

/** An export of ours. */
export interface OwnFile {
  readonly bytes: number;
  /** Its last complete lines, as the file has them; or all of them, without the header. */
  readonly tail: string;
  /** Unix milliseconds of the first and the last row; undefined without rows. */
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
}

/** @returns undefined where nothing is. @throws {UsageError} when it is something else */
export async function readOwn<T>(
  path: string,
  listing: Listing<T>,
  format: Format<T>,
): Promise<OwnFile | undefined> {
  const facts = await stat(path).catch(ifMissing(undefined));
  if (facts === undefined || facts.size === 0) return undefined;
  const file = facts.isFile() ? await readEnds(path, facts.size, listing, format) : undefined;
  if (file !== undefined) return file;
  throw new UsageError(
    `${path} is not an export of ${listing.name} as ${format.name}`,
    "choose another file with -o, or replace it with --force",
  );
}

/** @returns undefined unless header, first and last row are as in an export of this listing */
async function readEnds<T>(
  path: string,
  bytes: number,
  listing: Listing<T>,
  { header }: Format<T>,
): Promise<OwnFile | undefined> {
  const handle = await open(path, "r");
  const read = async (from: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(END_BYTES), 0, END_BYTES, from);
    return buffer.toString("utf8", 0, bytesRead);
  };
  const from = Math.max(0, bytes - END_BYTES);
  const [start, end] = [await read(0), await read(from)];
  await handle.close();
  if (!start.startsWith(header) || !end.endsWith("\n")) return undefined;
  const tail = from === 0 ? end.slice(header.length) : end.slice(end.indexOf("\n") + 1);
  if (tail === "") return { bytes, tail, firstMs: undefined, lastMs: undefined };
  const [first = ""] = start.slice(header.length).split("\n", 1);
  const last = tail.split("\n").at(-2) ?? "";
  const [firstMs, lastMs] = [first, last].map((line) => timeOf(line.trimEnd(), header, listing));
  return firstMs === undefined || lastMs === undefined
    ? undefined
    : { bytes, tail, firstMs, lastMs };
}

/** Unix milliseconds of a line; undefined when it is no row of this listing. */
function timeOf<T>(line: string, header: string, listing: Listing<T>): number | undefined {
  const row = (header === "" ? parseJson(line) : parseRow(line, header)) as
    | Readonly<Record<string, unknown>>
    | undefined;
  const ms = Number(row?.timestamp_ms ?? Number.NaN);
  const isRow = row !== undefined && Number.isSafeInteger(ms) && listing.foreign(row) === undefined;
  return isRow ? ms : undefined;
}

function parseRow(line: string, header: string): Readonly<Record<string, string>> | undefined {
  const names = header.trimEnd().split(",");
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
  return names.length === cells.length
    ? Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ""]))
    : undefined;
}

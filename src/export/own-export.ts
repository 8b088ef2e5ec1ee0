// Is the file that an export would replace one of its own? By its header, its first row and its last one, as far as they show
// of which listing they are. The file is only ever read here.

import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { parseJson } from "../wire/json.ts";
import type { Files, OpenFile } from "./files.ts";
import type { RowFormat } from "./row-format.ts";

/** The cells of a row by the names of their columns; of NDJSON the fields, as text. */
export type RowCells = Readonly<Record<string, string | undefined>>;

/** Which rows are of a listing. */
export interface OwnRows {
  /** What the listing is called, such as `trades perp/1`. */
  readonly name: string;
  /** False when a row shows that it is of another listing. */
  isOwn(cells: RowCells): boolean;
}

/** More than the longest row of a sensible service. */
const END_BYTES = 256 * 1024;
/** Line ends that are tried from the end of a file on: text cells may hold some. */
const MOST_TRIES = 200;

/**
 * @param path links have been followed
 * @throws {UsageError} when something is there that is neither empty nor an export of this listing
 */
export async function checkReplaceable(
  files: Files,
  path: string,
  { header, name }: Pick<RowFormat<never>, "header" | "name">,
  rows: OwnRows,
): Promise<void> {
  const facts = await files.stat(path);
  if (facts === undefined || facts.bytes === 0) return;
  const file = await files.open(path, "read");
  try {
    const what = await strangeness(file, facts.bytes, header, rows);
    if (what === undefined) return;
    throw new UsageError(
      `${path} is not an export of ${rows.name} as ${name}: ${what}`,
      "choose another file with -o, or replace it with --force",
    );
  } finally {
    await file.close();
  }
}

/** What makes a file none of ours, in words. */
async function strangeness(
  file: OpenFile,
  bytes: number,
  header: string,
  { isOwn }: OwnRows,
): Promise<string | undefined> {
  const start = await textAt(file, 0, Math.min(bytes, END_BYTES));
  if (!start.startsWith(header)) return "it has another header";
  const rest = start.slice(header.length);
  if (rest === "" && bytes === Buffer.byteLength(header)) return undefined;
  const first = firstRow(rest, header);
  if (first === undefined) return "its first row is none";
  if (!isOwn(first)) return "its first row is of another listing";
  const end = Math.min(bytes, END_BYTES);
  const last = lastRow(await textAt(file, bytes - end, end), header);
  if (last === undefined) return "its last row is none";
  return isOwn(last) ? undefined : "its last row is of another listing";
}

async function textAt(file: OpenFile, position: number, bytes: number): Promise<string> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const read = await file.read(buffer.subarray(filled), position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.toString("utf8", 0, filled);
}

/** The row with which a text begins. */
function firstRow(text: string, header: string): RowCells | undefined {
  for (let end = text.indexOf("\n"), tries = 0; end >= 0 && tries < MOST_TRIES; tries++) {
    const row = rowOf(text.slice(0, end + 1), header);
    if (row !== undefined) return row;
    end = text.indexOf("\n", end + 1);
  }
  return undefined;
}

/** The row with which a text ends. */
function lastRow(text: string, header: string): RowCells | undefined {
  for (let start = text.length - 1, tries = 0; start > 0 && tries < MOST_TRIES; tries++) {
    start = text.lastIndexOf("\n", start - 1);
    const row = rowOf(text.slice(start + 1), header);
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * One row with its line end, by the names of its columns.
 * @returns undefined when it is no whole row of a listing
 */
export function rowOf(line: string, header: string): RowCells | undefined {
  if (header === "") return recordOf(line);
  const cells = cellsOf(line);
  const columns = header.trimEnd().split(",");
  if (cells?.length !== columns.length) return undefined;
  const row = Object.fromEntries(columns.map((column, i) => [column, cells[i]]));
  const ms = row.timestamp_ms ?? "";
  return /^-?[0-9]{1,16}$/.test(ms) && row.time === formatIsoMs(Number(ms)) ? row : undefined;
}

function recordOf(line: string): RowCells | undefined {
  if (!line.startsWith("{") || !line.endsWith("}\n")) return undefined;
  const value = parseJson(line) as Readonly<Record<string, unknown>> | undefined;
  if (value === undefined || typeof value.timestamp_ms !== "number") return undefined;
  if (value.time === undefined || (value.trade_id ?? value.liquidation_id) === undefined) {
    return undefined;
  }
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, String(field)]));
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/gy;

/** The cells of one CSV line (RFC 4180); undefined when it is none. */
function cellsOf(line: string): string[] | undefined {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (let match = CELL.exec(line); match !== null; match = CELL.exec(line)) {
    const [, quoted, bare = "", end] = match;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== ",") return CELL.lastIndex === line.length ? cells : undefined;
  }
  return undefined;
}

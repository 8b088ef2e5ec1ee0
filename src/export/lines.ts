// Parses the lines of an exported file.
import { canonicalText } from "../listing/paging/source.ts";
import { formatIsoMs } from "../units/time.ts";
import { parseExact } from "../wire/exact-numbers.ts";
import { parseJson } from "../wire/json.ts";
import type { OpenFile } from "./files.ts";

const CHUNK_BYTES = 1 << 20;
/** A longer line is returned without its end: it cannot be a row. */
const MAX_LINE_CHARS = 16 << 20;

export type RowCells = Readonly<Record<string, string | undefined>>;

export interface LineParser {
  /** Unix milliseconds. */
  timeOf(line: string): number | undefined;
  idOf(line: string): string;
  /** For comparison: the fields of a record may be in a different order each time. */
  textOf(line: string): string;
  /** Undefined unless it is a complete row of a listing, including its line ending. */
  cellsOf(line: string): RowCells | undefined;
}

/** @param header of a CSV file; empty for NDJSON */
export function lineParser(header: string): LineParser {
  return header === "" ? NDJSON : csvParser(header.trimEnd().split(","));
}

const NDJSON: LineParser = {
  timeOf: (line) => timeOfText(String(parseFields(line).timestamp_ms)),
  idOf(line) {
    const { trade_id, liquidation_id } = parseFields(line);
    return String(trade_id ?? liquidation_id ?? "");
  },
  textOf(line) {
    const value = parseJson(line);
    return value === undefined ? line : canonicalText(parseExact(line) ?? value);
  },
  cellsOf(line) {
    if (!line.startsWith("{") || !line.endsWith("}\n")) return undefined;
    const fields = parseFields(line);
    const { timestamp_ms, time, trade_id, liquidation_id } = fields;
    const isRow = typeof timestamp_ms === "number" && time !== undefined;
    if (!isRow || (trade_id ?? liquidation_id) === undefined) return undefined;
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, String(field)]));
  },
};

function parseFields(line: string): Readonly<Record<string, unknown>> {
  return (parseJson(line) as Readonly<Record<string, unknown>> | null | undefined) ?? {};
}

function csvParser(columns: readonly string[]): LineParser {
  // Counted from the right, where no cell is ever quoted.
  const fromRight = columns.length - columns.indexOf("timestamp_ms");
  return {
    timeOf: (line) => timeOfText(line.trimEnd().split(",").at(-fromRight)),
    idOf: (line) => line.slice(0, line.indexOf(",")),
    textOf: (line) => line,
    cellsOf(line) {
      const cells = splitCells(line);
      if (cells?.length !== columns.length) return undefined;
      const row = Object.fromEntries(columns.map((column, i) => [column, cells[i]]));
      const ms = timeOfText(row.timestamp_ms);
      return ms !== undefined && row.time === formatIsoMs(ms) ? row : undefined;
    },
  };
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/gy;

function splitCells(line: string): string[] | undefined {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (let match = CELL.exec(line); match !== null; match = CELL.exec(line)) {
    const [, quoted, bare = "", end] = match;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== ",") return CELL.lastIndex === line.length ? cells : undefined;
  }
  return undefined;
}

function timeOfText(text: string | undefined): number | undefined {
  return text !== undefined && /^-?[0-9]{1,16}$/.test(text) ? Number(text) : undefined;
}

/**
 * Yields several lines at a time, with line endings; the last may have none.
 * @param start byte at which the first line begins
 * @param seeBytes receives all bytes read
 * @throws file system errors
 */
export async function* readLines(
  file: OpenFile,
  start: number,
  seeBytes: (chunk: Uint8Array) => void = () => {},
): AsyncGenerator<readonly string[], void, void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const chunk = new Uint8Array(CHUNK_BYTES);
  let rest = "";
  for (let at = start, read = -1; read !== 0 && rest.length <= MAX_LINE_CHARS; at += read) {
    read = await file.read(chunk, at);
    const bytes = chunk.subarray(0, read);
    seeBytes(bytes);
    const { lines, left } = splitLines(rest + decoder.decode(bytes, { stream: read > 0 }));
    yield lines;
    rest = left;
  }
  if (rest !== "") yield [rest];
}

/** A line ending inside quotes is part of a cell. */
export function splitLines(text: string): { lines: string[]; left: string } {
  const lines: string[] = [];
  let start = 0;
  let from = 0;
  let isQuoteOpen = false;
  for (let end = text.indexOf("\n", from); end >= 0; end = text.indexOf("\n", from)) {
    const isJson = text.startsWith("{", start);
    if (!isJson && hasOddQuotes(text.slice(from, end))) isQuoteOpen = !isQuoteOpen;
    from = end + 1;
    if (isQuoteOpen) continue;
    lines.push(text.slice(start, from));
    start = from;
  }
  return { lines, left: text.slice(start) };
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

// The lines of a file that was exported, read back as text: what each is of, and when that was.
import { canonicalText } from "../listing/paging/source.ts";
import { parseExact } from "../wire/exact-numbers.ts";
import { parseJson } from "../wire/json.ts";
import type { OpenFile } from "./files.ts";

const CHUNK_BYTES = 1 << 20;
/** A line that has no end before that is handed on as one without an end: it is no row. */
const MOST_LINE_CHARS = 16 << 20;

/** How lines of one format are read. */
export interface LineParser {
  /** Unix milliseconds; undefined when the line has none. */
  timeOf(line: string): number | undefined;
  /** The text of the id, which comes first. */
  idOf(line: string): string;
  /** By which lines are compared: a service may send the fields of a record in another order each time. */
  textOf(line: string): string;
}

/** @param header of a CSV file; empty text for NDJSON. */
export function lineParser(header: string): LineParser {
  if (header === "") {
    return {
      timeOf: (line) => timeOfText(String(fieldsOf(line).timestamp_ms)),
      idOf(line) {
        const { trade_id, liquidation_id } = fieldsOf(line);
        return String(trade_id ?? liquidation_id ?? "");
      },
      textOf(line) {
        const value = parseJson(line);
        return value === undefined ? line : canonicalText(parseExact(line) ?? value);
      },
    };
  }
  const columns = header.trimEnd().split(",");
  // Counted from the right: no cell there is ever quoted.
  const fromRight = columns.length - columns.indexOf("timestamp_ms");
  return {
    timeOf: (line) => timeOfText(line.trimEnd().split(",").at(-fromRight)),
    idOf: (line) => line.slice(0, line.indexOf(",")),
    textOf: (line) => line,
  };
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  return (parseJson(line) as Readonly<Record<string, unknown>> | null | undefined) ?? {};
}

function timeOfText(text: string | undefined): number | undefined {
  return text !== undefined && /^-?[0-9]{1,16}$/.test(text) ? Number(text) : undefined;
}

/** What says that no more lines are wanted. */
export const ENOUGH = Symbol("enough");

type SeeLine = (line: string) => void | Promise<void> | typeof ENOUGH;

/**
 * Hands on the lines of a file, each with its line end; the last may have none.
 * @param start byte at which the first line begins
 * @param seeBytes gets all bytes as they are read
 * @returns bytes of the file, as far as it was read
 * @throws what the file system and `see` throw
 */
export async function eachLine(
  file: OpenFile,
  start: number,
  see: SeeLine,
  seeBytes: (chunk: Uint8Array) => void = () => {},
): Promise<number> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const chunk = new Uint8Array(CHUNK_BYTES);
  let rest = "";
  let bytes = start;
  for (;;) {
    const read = await file.read(chunk, bytes);
    bytes += read;
    seeBytes(chunk.subarray(0, read));
    rest += decoder.decode(chunk.subarray(0, read), { stream: read > 0 });
    const { lines, left } = splitLines(rest);
    if (await isEnough(lines, see)) return bytes;
    rest = left;
    if (read === 0 || rest.length > MOST_LINE_CHARS) break;
  }
  if (rest !== "") await see(rest);
  return bytes;
}

async function isEnough(lines: readonly string[], see: SeeLine): Promise<boolean> {
  for (const line of lines) {
    const seen = see(line);
    if (seen === ENOUGH) return true;
    if (seen !== undefined) await seen;
  }
  return false;
}

/** Whole lines, and what is left; a line end inside quotes is part of a cell. */
function splitLines(text: string): { lines: string[]; left: string } {
  const lines: string[] = [];
  let start = 0;
  let from = 0;
  for (let end = text.indexOf("\n", from); end >= 0; end = text.indexOf("\n", from)) {
    from = end + 1;
    const line = text.slice(start, from);
    const isQuoteOpen = !line.startsWith("{") && (line.split('"').length - 1) % 2 === 1;
    if (isQuoteOpen) continue;
    lines.push(line);
    start = from;
  }
  return { lines, left: text.slice(start) };
}

// Reads a finished export to find where it ends. The file is only ever read here.
import { parseJson } from "../protocol/json.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Files, OpenFile } from "./files.ts";

export interface FileEnd {
  /** First line with its line end. */
  readonly header: string;
  readonly firstMs: number | undefined;
  /** Time of the last row, and all lines of that time. */
  readonly lastMs: number | undefined;
  readonly lines: readonly string[];
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Finds the end of a CSV or NDJSON export.
 * @param header the header that it must have; empty text for NDJSON
 * @throws {UsageError} when it is no such export
 */
export async function readFileEnd(files: Files, path: string, header: string): Promise<FileEnd> {
  const file = await files.open(path, "read");
  try {
    const end = new EndFinder(path, header);
    const bytes = await eachLine(file, (line) => end.see(line));
    return { ...end.found, header, bytes };
  } finally {
    await file.close();
  }
}

class EndFinder {
  readonly #path: string;
  readonly #header: string;
  #isHeaderSeen: boolean;
  #firstMs: number | undefined;
  #lastMs: number | undefined;
  #lines: string[] = [];

  constructor(path: string, header: string) {
    this.#path = path;
    this.#header = header;
    this.#isHeaderSeen = header === "";
  }

  get found(): Pick<FileEnd, "firstMs" | "lastMs" | "lines"> {
    return { firstMs: this.#firstMs, lastMs: this.#lastMs, lines: this.#lines };
  }

  see(line: string): void {
    if (!this.#isHeaderSeen) {
      if (line !== this.#header) throw this.#wrong("has another header");
      this.#isHeaderSeen = true;
      return;
    }
    if (!line.endsWith("\n")) throw this.#wrong("does not end with a whole line");
    const ms = this.#timeOf(line);
    if (ms === undefined) throw this.#wrong("has a row without a time");
    if (this.#lastMs !== undefined && ms < this.#lastMs) throw this.#wrong("is not oldest first");
    if (ms !== this.#lastMs) this.#lines = [];
    this.#firstMs ??= ms;
    this.#lastMs = ms;
    this.#lines.push(line);
  }

  #timeOf(line: string): number | undefined {
    const text = this.#header === "" ? jsonTime(line) : this.#cellTime(line);
    return text !== undefined && /^-?[0-9]{1,16}$/.test(text) ? Number(text) : undefined;
  }

  /** The cell of timestamp_ms is counted from the right: no cell there is ever quoted. */
  #cellTime(line: string): string | undefined {
    const columns = this.#header.trimEnd().split(",");
    const fromRight = columns.length - columns.indexOf("timestamp_ms");
    return line.trimEnd().split(",").at(-fromRight);
  }

  #wrong(what: string): UsageError {
    return new UsageError(
      `cannot add to ${this.#path}: it ${what}`,
      "--append adds to a file that the same export with --oldest-first has made",
    );
  }
}

function jsonTime(line: string): string | undefined {
  const record = parseJson(line) as { timestamp_ms?: unknown } | undefined;
  return record === undefined || record === null ? undefined : String(record.timestamp_ms);
}

/** @returns bytes of the file */
async function eachLine(file: OpenFile, see: (line: string) => void): Promise<number> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(CHUNK_BYTES);
  let rest = "";
  let bytes = 0;
  for (;;) {
    const read = await file.read(chunk, bytes);
    bytes += read;
    rest += decoder.decode(chunk.subarray(0, read), { stream: read > 0 });
    rest = takeLines(rest, see);
    if (read === 0) break;
  }
  if (rest !== "") see(rest);
  return bytes;
}

/** Hands on whole lines; a line end inside quotes is part of a cell. @returns what is left */
function takeLines(text: string, see: (line: string) => void): string {
  let start = 0;
  let from = 0;
  for (let end = text.indexOf("\n", from); end >= 0; end = text.indexOf("\n", from)) {
    from = end + 1;
    const line = text.slice(start, from);
    const isQuoteOpen = !line.startsWith("{") && (line.split('"').length - 1) % 2 === 1;
    if (isQuoteOpen) continue;
    see(line);
    start = from;
  }
  return text.slice(start);
}

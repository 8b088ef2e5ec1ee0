// Reads a finished export from its beginning to its end: where it ends, and where in it which rows are. The file is only ever
// read here.
import { createHash } from "node:crypto";
import type { RecordFields } from "../listing/paging/source.ts";
import { unproven, type Verdict } from "../listing/paging/verdict.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Files } from "./files.ts";
import { eachLine, type LineParser, lineParser } from "./lines.ts";
import type { RowFormat } from "./row-format.ts";

/** A line of a file: where it begins, and its time in Unix milliseconds. */
export interface Mark {
  readonly byte: number;
  readonly ms: number;
}

/** Lines from one mark to the next. */
export const MARK_EVERY = 256;

/** Where a finished export begins and ends. Times are Unix milliseconds, undefined where there are no rows. */
export interface FileEnd {
  /** First line with its line end. */
  readonly header: string;
  readonly firstMs: number | undefined;
  /** Time of the last row, and all lines of that time. */
  readonly lastMs: number | undefined;
  readonly lines: readonly string[];
  /** Rows: lines without the header. */
  readonly rows: number;
  /** Each so manieth line, from the first row on. */
  readonly marks: readonly Mark[];
  readonly bytes: number;
  /** Of all of it, in hex. */
  readonly sha256: string;
}

/**
 * Finds the end of a CSV or NDJSON export.
 * @param header the header that it must have; empty text for NDJSON
 * @throws {UsageError} when it is no such export
 */
export async function readFileEnd(files: Files, path: string, header: string): Promise<FileEnd> {
  const file = await files.open(path, "read");
  try {
    const end = new EndFinder(path, header);
    const hash = createHash("sha256");
    const bytes = await eachLine(
      file,
      0,
      (line) => end.see(line),
      (chunk) => hash.update(chunk),
    );
    return { ...end.found, header, bytes, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

class EndFinder {
  readonly #path: string;
  readonly #header: string;
  readonly #parser: LineParser;
  #isHeaderSeen: boolean;
  #firstMs: number | undefined;
  #lastMs: number | undefined;
  #lines: string[] = [];
  #rows = 0;
  #byte = 0;
  readonly #marks: Mark[] = [];

  constructor(path: string, header: string) {
    this.#path = path;
    this.#header = header;
    this.#parser = lineParser(header);
    this.#isHeaderSeen = header === "";
  }

  get found(): Pick<FileEnd, "firstMs" | "lastMs" | "lines" | "rows" | "marks"> {
    return {
      firstMs: this.#firstMs,
      lastMs: this.#lastMs,
      lines: this.#lines,
      rows: this.#rows,
      marks: this.#marks,
    };
  }

  see(line: string): void {
    const byte = this.#byte;
    this.#byte += Buffer.byteLength(line);
    if (!this.#isHeaderSeen) {
      if (line !== this.#header) throw this.#wrong("has another header");
      this.#isHeaderSeen = true;
      return;
    }
    if (!line.endsWith("\n")) throw this.#wrong("does not end with a whole line");
    const ms = this.#parser.timeOf(line);
    if (ms === undefined) throw this.#wrong("has a row without a time");
    if (this.#lastMs !== undefined && ms < this.#lastMs) throw this.#wrong("is not oldest first");
    if (ms !== this.#lastMs) this.#lines = [];
    this.#firstMs ??= ms;
    this.#lastMs = ms;
    this.#lines.push(line);
    if (this.#rows++ % MARK_EVERY === 0) this.#marks.push({ byte, ms });
  }

  #wrong(what: string): UsageError {
    return new UsageError(
      `cannot add to ${this.#path}: it ${what}`,
      "--append adds to a file that the same export with --oldest-first has made",
    );
  }
}

/** The last millisecond of an oldest-first file, with all of its lines. */
export class KnownEnd<T> {
  readonly lastMs: number;
  readonly #left: Map<string, number>;
  readonly #textOf: (line: string) => string;
  readonly #fields: RecordFields<T>;
  readonly #format: RowFormat<T>;

  /** @param lines of `lastMs`, each with its line end */
  constructor(
    lastMs: number,
    lines: readonly string[],
    { fields, format }: { readonly fields: RecordFields<T>; readonly format: RowFormat<T> },
  ) {
    this.lastMs = lastMs;
    this.#left = new Map();
    this.#textOf = lineParser(format.header).textOf;
    for (const text of lines.map(this.#textOf)) {
      this.#left.set(text, (this.#left.get(text) ?? 0) + 1);
    }
    this.#fields = fields;
    this.#format = format;
  }

  /** The records that the file does not hold. */
  fresh(records: readonly T[]): readonly T[] {
    return records.filter((record) => {
      const ms = this.#fields.timeMs(record);
      return ms > this.lastMs || (ms === this.lastMs && !this.#take(record));
    });
  }

  /** A proof that reaches down to the end of the file is none if the file's last lines are not in the listing. */
  judge(verdict: Verdict): Verdict {
    if (!verdict.isComplete) return verdict;
    const isWhole = [...this.#left.values()].every((count) => count === 0);
    if (isWhole && verdict.reach !== "max") return verdict;
    return isWhole
      ? unproven("not-reached", this.lastMs, 0)
      : unproven("not-its-continuation", this.lastMs, 0);
  }

  #take(record: T): boolean {
    const lines = this.#format.linesOf(record).map(this.#textOf);
    if (!lines.every((line) => (this.#left.get(line) ?? 0) > 0)) return false;
    for (const line of lines) this.#left.set(line, (this.#left.get(line) ?? 0) - 1);
    return true;
  }
}

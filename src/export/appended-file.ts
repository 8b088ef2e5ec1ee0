// A finished export that is appended to: where it ends, and whether it still matches its listing. The file may have been edited,
// and the service may have amended its history, so some rows are compared with the current listing. The file is only read here.
import { createHash } from "node:crypto";
import { MAX_CURSOR } from "../listing/paging/cursors.ts";
import type { RowKey } from "../listing/paging/known-rows.ts";
import {
  compareSections,
  pageSection,
  type Section,
  type Span,
} from "../listing/paging/sections.ts";
import type { CursorField } from "../listing/paging/source.ts";
import { TextCounts } from "../listing/paging/text-counts.ts";
import { unproven, type Verdict } from "../listing/paging/verdict.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import type { ExportPlan } from "./export-run.ts";
import type { Files } from "./files.ts";
import { type LineParser, lineParser, readLines } from "./lines.ts";
import { rowsOrNone } from "./positions.ts";

/** Lines between two marks. */
const MARK_EVERY = 256;

/** Times are Unix milliseconds. */
interface Contents {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** Lines, excluding the header. */
  readonly rows: number;
  readonly firstMs: number;
  /** Time of the last row; `lines`: all lines of that time. */
  readonly lastMs: number;
  readonly lines: readonly string[];
  /** Byte offset and time of every MARK_EVERYth row. */
  readonly marks: readonly { readonly byte: number; readonly ms: number }[];
}

/**
 * Reads a whole CSV or NDJSON export.
 * @param header the expected header; empty for NDJSON
 * @throws {UsageError} when the file is not such an export, oldest rows first
 */
async function readContents(files: Files, path: string, header: string): Promise<Contents> {
  const { timeOf } = lineParser(header);
  const hash = createHash("sha256");
  const marks: { byte: number; ms: number }[] = [];
  let [bytes, rows, byte, firstMs, lastMs] = [0, 0, 0, Number.NaN, Number.NEGATIVE_INFINITY];
  let lines: string[] = [];
  let isHeaderDue = header !== "";
  const seeRow = (line: string) => {
    if (!line.endsWith("\n")) throw noBase(path, "does not end with a whole line");
    const ms = timeOf(line);
    if (ms === undefined) throw noBase(path, "has a row without a time");
    if (ms < lastMs) throw noBase(path, "is not oldest first");
    if (ms !== lastMs) lines = [];
    if (rows === 0) firstMs = ms;
    lastMs = ms;
    lines.push(line);
    if (rows++ % MARK_EVERY === 0) marks.push({ byte, ms });
  };
  const seeBytes = (chunk: Uint8Array) => {
    hash.update(chunk);
    bytes += chunk.length;
  };
  const file = await files.open(path, "read");
  try {
    for await (const batch of readLines(file, 0, seeBytes)) {
      for (const line of batch) {
        if (!isHeaderDue) seeRow(line);
        else if (line !== header) throw noBase(path, "has another header");
        isHeaderDue = false;
        byte += Buffer.byteLength(line);
      }
    }
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex"), rows, firstMs, lastMs, lines, marks };
}

function noBase(path: string, what: string): UsageError {
  return new UsageError(
    `cannot add to ${path}: it ${what}`,
    "--append adds to a file that the same export with --oldest-first has made",
  );
}

/** A file is divided into stretches that can be compared as well; each is shorter than a page. */
const MARKS_OF_STRETCH = 3;
export const SEGMENT_ROWS = MARK_EVERY * MARKS_OF_STRETCH;
/** Rows above a stretch at which its page begins, because rows of one time may be on both sides of its end. */
const ABOVE_STRETCH = 100;

interface Comparison {
  readonly requests: number;
  readonly compared: string;
  /** For each stretch, whether all of it was compared. */
  readonly stretches: readonly boolean[];
  /** Undefined if the file matches the listing. */
  readonly verdict: Verdict | undefined;
}

interface Visit {
  readonly field: string;
  /** Of the row that was asked for, and of one further below. */
  readonly rowMs: number;
  readonly belowMs: number;
  /** Of the first row of the answer. */
  readonly topMs: number | undefined;
}

const MAX_REQUESTS = 8;
/** Maximum number of requests for the chosen stretches. */
const MAX_RECHECKS = 6;
/** A cursor that returned rows, and the time of the first of them. */
export interface KnownCursor {
  readonly before: bigint;
  /** Unix milliseconds. */
  readonly ms: number;
}

/** What to compare in addition to the fixed positions. */
export interface Recheck {
  /** Given the number of stretches, returns those to compare, in this order. */
  readonly choose: (stretches: number) => readonly number[];
  readonly cursors: readonly KnownCursor[];
}

/** How many of the pager's last responses that reach into the file are held. */
const MAX_ANSWERS = 6;

export class AppendedFile<T extends object> {
  readonly #plan: ExportPlan<T>;
  readonly #files: Files;
  readonly #path: string;
  readonly #contents: Contents;
  readonly #parser: LineParser;
  /** Lines of the last millisecond that the listing has not returned yet. */
  readonly #left: TextCounts;
  #answers: { readonly rows: readonly T[]; readonly before: bigint | undefined }[] = [];
  readonly #covered: Span[] = [];
  readonly #visits: Visit[] = [];
  #rows = 0;
  #requests = 0;
  #rechecks = 0;
  /** Sorted by time. */
  #cursors: readonly KnownCursor[] = [];
  #differsAtMs: number | undefined;

  private constructor(plan: ExportPlan<T>, files: Files, path: string, contents: Contents) {
    this.#plan = plan;
    this.#files = files;
    this.#path = path;
    this.#contents = contents;
    this.#parser = lineParser(plan.format.header);
    this.#left = new TextCounts(contents.lines.map(this.#parser.textOf));
  }

  get rows(): number {
    return this.#contents.rows;
  }

  /** @throws {UsageError} when the file is not an export of this format, oldest rows first */
  static async read<T extends object>(plan: ExportPlan<T>, files: Files, path: string) {
    const contents = await readContents(files, path, plan.format.header);
    const { bytes, sha256, rows } = contents;
    const file = rows === 0 ? undefined : new AppendedFile(plan, files, path, contents);
    return { bytes, sha256, file };
  }

  get lastMs(): number {
    return this.#contents.lastMs;
  }

  fresh(records: readonly T[]): readonly T[] {
    return records.filter((record) => {
      const ms = this.#plan.fields.timeMs(record);
      return ms > this.lastMs || (ms === this.lastMs && !this.#takeLines(record));
    });
  }

  #takeLines(record: T): boolean {
    const texts = this.#textsOf(record);
    if (new TextCounts(texts).countCommon(this.#left) < texts.length) return false;
    for (const text of texts) this.#left.take(text);
    return true;
  }

  #textsOf(record: T): readonly string[] {
    return this.#plan.format.linesOf(record).map(this.#parser.textOf);
  }

  /** A proof that reaches down to the file is void if the file's last lines are not in the listing. */
  judge(verdict: Verdict): Verdict {
    if (!verdict.isComplete) return verdict;
    if (this.#left.size > 0) return unproven("not-its-continuation", this.lastMs, 0);
    return verdict.reach === "max" ? unproven("not-reached", this.lastMs, 0) : verdict;
  }

  /** Holds a response that reaches into the file. */
  see(rows: readonly T[], before: bigint | undefined): void {
    // The newest page is asked for again where it came from a copy that lags behind.
    if (before === undefined) {
      this.#answers = this.#answers.filter((each) => each.before !== undefined);
    }
    const last = rows.at(-1);
    if (last === undefined || this.#plan.fields.timeMs(last) > this.lastMs) return;
    this.#answers = [...this.#answers, { rows, before }].slice(-MAX_ANSWERS);
  }

  /**
   * Compares the part of the file that the pager has seen, and requests rows that it has not seen, in at most 8 requests.
   * @param proofs number of pages proven by each field
   * @param recheck what to compare in addition, in at most 6 requests
   * @throws {HistoryError} when the service fails; the signal's reason when aborted; file system errors
   */
  async compare(
    proofs: Readonly<Record<string, number>>,
    { choose, cursors }: Recheck = { choose: () => [], cursors: [] },
  ): Promise<Comparison> {
    this.#cursors = [...cursors].sort((x, y) => x.ms - y.ms);
    for (const { rows, before } of this.#answers) await this.#compareAnswer(rows, before);
    const fields = [...this.#plan.fields.cursorFields].sort(
      (a, b) => (proofs[b.name] ?? 0) - (proofs[a.name] ?? 0),
    );
    const missed: { readonly name: string; readonly ms: number }[] = [];
    for (const { name, row } of this.#sample()) {
      if (this.#differsAtMs !== undefined) break;
      const ms = await this.#visit(row, fields);
      if (ms !== undefined) missed.push({ name, ms });
    }
    const { rows } = this.#contents;
    const stretches = Array.from({ length: Math.ceil(rows / SEGMENT_ROWS) }, (_, i) => i);
    for (const stretch of choose(stretches.length)) {
      if (this.#differsAtMs !== undefined) break;
      await this.#visitStretch(stretch, proofs, fields[0]);
    }
    this.#differsAtMs ??= this.#lostAt(proofs);
    const what = this.#rows >= rows ? `all ${rows}` : `${this.#rows} of ${rows}`;
    const lacking = missed.filter(({ ms }) => !this.#isCovered(ms)).map(({ name }) => name);
    const not = lacking.length === 0 ? "" : `; not found there: ${lacking.join(", ")}`;
    return {
      requests: this.#requests,
      compared: `${what} rows of the file compared with the listing${not}`,
      stretches: stretches.map((stretch) => this.#isStretchCovered(stretch)),
      verdict: this.#differsAtMs === undefined ? undefined : notOfListing(this.#differsAtMs),
    };
  }

  /** `row` counts from the first row of the file. */
  #sample(): readonly { readonly name: string; readonly row: number }[] {
    const { rows } = this.#contents;
    const { limit } = this.#plan;
    const around = (share: number) => Math.min(rows - 1, Math.floor(rows * share + limit / 2));
    return [
      { name: "its last rows", row: rows - 1 },
      { name: "its middle", row: around(1 / 2) },
      // Half a page, because rows of one time above it may fill the rest.
      { name: "its first rows", row: Math.min(limit >> 1, rows - 1) },
      { name: "its first quarter", row: around(1 / 4) },
      { name: "its third quarter", row: around(3 / 4) },
    ];
  }

  /**
   * Requests a row and those below it, at least half a page of them.
   * @returns the time of the last of these if it was not found; undefined if it was found or already compared
   */
  async #visit(row: number, fields: readonly CursorField<T>[]): Promise<number | undefined> {
    const belowMs = await this.#timeAt(row - (this.#plan.limit >> 1));
    const isSettled = () => this.#differsAtMs !== undefined || this.#isCovered(belowMs);
    if (isSettled()) return undefined;
    const record = await this.#recordAt(row);
    for (const field of fields) {
      if (this.#requests < MAX_REQUESTS) await this.#ask(field, record, belowMs);
      if (isSettled()) return undefined;
    }
    const rowMs = this.#plan.fields.timeMs(record);
    const led = this.#cursors.find(({ ms }) => ms >= rowMs);
    if (led !== undefined && this.#requests < MAX_REQUESTS) await this.#askAt(led);
    return isSettled() ? undefined : belowMs;
  }

  /** By earlier cursors; by a field first if that has proven pages. */
  async #visitStretch(
    stretch: number,
    proofs: Readonly<Record<string, number>>,
    field: CursorField<T> | undefined,
  ): Promise<void> {
    if (stretch * SEGMENT_ROWS >= this.rows) return;
    const isProven = field !== undefined && (proofs[field.name] ?? 0) > 0;
    if (!isProven) await this.#visitByCursors(stretch);
    if (field !== undefined && !this.#isStretchCovered(stretch)) await this.#askFor(stretch, field);
    if (isProven) await this.#visitByCursors(stretch);
  }

  async #visitByCursors(stretch: number): Promise<void> {
    const [firstMs, nextMs] = this.#timesOf(stretch);
    let aboveMs: number | undefined = nextMs;
    while (aboveMs !== undefined && aboveMs > firstMs && !this.#isStretchCovered(stretch)) {
      aboveMs = await this.#askBelow(aboveMs);
    }
  }

  /**
   * Requests a page by a cursor that once returned rows above a time.
   * @returns the time of the last row of the response, if it is below
   */
  async #askBelow(aboveMs: number): Promise<number | undefined> {
    const led = this.#cursors.find(({ ms }) => ms > aboveMs);
    const isOver = this.#rechecks >= MAX_RECHECKS || this.#differsAtMs !== undefined;
    if (led === undefined || isOver) return undefined;
    this.#rechecks++;
    const lastMs = await this.#askAt(led);
    // Pages overlap: where this one ends, the next begins above.
    return lastMs !== undefined && lastMs < aboveMs ? lastMs : undefined;
  }

  async #askFor(stretch: number, field: CursorField<T>): Promise<void> {
    if (this.#rechecks >= MAX_RECHECKS) return;
    const row = Math.min(this.rows - 1, (stretch + 1) * SEGMENT_ROWS + ABOVE_STRETCH);
    const belowMs = await this.#timeAt(row - ABOVE_STRETCH);
    if (await this.#ask(field, await this.#recordAt(row), belowMs)) this.#rechecks++;
  }

  /** @returns the time of the last row of the response */
  async #askAt({ before, ms }: KnownCursor): Promise<number | undefined> {
    const { fields } = this.#plan;
    const rows = await this.#rowsAt(before);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    // The row that this cursor led to is gone.
    if (fields.timeMs(first) < ms) this.#differsAtMs ??= ms;
    await this.#compareAnswer(rows, before);
    return fields.timeMs(last);
  }

  /** Times of the first row of a stretch, and of the first row above it. */
  #timesOf(stretch: number): [number, number] {
    const { marks, firstMs, lastMs } = this.#contents;
    const at = stretch * MARKS_OF_STRETCH;
    return [marks[at]?.ms ?? firstMs, marks[at + MARKS_OF_STRETCH]?.ms ?? lastMs];
  }

  /** Including all rows of the times at its ends, except at the ends of the file. */
  #isStretchCovered(stretch: number): boolean {
    const { firstMs, lastMs } = this.#contents;
    const [first, next] = this.#timesOf(stretch);
    return joinSpans(this.#covered).some(
      ({ oldestMs, newestMs }) =>
        (oldestMs < first || (oldestMs === first && first === firstMs)) &&
        (newestMs > next || (newestMs === next && next === lastMs)),
    );
  }

  /** Only the time and the cells of cursor fields have the right types. */
  async #recordAt(row: number): Promise<T> {
    const mark = this.#contents.marks[Math.floor(row / MARK_EVERY)];
    let [left, text] = [row % MARK_EVERY, ""];
    for await (const line of this.#linesFrom(mark?.byte)) {
      text = line;
      if (left-- === 0) break;
    }
    const timestamp_ms = this.#parser.timeOf(text) ?? Number.NaN;
    return { ...this.#parser.cellsOf(text), timestamp_ms } as unknown as T;
  }

  /** Of a row, or of the first one. */
  async #timeAt(row: number): Promise<number> {
    return this.#plan.fields.timeMs(await this.#recordAt(Math.max(0, row)));
  }

  /**
   * @param belowMs Unix milliseconds of a row further below, which the response should reach
   * @returns false if the field gives no valid cursor
   */
  async #ask({ name, value }: CursorField<T>, record: T, belowMs: number): Promise<boolean> {
    const { timeMs } = this.#plan.fields;
    const index = value(record);
    if (index === undefined || index >= MAX_CURSOR) return false;
    const rows = await this.#rowsAt(index + 1n);
    const [top] = rows;
    this.#visits.push({ field: name, rowMs: timeMs(record), belowMs, topMs: top && timeMs(top) });
    await this.#compareAnswer(rows, index + 1n);
    return true;
  }

  #rowsAt(before: bigint): Promise<readonly T[]> {
    const { source, limit, signal } = this.#plan;
    this.#requests++;
    return rowsOrNone(source, { before, limit }, signal);
  }

  async #compareAnswer(rows: readonly T[], before: bigint | undefined): Promise<void> {
    if (this.#differsAtMs !== undefined) return;
    const { timeMs } = this.#plan.fields;
    const shown = rows.flatMap((row) =>
      this.#textsOf(row).map((text) => ({ ms: timeMs(row), text })),
    );
    const page = pageSection(shown, before !== undefined);
    if (page === undefined) return;
    const held = await this.#sectionOf(page.oldestMs, shown[0]?.ms ?? 0);
    const { span, differsAtMs } = compareSections(held, page);
    this.#differsAtMs = differsAtMs;
    if (span === undefined) return;
    this.#rows += held.rows.filter(({ ms }) => !this.#isCovered(ms)).length;
    this.#covered.push(span);
  }

  /**
   * Rows of the file between two times. More rows may have been added at its last time, and the file may begin within its first.
   */
  async #sectionOf(fromMs: number, toMs: number): Promise<Section> {
    const { firstMs, lastMs } = this.#contents;
    const oldestMs = Math.max(fromMs, firstMs);
    const newestMs = Math.min(toMs, lastMs);
    return {
      rows: await this.#rowsBetween(oldestMs, newestMs),
      oldestMs,
      newestMs,
      isPartOf: (ms) => ms === firstMs || ms === lastMs,
      // If --max cut the file within that time, the rows it holds are those that a page shows first.
      sharedMs: firstMs,
    };
  }

  /**
   * A field that has found rows finds all of them, or their neighbours if the cursor counts otherwise: if a response begins far below
   * its row, rows are gone.
   */
  #lostAt(proofs: Readonly<Record<string, number>>): number | undefined {
    const isRight = (field: string) =>
      (proofs[field] ?? 0) > 0 ||
      this.#visits.some((visit) => visit.field === field && visit.topMs === visit.rowMs);
    const lost = this.#visits.find(
      ({ field, belowMs, topMs }) => topMs !== undefined && topMs < belowMs && isRight(field),
    );
    return lost?.belowMs;
  }

  #isCovered(ms: number): boolean {
    return this.#covered.some(({ oldestMs, newestMs }) => ms >= oldestMs && ms <= newestMs);
  }

  /** All rows of these times, newest first. */
  async #rowsBetween(oldestMs: number, newestMs: number): Promise<readonly RowKey[]> {
    const { marks } = this.#contents;
    const { timeOf, textOf } = this.#parser;
    const start = marks.findLast(({ ms }) => ms < oldestMs) ?? marks[0];
    const rows: RowKey[] = [];
    for await (const line of this.#linesFrom(start?.byte)) {
      const ms = timeOf(line) ?? 0;
      if (ms > newestMs) break;
      if (ms >= oldestMs) rows.push({ ms, text: textOf(line) });
    }
    return rows.reverse();
  }

  async *#linesFrom(byte = 0): AsyncGenerator<string, void, void> {
    const file = await this.#files.open(this.#path, "read");
    try {
      for await (const lines of readLines(file, byte)) yield* lines;
    } finally {
      await file.close();
    }
  }
}

/** Where two spans overlap by more than a single time, each has all rows of the time at which the other ends. */
function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.oldestMs - b.oldestMs)) {
    const last = joined.at(-1);
    if (last === undefined || span.oldestMs >= last.newestMs) joined.push(span);
    else if (span.newestMs > last.newestMs)
      joined[joined.length - 1] = { oldestMs: last.oldestMs, newestMs: span.newestMs };
  }
  return joined;
}

function notOfListing(ms: number): Verdict {
  return {
    isComplete: false,
    flag: "not-its-continuation",
    detail: `the file's rows near ${formatIsoMs(ms)} are not those of the listing`,
  };
}

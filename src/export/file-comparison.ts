// Is a file that is added to still of its listing? Its last rows, its first ones and places between are compared with what the
// service lists now: it may have been edited, and the service may have amended its history.
import { MAX_CURSOR } from "../listing/paging/cursors.ts";
import type { RowKey } from "../listing/paging/known-rows.ts";
import { compareSections, pageSection, type Section } from "../listing/paging/sections.ts";
import type { CursorField } from "../listing/paging/source.ts";
import { formatIsoMs } from "../units/time.ts";
import type { ExportPlan } from "./export-run.ts";
import { type FileEnd, MARK_EVERY } from "./file-end.ts";
import type { Files } from "./files.ts";
import { ENOUGH, eachLine, lineParser } from "./lines.ts";
import { rowOf } from "./own-export.ts";
import { rowsOrNone } from "./places.ts";

/** What the comparison has come to. */
export interface Comparison {
  readonly requests: number;
  /** In words. */
  readonly compared: string;
  /** Unix milliseconds near which the file differs from the listing; undefined where it does not. */
  readonly differsAtMs: number | undefined;
}

interface Span {
  readonly oldestMs: number;
  readonly newestMs: number;
}

/** A row at which an answer is wanted to begin. */
interface Spot {
  readonly words: string;
  /** Its number, from the first row of the file on. */
  readonly row: number;
}

/** What was asked for at a row, and how the answer began. */
interface Visit {
  readonly field: string;
  readonly rowMs: number;
  readonly topMs: number | undefined;
}

const MOST_REQUESTS = 8;
/** Answers of the pager that reach into the file: the last ones are enough. */
const MOST_ANSWERS = 6;

/** The file that is added to, beside the answers of the service. Files are oldest first. */
export class FileComparison<T extends object> {
  readonly #plan: ExportPlan<T>;
  readonly #files: Files;
  readonly #path: string;
  readonly #end: FileEnd;
  readonly #lastMs: number;
  readonly #textOf: (line: string) => string;
  readonly #covered: Span[] = [];
  readonly #visits: Visit[] = [];
  /** What the pager was answered on its way into the file. */
  #answers: { readonly rows: readonly T[]; readonly before: bigint | undefined }[] = [];
  #rows = 0;
  #requests = 0;
  #differsAtMs: number | undefined;

  /** @param end of a file with rows */
  constructor(plan: ExportPlan<T>, files: Files, path: string, end: FileEnd & { lastMs: number }) {
    this.#plan = plan;
    this.#files = files;
    this.#path = path;
    this.#end = end;
    this.#lastMs = end.lastMs;
    this.#textOf = lineParser(end.header).textOf;
  }

  /** Keeps an answer in mind that reaches into the file. */
  see(rows: readonly T[], before: bigint | undefined): void {
    const last = rows.at(-1);
    if (last === undefined || this.#plan.fields.timeMs(last) > this.#lastMs) return;
    this.#answers = [...this.#answers, { rows, before }].slice(-MOST_ANSWERS);
  }

  /**
   * Compares what the pager has seen of the file, and asks for the places that it has not seen, at most eight times.
   * @param proofs pages that each field has proven
   * @throws {HistoryError} when the service fails; the signal's reason when aborted; what the file system throws
   */
  async compare(proofs: Readonly<Record<string, number>>): Promise<Comparison> {
    for (const { rows, before } of this.#answers) await this.#compareAnswer(rows, before);
    const fields = [...this.#plan.fields.cursorFields].sort(
      (a, b) => (proofs[b.name] ?? 0) - (proofs[a.name] ?? 0),
    );
    const missed: string[] = [];
    for (const spot of this.#spots()) {
      if (this.#differsAtMs !== undefined) break;
      if (!(await this.#visit(spot, fields))) missed.push(spot.words);
    }
    this.#differsAtMs ??= this.#lostAt(proofs);
    return {
      requests: this.#requests,
      compared: this.#words(missed),
      differsAtMs: this.#differsAtMs,
    };
  }

  /** The last page, three places on the way, and the first page: rows with which their answers begin. */
  #spots(): readonly Spot[] {
    const { rows } = this.#end;
    const { limit } = this.#plan;
    const around = (share: number) => Math.min(rows - 1, Math.floor(rows * share + limit / 2));
    return [
      { words: "its last rows", row: rows - 1 },
      { words: "its middle", row: around(1 / 2) },
      // Half a page: rows of one time above it may fill the rest.
      { words: "its first rows", row: Math.min(limit >> 1, rows - 1) },
      { words: "its first quarter", row: around(1 / 4) },
      { words: "its third quarter", row: around(3 / 4) },
    ];
  }

  /** @returns whether the row was found, where it had not been compared before */
  async #visit({ row }: Spot, fields: readonly CursorField<T>[]): Promise<boolean> {
    const { header } = this.#end;
    const line = (await this.#lineAt(row)) ?? "";
    const rowMs = lineParser(header).timeOf(line) ?? Number.NaN;
    if (this.#isCovered(rowMs)) return true;
    const record = { ...rowOf(line, header), timestamp_ms: rowMs } as unknown as T;
    for (const { name, value } of fields) {
      const index = value(record);
      const isAsked = index !== undefined && index < MAX_CURSOR && this.#requests < MOST_REQUESTS;
      if (isAsked) await this.#ask(name, index + 1n, rowMs);
      if (this.#differsAtMs !== undefined || this.#isCovered(rowMs)) return true;
    }
    return false;
  }

  async #ask(field: string, before: bigint, rowMs: number): Promise<void> {
    const { source, limit, signal, fields } = this.#plan;
    this.#requests++;
    const rows = await rowsOrNone(source, { before, limit }, signal);
    const [top] = rows;
    this.#visits.push({ field, rowMs, topMs: top && fields.timeMs(top) });
    await this.#compareAnswer(rows, before);
  }

  async #compareAnswer(rows: readonly T[], before: bigint | undefined): Promise<void> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined || this.#differsAtMs !== undefined) return;
    const { fields, format } = this.#plan;
    const shown = rows.flatMap((row) =>
      format.linesOf(row).map((line) => ({ ms: fields.timeMs(row), text: this.#textOf(line) })),
    );
    const page = pageSection(shown, before !== undefined);
    if (page === undefined) return;
    const held = await this.#sectionOf(fields.timeMs(last), fields.timeMs(first));
    const { span, differsAtMs } = compareSections(held, page);
    this.#differsAtMs = differsAtMs;
    if (span === undefined) return;
    this.#rows += held.rows.filter(({ ms }) => !this.#isCovered(ms)).length;
    this.#covered.push(span);
  }

  /** All rows of the file between two times. More rows may have come at its last time, and it may begin within its first one. */
  async #sectionOf(fromMs: number, toMs: number): Promise<Section> {
    const firstMs = this.#end.firstMs ?? this.#lastMs;
    const oldestMs = Math.max(fromMs, firstMs);
    const newestMs = Math.min(toMs, this.#lastMs);
    return {
      rows: await this.#rowsBetween(oldestMs, newestMs),
      oldestMs,
      newestMs,
      isPartOf: (ms) => ms === firstMs || ms === this.#lastMs,
      // Where --max has cut the file within that time, what it holds is what a page shows first.
      sharedMs: firstMs,
    };
  }

  /** A field that has led to rows leads to all of them: an answer that begins below its row has lost that row. */
  #lostAt(proofs: Readonly<Record<string, number>>): number | undefined {
    const isRight = (field: string) =>
      (proofs[field] ?? 0) > 0 ||
      this.#visits.some((visit) => visit.field === field && visit.topMs === visit.rowMs);
    const lost = this.#visits.find(
      ({ field, rowMs, topMs }) => topMs !== undefined && topMs < rowMs && isRight(field),
    );
    return lost?.rowMs;
  }

  #isCovered(ms: number): boolean {
    return this.#covered.some(({ oldestMs, newestMs }) => ms >= oldestMs && ms <= newestMs);
  }

  async #lineAt(row: number): Promise<string | undefined> {
    const mark = this.#end.marks[Math.floor(row / MARK_EVERY)];
    let left = row % MARK_EVERY;
    let found: string | undefined;
    await this.#linesFrom(mark?.byte ?? 0, (line) => {
      if (left-- > 0) return undefined;
      found = line;
      return ENOUGH;
    });
    return found;
  }

  /** Rows of the file, newest first: all of the times between, and of those only. */
  async #rowsBetween(oldestMs: number, newestMs: number): Promise<readonly RowKey[]> {
    const { marks, header } = this.#end;
    const { timeOf } = lineParser(header);
    const start = marks.findLast(({ ms }) => ms < oldestMs) ?? marks[0];
    const rows: RowKey[] = [];
    await this.#linesFrom(start?.byte ?? 0, (line) => {
      const ms = timeOf(line) ?? 0;
      if (ms > newestMs) return ENOUGH;
      if (ms >= oldestMs) rows.push({ ms, text: this.#textOf(line) });
      return undefined;
    });
    return rows.reverse();
  }

  async #linesFrom(byte: number, see: (line: string) => typeof ENOUGH | undefined): Promise<void> {
    const file = await this.#files.open(this.#path, "read");
    try {
      await eachLine(file, byte, see);
    } finally {
      await file.close();
    }
  }

  #words(missed: readonly string[]): string {
    const { rows } = this.#end;
    const what = this.#rows >= rows ? `all ${rows}` : `${this.#rows} of ${rows}`;
    const not = missed.length === 0 ? "" : `; not found there: ${missed.join(", ")}`;
    return `${what} rows of the file compared with the listing${not}`;
  }
}

/** In words. @param ms Unix milliseconds */
export function differenceWords(ms: number): string {
  return `the file's rows near ${formatIsoMs(ms)} are not those of the listing`;
}

// Progress and closing lines of an export.
import type { Context } from "../args/context.ts";
import type { Bounds } from "../listing/paging/bounds.ts";
import { formatEvidence } from "../listing/paging/verdict.ts";
import type { Retry } from "../listing/rest/rest-client.ts";
import { fitPieces } from "../select/columns.ts";
import { cutText } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import { formatAge, formatIsoMs } from "../units/time.ts";
import type { ExportProgress, ExportResult } from "./export-run.ts";

/** The closing line of an export. @param isFile false for a stream */
export function closingLine(result: ExportResult, isFile: boolean): string {
  const { verdict, compared } = result;
  const facts = [
    formatEvidence(verdict),
    ...formatTies(result, isFile),
    ...(verdict.isComplete && result.notes.includes("other-markets")
      ? ["some events name other markets only, and are exported as received"]
      : []),
    ...(compared === undefined ? [] : [compared]),
  ].join("; ");
  return formatReached(result, `${verdict.isComplete ? "yes" : "no"} (${facts})`);
}

/** The closing line of an export that was stopped. @param reached undefined if it had not begun */
export function stoppedLine(reached: Reached | undefined, why: string): string {
  return formatReached(reached ?? NOWHERE, `no (${why})`);
}

type Reached = Pick<ExportProgress, "rows" | "newestMs" | "oldestMs" | "pages">;
const NOWHERE: Reached = { rows: 0, newestMs: undefined, oldestMs: undefined, pages: 0 };

function formatReached({ rows, newestMs, oldestMs, pages }: Reached, complete: string): string {
  return [
    `${rows} ${rows === 1 ? "row" : "rows"}`,
    `newest ${formatTime(newestMs)}`,
    `oldest ${formatTime(oldestMs)}`,
    `${pages} ${pages === 1 ? "page" : "pages"}`,
    `complete: ${complete}`,
  ].join(", ");
}

/** The outcome, where space is limited. @param file its name */
export function shortClosing({ rows, verdict }: ExportResult, file: string | undefined): string {
  const complete = verdict.isComplete
    ? "complete: yes"
    : `complete: no (${formatEvidence(verdict)})`;
  return `${rows} ${rows === 1 ? "row" : "rows"}, ${complete}, ${file ?? "no file"}`;
}

/** Two exports may differ in the order of rows of one time. */
function formatTies({ notes, verdict }: ExportResult, isFile: boolean): string[] {
  if (!notes.includes("unstable-order")) return [];
  const stand = isFile && verdict.isComplete ? "are sorted by id" : "are written as received";
  return [`rows of the same time were listed in different orders and ${stand}`];
}

interface ProgressFacts {
  /** Since this run began; `recordsBefore`: records of an earlier run. */
  readonly elapsedMs: number;
  readonly recordsBefore: number;
  readonly retries: number;
  readonly max: number | undefined;
  readonly sinceMs: number | undefined;
}

/**
 * Rows, rate, time reached, proven pages, and the time remaining if known.
 * @param widthCells less important parts are omitted if this is too narrow
 */
function progressLine(
  progress: ExportProgress,
  facts: ProgressFacts,
  widthCells = Number.POSITIVE_INFINITY,
): string {
  if (progress.isSecondPass) return `${progress.rows} rows, reading all of it a second time`;
  const { elapsedMs, recordsBefore, retries } = facts;
  const rate = ((progress.records - recordsBefore) * 1000) / Math.max(1, elapsedMs);
  const done = doneShare(progress, facts);
  const leftMs = done === undefined || done <= 0 ? undefined : (elapsedMs / done) * (1 - done);
  const parts: readonly (readonly [words: string, priority: number])[] = [
    [`${progress.rows} rows`, 0],
    [`${Math.round(rate)}/s`, 3],
    [`back to ${formatTime(progress.oldestMs)}`, 4],
    [`${progress.pages} pages proven`, 5],
    [`${progress.requests} requests`, 6],
    [retries > 0 ? `${retries} tried again` : "", 2],
    [leftMs === undefined ? "" : `about ${formatAge(leftMs)} left`, 1],
  ];
  const pieces = parts
    .filter(([words]) => words !== "")
    .map(([words, priority]) => ({ words, width: words.length, priority }));
  return fitPieces(pieces, widthCells, GAP.length)
    .map(({ words }) => words)
    .join(GAP);
}

const GAP = ", ";

/** 0 to 1; undefined if the total is unknown. */
function doneShare(
  { records, newestMs, oldestMs }: ExportProgress,
  { max, sinceMs }: ProgressFacts,
): number | undefined {
  const shares: number[] = [];
  if (max !== undefined) shares.push(records / max);
  if (sinceMs !== undefined && newestMs !== undefined && oldestMs !== undefined) {
    shares.push((newestMs - oldestMs) / Math.max(1, newestMs - sinceMs));
  }
  return shares.length === 0 ? undefined : Math.min(1, Math.max(...shares));
}

function formatTime(ms: number | undefined): string {
  return ms === undefined ? "-" : formatIsoMs(ms);
}

const SHOW_EVERY_MS = 250;
const DEFAULT_COLUMNS = 80;
/** Carriage return, then erase to the end of the line. */
const OVERWRITE = "\r\u001b[K";

export interface ProgressShown {
  /** Prints a permanent line. @param rows rows of an earlier run */
  onResume(rows: number): void;
  onProgress(progress: ExportProgress): void;
  onRetry(retry: Retry): void;
  end(): void;
}

export function showProgress(
  { stderr, clock }: Pick<Context, "stderr" | "clock">,
  { max, sinceMs }: Bounds,
): ProgressShown {
  const startedAt = clock.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let recordsBefore: number | undefined;
  let retries = 0;
  /** One cell stays free: a line that wraps cannot be overwritten. */
  const width = () => (stderr.columns ?? DEFAULT_COLUMNS) - 1;
  const show = (text: string) => {
    if (stderr.isTTY) stderr.write(`${OVERWRITE}${cutText(visible(text), width())}`);
  };
  return {
    onResume(rows) {
      const text = `monitor: going on after ${rows} rows that an earlier run has proven`;
      if (stderr.isTTY) stderr.write(`${OVERWRITE}${text}\n`);
    },
    onProgress(progress) {
      recordsBefore ??= progress.records;
      const now = clock.now();
      if (!progress.isSecondPass && now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      const elapsedMs = now - startedAt;
      const facts = { elapsedMs, recordsBefore, retries, max, sinceMs };
      show(progressLine(progress, facts, width()));
    },
    onRetry({ count, reason, waitMs }) {
      retries = count;
      show(`trying again in ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
    },
    end() {
      if (stderr.isTTY) stderr.write(OVERWRITE);
    },
  };
}

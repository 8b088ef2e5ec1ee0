// What an export says about itself, in one line each.
import { formatProof, formatVerdict } from "../listing/paging/verdict.ts";
import { fitPieces } from "../select/columns.ts";
import { formatAge, formatIsoMs } from "../units/time.ts";
import type { ExportProgress, ExportResult } from "./export-run.ts";

/**
 * The line that every export ends with. Never throws.
 * @param isFile whether it is in a file, and not on its way to a reader
 */
export function closingLine(result: ExportResult, isFile: boolean): string {
  const { verdict } = result;
  const { compared } = result;
  const words = [
    verdict.isComplete ? formatProof(verdict) : formatVerdict(verdict),
    ...tieWords(result, isFile),
    ...(compared === undefined ? [] : [compared]),
  ].join("; ");
  return reachedLine(result, verdict.isComplete ? `yes (${words})` : `no (${words})`);
}

/**
 * The same of an export that did not come to its end. Never throws.
 * @param reached undefined when it had not begun
 * @param why in words
 */
export function stoppedLine(reached: Reached | undefined, why: string): string {
  return reachedLine(reached ?? NOWHERE, `no (${why})`);
}

type Reached = Pick<ExportProgress, "rows" | "newestMs" | "oldestMs" | "pages">;
const NOWHERE: Reached = { rows: 0, newestMs: undefined, oldestMs: undefined, pages: 0 };

function reachedLine({ rows, newestMs, oldestMs, pages }: Reached, complete: string): string {
  return [
    `${rows} ${rows === 1 ? "row" : "rows"}`,
    `newest ${time(newestMs)}`,
    `oldest ${time(oldestMs)}`,
    `${pages} ${pages === 1 ? "page" : "pages"}`,
    `complete: ${complete}`,
  ].join(", ");
}

/**
 * The same where there is little room: what has come of it, then where it is. Never throws.
 * @param file its name
 */
export function shortClosing({ rows, verdict }: ExportResult, file: string | undefined): string {
  const complete = verdict.isComplete
    ? "complete: yes"
    : `complete: no (${formatVerdict(verdict)})`;
  return `${rows} ${rows === 1 ? "row" : "rows"}, ${complete}, ${file ?? "no file"}`;
}

/** Where the service lists rows of one time in another order each time, two exports may differ in that. */
function tieWords({ notes, verdict }: ExportResult, isFile: boolean): string[] {
  if (!notes.includes("unstable-order")) return [];
  const stand = isFile && verdict.isComplete ? "stand by id" : "stand as they came";
  return [`rows of one time came in different orders and ${stand}`];
}

interface ProgressFacts {
  /** Milliseconds since this run began, and records that it found written. */
  readonly elapsedMs: number;
  readonly recordsBefore: number;
  readonly retries: number;
  readonly max: number | undefined;
  readonly sinceMs: number | undefined;
}

/**
 * How far an export is: rows, rate, time reached, verified pages, and what is left where that can be known. Never
 * throws.
 * @param widthCells what the line may take; where it is too little, what matters less is left out
 */
export function progressLine(
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
    [`back to ${time(progress.oldestMs)}`, 4],
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

/** From 0 to 1; undefined where nobody can say how much there is. */
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

function time(ms: number | undefined): string {
  return ms === undefined ? "-" : formatIsoMs(ms);
}

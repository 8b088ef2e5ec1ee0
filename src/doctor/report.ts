// The doctor's report, for people and for scripts.
import { jsonText } from "../print/json-text.ts";
import { textTable } from "../print/text-table.ts";
import { wrapWords } from "../terminal/cells/text-cells.ts";

export interface Report {
  readonly findings: readonly Finding[];
  readonly points: readonly OpenPoint[];
  readonly requests: number;
  readonly tookMs: number;
}

const MARKS: Readonly<Record<Verdict, string>> = { ok: "✓", warn: "!", fail: "✗", unknown: "?" };
/** In less room, lines are left to the terminal. */
const MIN_ROOM = 20;
const VERDICTS = Object.keys(MARKS) as readonly Verdict[];

export function countVerdicts(findings: readonly Finding[]): Readonly<Record<Verdict, number>> {
  const counts = { ok: 0, warn: 0, fail: 0, unknown: 0 };
  for (const { verdict } of findings) counts[verdict]++;
  return counts;
}

/** @param width of the terminal: what is longer goes on below, indented; undefined for no terminal */
export function reportText(report: Report, width?: number): string {
  const counts = countVerdicts(report.findings);
  const table = (rows: readonly (readonly string[])[]) => {
    const lines = textTable(rows, () => false);
    return width === undefined ? lines : wrapLast(lines, findLastColumn(rows), width);
  };
  const checks = table(
    report.findings.map(({ id, verdict, fact }) => [`${MARKS[verdict]} ${verdict}`, id, fact]),
  );
  const points = table(
    report.points.map(({ section, point, known, seen }) => [section, point, known, seen]),
  );
  const total = VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(", ");
  const seconds = (report.tookMs / 1000).toFixed(1);
  return [
    ...checks,
    "",
    "What the interface does not show, and what was seen here:",
    "",
    ...points,
    "",
    `${total}; ${report.requests} requests in ${seconds} s`,
  ].join("\n");
}

/** Where the last column of a table begins. All columns before it are words of ours, of one cell each letter. */
function findLastColumn(rows: readonly (readonly string[])[]): number {
  const before = (rows[0] ?? []).slice(0, -1);
  return before.reduce(
    (x, _, column) => x + Math.max(...rows.map((row) => row[column]?.length ?? 0)) + 2,
    0,
  );
}

/** Breaks lines between words, so that the last column stays below itself. */
function wrapLast(lines: readonly string[], indent: number, width: number): string[] {
  const room = width - indent;
  if (room < MIN_ROOM) return [...lines];
  return lines.flatMap((line) => {
    const [first = "", ...rest] = wrapWords(line.slice(indent), room);
    return [line.slice(0, indent) + first, ...rest.map((each) => " ".repeat(indent) + each)];
  });
}

export function reportJson({ findings, points, requests, tookMs }: Report): string {
  return jsonText({
    verdicts: countVerdicts(findings),
    requests,
    took_ms: Math.round(tookMs),
    checks: findings,
    open_points: points,
  });
}

// What the doctor has found: one line for each check, and one for each point that the interface leaves open.

/** `ok`: as it should be. `warn`: it works, but the user should know. `fail`: it does not. `unknown`: not seen. */
export type Verdict = "ok" | "warn" | "fail" | "unknown";

export interface Finding {
  /** Stable word for scripts, such as `stream.hello`. */
  readonly id: string;
  readonly verdict: Verdict;
  /** The fact, with figures. Text of the service may be in it. */
  readonly fact: string;
}

/** How much is known of an open point (docs/readings.md). */
export type Knowledge = "verified" | "inferred" | "assumed" | "unknown";

/** A point that the interface does not show, and what was seen of it. */
export interface OpenPoint {
  readonly section: string;
  readonly point: string;
  readonly known: Knowledge;
  readonly seen: string;
}

/** `3 frames`, `1 frame`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** Milliseconds in words: `0.4 ms`, `12 ms`. */
export function ms(value: number): string {
  return value < 10 ? `${Math.max(0, value).toFixed(1)} ms` : `${Math.round(value)} ms`;
}

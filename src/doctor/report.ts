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
/** With less room, wrapping is left to the terminal. */
const MIN_ROOM = 20;
const VERDICTS = Object.keys(MARKS) as readonly Verdict[];

export function countVerdicts(findings: readonly Finding[]): Readonly<Record<Verdict, number>> {
  const counts = { ok: 0, warn: 0, fail: 0, unknown: 0 };
  for (const { verdict } of findings) counts[verdict]++;
  return counts;
}

/** @param width of the terminal: longer lines are wrapped and indented; undefined without a terminal */
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

/** Start of the last column of a table. The columns before it contain our own text, one cell per character. */
function findLastColumn(rows: readonly (readonly string[])[]): number {
  const before = (rows[0] ?? []).slice(0, -1);
  return before.reduce(
    (x, _, column) => x + Math.max(...rows.map((row) => row[column]?.length ?? 0)) + 2,
    0,
  );
}

/** Wraps lines between words, keeping the text within the last column. */
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

// The doctor's results: one line per check, and one per point that the interface leaves open.

/** `ok`: as it should be. `warn`: works, but the user should know. `fail`: does not work. `unknown`: not observed. */
export type Verdict = "ok" | "warn" | "fail" | "unknown";

export interface Finding {
  /** Stable identifier for scripts, such as `stream.hello`. */
  readonly id: string;
  readonly verdict: Verdict;
  /** The fact, with figures. May contain text from the service. */
  readonly fact: string;
}

/** How well an open point is known (docs/readings.md). */
export type Knowledge = "verified" | "inferred" | "assumed" | "unknown";

/** A point that the interface document does not show, and what was observed. */
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

/** Formats milliseconds: `0.4 ms`, `12 ms`. */
export function ms(value: number): string {
  return value < 10 ? `${Math.max(0, value).toFixed(1)} ms` : `${Math.round(value)} ms`;
}

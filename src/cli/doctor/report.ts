// The doctor's report, for people and for scripts.
import { visible } from "../../terminal/visible.ts";
import { textTable } from "../text-table.ts";
import type { Finding, OpenPoint, Verdict } from "./finding.ts";

export interface Report {
  readonly findings: readonly Finding[];
  readonly points: readonly OpenPoint[];
  readonly requests: number;
  readonly tookMs: number;
}

const MARKS: Readonly<Record<Verdict, string>> = { ok: "✓", warn: "!", fail: "✗", unknown: "?" };
const VERDICTS = Object.keys(MARKS) as readonly Verdict[];

export function countVerdicts(findings: readonly Finding[]): Readonly<Record<Verdict, number>> {
  const of = (verdict: Verdict) => findings.filter((each) => each.verdict === verdict).length;
  return { ok: of("ok"), warn: of("warn"), fail: of("fail"), unknown: of("unknown") };
}

export function reportText(report: Report): string {
  const counts = countVerdicts(report.findings);
  const cell = (text: string) => ({ text, isRight: false });
  const checks = textTable(
    report.findings.map(({ id, verdict, fact }) =>
      [`${MARKS[verdict]} ${verdict}`, id, fact].map(cell),
    ),
  );
  const points = textTable(
    report.points.map(({ section, point, known, seen }) => [section, point, known, seen].map(cell)),
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

export function reportJson({ findings, points, requests, tookMs }: Report): string {
  return JSON.stringify({
    verdicts: countVerdicts(findings),
    requests,
    took_ms: Math.round(tookMs),
    checks: findings.map(({ id, verdict, fact }) => ({ id, verdict, fact: visible(fact) })),
    open_points: points.map(({ seen, ...rest }) => ({ ...rest, seen: visible(seen) })),
  });
}

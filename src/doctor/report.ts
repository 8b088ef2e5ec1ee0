// The doctor's report, for people and for scripts.
import { POINTS } from "../dialect/dialect.ts";
import type { Store } from "../state/store.ts";
import { textWidth, wrapText } from "../terminal/width.ts";
import { visible } from "../units/visible.ts";
import { formatJson } from "../wire/json.ts";
import { type Check, VERDICTS, type Verdict } from "./check.ts";

export interface Report {
  readonly checks: readonly Check[];
  /** What the stream showed: the dialect, and what the document does not list. */
  readonly store: Pick<Store, "dialect" | "drift">;
  readonly tookMs: number;
}

const MARKS: Readonly<Record<Verdict, string>> = { ok: "✓", warn: "!", fail: "✗", unknown: "?" };

export function countVerdicts(checks: readonly Check[]): Readonly<Record<Verdict, number>> {
  const counts = { ok: 0, warn: 0, fail: 0, unknown: 0 };
  for (const { verdict } of checks) counts[verdict]++;
  return counts;
}

/** @param columns of the terminal, where there is one: facts are wrapped between words */
export function reportText({ checks, store, tookMs }: Report, columns?: number): string {
  const counts = countVerdicts(checks);
  const total = VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(", ");
  return [
    ...table(
      checks.map(({ id, verdict, fact }) => [MARKS[verdict], id, visible(fact)]),
      columns,
    ),
    "",
    "How this service is read:",
    ...table(dialectRows(store), columns),
    "",
    `${total}; ${(tookMs / 1000).toFixed(1)} s`,
  ].join("\n");
}

/** Lists with the same value and source stand in one row, so that all fits on one screen. */
function dialectRows({ dialect }: Report["store"]): readonly (readonly string[])[] {
  const rows = new Map<string, string[]>();
  for (const point of POINTS) {
    const { value, source, learned } = dialect[point];
    const says = `${value}\n${source}${learned === undefined ? "" : ` ${learned}`}`;
    const [group, name] = point.split(".");
    const key = `${group}\n${says}`;
    rows.set(key, [...(rows.get(key) ?? []), name ?? ""]);
  }
  return [...rows].map(([key, names]) => {
    const [group = "", value = "", source = ""] = key.split("\n");
    return [group, value, `${source}${names[0] === "" ? "" : `: ${names.join(", ")}`}`];
  });
}

/** With less room, wrapping is left to the terminal. */
const MIN_ROOM = 20;
const GAP = "  ";

function table(rows: readonly (readonly string[])[], columns: number | undefined): string[] {
  const last = (rows[0]?.length ?? 1) - 1;
  const widths = Array.from({ length: last }, (_, x) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[x] ?? "")), 0),
  );
  const indent = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const room = (columns ?? 0) - indent;
  return rows.flatMap((row) => {
    const cells = widths.map((width, x) => {
      const text = row[x] ?? "";
      return text + " ".repeat(width - textWidth(text)) + GAP;
    });
    const fact = row[last] ?? "";
    const [first = "", ...more] = room < MIN_ROOM ? [fact] : wrapText(fact, room);
    return [cells.join("") + first, ...more.map((line) => " ".repeat(indent) + line)];
  });
}

export function reportJson({ checks, store, tookMs }: Report): string {
  return formatJson({
    verdicts: countVerdicts(checks),
    took_ms: Math.round(tookMs),
    checks,
    dialect: Object.fromEntries(
      POINTS.map((point) => {
        const { value, source, learned } = store.dialect[point];
        return [point, { value, source, learned }];
      }),
    ),
    drift: Object.fromEntries(store.drift),
  });
}

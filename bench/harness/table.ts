// Formats figures as a table.
import { type Figure, type Goal, isMet } from "./figure.ts";

const HEAD = ["goal", "what", "ours", "other", "ratio", "bound", "met"];
/** Numeric columns, aligned right. */
const NUMERIC = new Set([2, 3, 4]);

/** The table of one bench, under its name. */
export function formatTable(name: string, figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return NUMERIC.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return [name, ...lines.map((line) => `  ${line}`)].join("\n");
}

function cellsOf(figure: Figure): string[] {
  const { id, what, unit, ours, other, ratio, goal, note } = figure;
  return [
    id,
    note === undefined ? what : `${what} (${note})`,
    withUnit(ours, unit),
    other === undefined ? "" : `${withUnit(other.value, unit)} ${other.name}`,
    ratio === undefined ? "" : formatNumber(ratio),
    goal === undefined ? "" : formatGoal(goal, unit),
    { true: "yes", false: "NO", undefined: "" }[String(isMet(figure))] ?? "",
  ];
}

function formatGoal({ of, bound, value }: Goal, unit: string): string {
  const sign = bound === "most" ? "≤" : "≥";
  return of === "ratio" ? `${sign} ${value} ×` : `${sign} ${withUnit(value, unit)}`;
}

function withUnit(value: number, unit: string): string {
  return unit === "" ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

/** Three significant digits. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 100) return String(Number(value.toPrecision(3)));
  return String(Math.round(value));
}

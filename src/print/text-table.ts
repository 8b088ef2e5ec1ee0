// Rows as a table of plain text: columns as wide as their widest cell.

import { visible } from "../terminal/visible.ts";
import { textWidth } from "../terminal/width.ts";

/**
 * Cells may contain text from outside: control characters are made visible. @param isRight true for cells aligned to the
 * right, such as numbers
 */
export function textTable(
  rows: readonly (readonly string[])[],
  isRight: (column: number, row: number) => boolean,
): string[] {
  const shown = rows.map((row) => row.map(visible));
  // There may be more rows than a call takes arguments.
  const widths = (shown[0] ?? []).map((_, column) =>
    shown.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? "")), 0),
  );
  return shown.map((row, y) => {
    const cells = row.map((text, x) => {
      const space = " ".repeat(Math.max(0, (widths[x] ?? 0) - textWidth(text)));
      return isRight(x, y) ? space + text : text + space;
    });
    return cells.join("  ").trimEnd();
  });
}

/** Aligned to the right, as for numbers, unless the column specifies a side. */
export type TextColumn<Row> = readonly [
  title: string,
  cell: (row: Row) => string | undefined,
  side?: "left",
];

export function columnTable<Row>(
  columns: readonly TextColumn<Row>[],
  rows: readonly Row[],
): string[] {
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row) ?? "–"));
  const titles = columns.map(([title]) => title);
  return textTable([titles, ...cells], (column) => columns[column]?.[2] !== "left");
}
